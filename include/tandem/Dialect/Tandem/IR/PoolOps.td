//===- PoolOps.td - Pools and their gradients ------------ -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_POOLOPS_TD
#define TANDEM_DIALECT_POOLOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

class Tandem_PoolOp<string mnemonic, Type type>
    : Tandem_Op<mnemonic, "PoolAttrs"> {
  dag poolArguments = (ins type:$input, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
      DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations,
      StrAttr:$layout);
  let results = (outs type:$result);
}

def Tandem_MaxPoolOp : Tandem_PoolOp<"max_pool", Tandem_Numeric> {
  let summary = "Largest element of each window over the spatial dims";
  let description = [{
    Padding does not count as an element of the window. If a window contains
    NaN, the result is NaN. The assembly format omits strides and dilations of 1
    and zero padding.

    Constraints:
    - C1: `layout` contains N, C and the spatial dims W, HW or DHW. Each letter
      occurs once. The input has the rank of the layout.
    - C2: the element type is a float type or an integer type other than i1.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input.

    Special values:
    - S1: with dilation, a window can lie entirely in padding. Such a window
      gives -inf, or the smallest value of an integer type.

    Gradients:
    - G1: the gradient of a window goes to the first of its largest elements or,
      if the window contains NaN, to the first NaN.

    Example:
    ```mlir
    %0 = tandem.max_pool %x layout = "NHWC" window = [2, 2] strides = [2, 2]
        : (tensor<?x32x32x8xf32>) -> tensor<?x16x16x8xf32>
    ```
  }];
  let arguments = poolArguments;
  let assemblyFormat = [{
    $input custom<PoolAttributes>($layout, $window, $strides, $pad_low,
                                  $pad_high, $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_AvgPoolOp : Tandem_PoolOp<"avg_pool", Tandem_Float> {
  let summary = "Mean of each window over the spatial dims";
  let description = [{
    With `count_include_pad`, padding counts as elements with value 0. Without
    `count_include_pad`, padding does not count as elements of the window. The
    assembly format omits strides and dilations of 1 and zero padding.

    Constraints:
    - C1: `layout` contains N, C and the spatial dims W, HW or DHW. Each letter
      occurs once. The input has the rank of the layout.
    - C2: the element type is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input.

    Special values:
    - S1: with dilation, a window can lie entirely in padding. Such a window
      gives NaN, or 0 with `count_include_pad`.

    Example:
    ```mlir
    %0 = tandem.avg_pool %x count_include_pad layout = "NCHW" window = [3, 3]
        pad_low = [1, 1] pad_high = [1, 1]
        : (tensor<?x8x32x32xf32>) -> tensor<?x8x32x32xf32>
    ```
  }];
  let arguments = !con(poolArguments, (ins UnitAttr:$count_include_pad));
  let assemblyFormat = [{
    $input (`count_include_pad` $count_include_pad^)?
    custom<PoolAttributes>($layout, $window, $strides, $pad_low, $pad_high,
                           $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_TapIndex : Tandem_TensorOf<[UI8]>;

def Tandem_MaxPoolWithIndexOp : Tandem_Op<"max_pool_with_index", "PoolAttrs"> {
  let summary = "Largest element of each window, and its place in the window";
  let description = [{
    The first result is that of `max_pool`. The second result holds the number
    of the tap of the window at which the largest element is. The taps of a
    window, including taps in padding, are numbered from 0 in row-major order.
    Among equal elements, the element with the lowest tap number counts as the
    largest. Zeros of both signs are equal. NaN is larger than all numbers and
    equal to itself.

    The gradient of `max_pool` needs the index: see `max_pool_backward`.

    Constraints:
    - C1: `layout` contains N, C and the spatial dims W, HW or DHW. Each letter
      occurs once. The operands have the rank of the layout.
    - C2: the element type of `input` is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input of the pool.
    - C6: the window has at most 256 elements.

    Special values:
    - S1: with dilation, a window can lie entirely in padding. Such a window
      gives -inf and the index 0.

    Example:
    ```mlir
    %y, %index = tandem.max_pool_with_index %x layout = "NHWC" window = [2, 2]
        strides = [2, 2] : (tensor<?x32x32x8xf32>)
        -> (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>)
    ```
  }];
  let arguments = (ins Tandem_Float:$input, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
      DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations,
      StrAttr:$layout);
  let results = (outs Tandem_Float:$values, Tandem_TapIndex:$index);
  let assemblyFormat = [{
    $input custom<PoolAttributes>($layout, $window, $strides, $pad_low,
                                  $pad_high, $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

// The attributes of the pool, and the spatial sizes of its input.
class Tandem_PoolBackwardOp<string mnemonic>
    : Tandem_Op<mnemonic, "PoolAttrs"> {
  dag poolArguments = (ins DenseI64ArrayAttr:$input_sizes,
      DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
      DenseI64ArrayAttr:$dilations, StrAttr:$layout);
  let results = (outs Tandem_Float:$result);
}

def Tandem_MaxPoolBackwardOp : Tandem_PoolBackwardOp<"max_pool_backward"> {
  let summary = "Gradient of max_pool";
  let description = [{
    `gradient` has one element for each window of a `max_pool`, and `index` is
    the second result of `max_pool_with_index`. The result has the shape of the
    input of the pool, with the spatial sizes `input_sizes` (D, H, W). An
    element of the result is the sum of the gradients of all windows whose
    largest element is the corresponding element of the input. The order of the
    terms is not specified, but is always the same. Sums of 16-bit floats are
    computed in f32.

    Constraints:
    - C1: `layout` contains N, C and the spatial dims W, HW or DHW. Each letter
      occurs once. The operands have the rank of the layout.
    - C2: the element type of `gradient` is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input of the pool.
    - C6: the window has at most 256 elements.
    - C7: `input_sizes` has one entry per spatial dim, which is not negative. The
      pool of an input of this size has the shape of `gradient`.
    - C8: `index` has the shape of `gradient`. Its element type is ui8.

    Special values:
    - S1: the gradient of a window is ignored if the index of the window refers
      to a tap in padding, or is not the number of a tap.
    - S2: an element of the result depends only on the gradients of which it is
      the sum. An infinite gradient therefore does not make other elements NaN.

    Example:
    ```mlir
    %dx = tandem.max_pool_backward %dy, %index input_sizes = [32, 32]
        layout = "NHWC" window = [2, 2] strides = [2, 2]
        : (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>)
        -> tensor<?x32x32x8xf32>
    ```
  }];
  let arguments = !con((ins Tandem_Float:$gradient, Tandem_TapIndex:$index),
                       poolArguments);
  let assemblyFormat = [{
    $gradient `,` $index `input_sizes` `=` $input_sizes
    custom<PoolAttributes>($layout, $window, $strides, $pad_low, $pad_high,
                           $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_AvgPoolBackwardOp : Tandem_PoolBackwardOp<"avg_pool_backward"> {
  let summary = "Gradient of avg_pool";
  let description = [{
    `gradient` has one element for each window of an `avg_pool`. The result has
    the shape of the input of the pool, with the spatial sizes `input_sizes` (D,
    H, W). An element of the result is a sum over all windows that contain the
    corresponding element of the input. Each term is the gradient of a window,
    divided by the number of elements of the window. With `count_include_pad`,
    padding counts as elements. Sums of 16-bit floats are computed in f32.

    Constraints:
    - C1: `layout` contains N, C and the spatial dims W, HW or DHW. Each letter
      occurs once. The operands have the rank of the layout.
    - C2: the element type of `gradient` is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input of the pool.
    - C7: `input_sizes` has one entry per spatial dim, which is not negative. The
      pool of an input of this size has the shape of `gradient`.

    Example:
    ```mlir
    %dx = tandem.avg_pool_backward %dy count_include_pad input_sizes = [32, 32]
        layout = "NHWC" window = [2, 2] strides = [2, 2]
        : (tensor<?x16x16x8xf32>) -> tensor<?x32x32x8xf32>
    ```
  }];
  let arguments = !con((ins Tandem_Float:$gradient), poolArguments,
                       (ins UnitAttr:$count_include_pad));
  let assemblyFormat = [{
    $gradient (`count_include_pad` $count_include_pad^)?
    `input_sizes` `=` $input_sizes
    custom<PoolAttributes>($layout, $window, $strides, $pad_low, $pad_high,
                           $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_POOLOPS_TD
