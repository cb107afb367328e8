//===- WindowOps.td - Windows, reductions, normalisations - -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_WINDOWOPS_TD
#define TANDEM_DIALECT_WINDOWOPS_TD

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
    Padding is never the largest element. A NaN in a window gives NaN. The
    assembly omits strides and dilations of 1 and zero padding.

    Constraints:
    - C1: `layout` names N, C and the spatial dims W, HW or DHW, every letter
      once; it has the input's rank.
    - C2: the element type is a float or an integer type other than i1.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have an
      entry per spatial dim; windows, strides and dilations are at least 1, no
      padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input.

    Special values:
    - S1: a window that lies entirely in padding, which dilation makes possible,
      gives -inf, or the least value of an integer type.

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
    With `count_include_pad`, padding counts as zeros; without it, padding does
    not count at all. The assembly omits strides and dilations of 1 and zero
    padding.

    Constraints:
    - C1: `layout` names N, C and the spatial dims W, HW or DHW, every letter
      once; it has the input's rank.
    - C2: the element type is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have an
      entry per spatial dim; windows, strides and dilations are at least 1, no
      padding is negative.
    - C4: padding is smaller than the dilated window.
    - C5: the dilated window is no larger than the padded input.

    Special values:
    - S1: a window that lies entirely in padding, which dilation makes possible,
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

def Tandem_ReduceOp : Tandem_Op<"reduce", "ReduceAttrs"> {
  let summary = "Combines all elements along some dims";
  let description = [{
    `kind` is `sum`, `prod`, `max`, `min`, `mean`, or `argmax`, which gives the
    index of the first largest element as i64. NaN in the operand gives NaN;
    `argmax` gives the index of the first NaN. The reduced dims are removed, or
    kept with size 1 with `keep_dims`. The order in which elements are combined
    is not specified. An empty sum is 0, an empty product 1, an empty mean NaN.

    Constraints:
    - C1: `dims` are dims of the operand, each at most once.
    - C2: the element type is a float or an integer type other than i1; for
      `mean` it is a float type.
    - C3: `argmax` is along one dim.
    - C4: `max`, `min` and `argmax` are along dims that have elements.

    Special values:
    - S1: sums and products of integers wrap around.
    - S2: a sum or mean of floats that are all -0 is 0.

    Example:
    ```mlir
    %0 = tandem.reduce %x kind = mean dims = [1, 2] keep_dims
        : (tensor<?x4x8xf32>) -> tensor<?x1x1xf32>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, Tandem_ReduceKindAttr:$kind,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = [{
    $input `kind` `=` `` $kind `dims` `=` $dims (`keep_dims` $keep_dims^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Tandem_BatchNormOp : Tandem_Op<"batch_norm", "BatchNormAttrs"> {
  let summary = "Batch normalisation with known statistics, along a dim";
  let description = [{
    `(input - mean) / sqrt(variance + epsilon) * scale + offset`, where `scale`,
    `offset`, `mean` and `variance` have one element per index of dim `axis`.

    Constraints:
    - C1: the operands have one element type, a float type.
    - C2: `axis` is a dim of the input.
    - C3: `scale`, `offset`, `mean` and `variance` have one dim, of the size of
      the input's dim `axis`.
    - C4: `epsilon` is not negative.

    Special values:
    - S1: where `variance + epsilon` is 0 the result is infinite, or NaN where
      `input` equals `mean`. The result is as accurate as that of the formula:
      no form is used in which digits cancel where `mean` is large.
    - S2: `scale` may be divided by the square root before or after the
      multiplication. The result is not specified where `input - mean`, a
      quotient, a product or `variance + epsilon` overflows in the computing
      type (f32 for narrower types), or where an infinite difference is
      multiplied by a subnormal factor.

    Example:
    ```mlir
    %0 = tandem.batch_norm %x, %scale, %offset, %mean, %variance
        epsilon = 1.0e-5 axis = 1
        : (tensor<?x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
           tensor<8xf32>) -> tensor<?x8x4xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_Float:$scale,
                       Tandem_Float:$offset, Tandem_Float:$mean,
                       Tandem_Float:$variance, F64Attr:$epsilon,
                       I64Attr:$axis);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $offset `,` $mean `,` $variance
    `epsilon` `=` $epsilon `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_SoftmaxOp : Tandem_Op<"softmax", "AxisAttrs"> {
  let summary = "Exponentials that sum to one along a dim";
  let description = [{
    `exp(x - m) / sum(exp(x - m))` along `axis`, where m is the largest element
    along it.

    Constraints:
    - C1: the element type is a float type.
    - C2: `axis` is a dim of the operand.

    Example:
    ```mlir
    %0 = tandem.softmax %x axis = 1 : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, I64Attr:$axis);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `axis` `=` $axis attr-dict `:`
    custom<Signature>(type($input), type($result))
  }];
}

#endif // TANDEM_DIALECT_WINDOWOPS_TD
