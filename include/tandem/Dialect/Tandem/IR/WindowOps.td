//===- WindowOps.td - Windows, reductions, normalizations -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_WINDOWOPS_TD
#define TANDEM_DIALECT_WINDOWOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

def Tandem_ResizeOp : Tandem_Op<"resize", "ResizeAttrs"> {
  let summary = "Resizes dims by interpolation";
  let description = [{
    Each dim in `dims` gets another size. An element of the result is a weighted
    sum of the elements of the operand near its position in the operand
    (`linear` and `cubic`), or the element that is nearest to the position
    (`nearest`). The attributes are those of the ONNX operator Resize. The
    elements that are read along one dim and their weights are the *taps* of a
    position in that dim. If several dims are resized, an element of the operand
    is multiplied by the product of its weights along these dims. ResizeTaps.h
    has the formulas.

    - `sizes` are the sizes of the result. Without `sizes`, a size is
      `floor(scale * size of the operand)`, computed in f32.
    - `scales` are the factors in the formulas of positions. Without `scales`, a
      scale is the quotient of the sizes.
    - `coordinates`: for result position `i`, scale `s`, size `n` of the operand,
      and length `m`, which is `s * n`, or the size without `scales`:
      - `half_pixel`: `(i + 0.5) / s - 0.5`
      - `pytorch_half_pixel`: the same, but 0 if `m` is at most 1
      - `half_pixel_symmetric`: the same as `half_pixel`, plus
        `n / 2 * (1 - size of the result / m)`
      - `align_corners`: `i * (n - 1) / (m - 1)`, or 0 if `m` is 1
      - `asymmetric`: `i / s`
      - `tf_crop_and_resize`: positions between `start * (n - 1)` and
        `end * (n - 1)`, for `starts` and `ends`. Positions outside of the
        operand are `extrapolation_value`.
    - `rounding` determines which element counts as the nearest one in mode
      `nearest`.
    - `cubic_coeff_a` is the coefficient of the weights of mode `cubic`.
    - `antialias`: with a scale below 1, the filter of `linear` or `cubic` is
      stretched by the scale, so that all elements of the operand count.
    - `exclude_outside`: elements beyond an edge of the operand do not count.
      Otherwise they count as the element at the edge.

    `antialias` and `exclude_outside` have no effect in mode `nearest`. The
    weights of each position are divided by their sum.

    Constraints:
    - C1: the element type is not i1, unless `mode` is `nearest`.
    - C2: `dims` are dims of the operand in increasing order.
    - C3: there are `sizes` or `scales`, with one entry per resized dim.
      `tf_crop_and_resize` has one entry per resized dim in `starts` and `ends`,
      and other coordinates have none.
    - C4: sizes are positive. Scales are positive and finite.
    - C5: the magnitudes of `starts`, `ends` and `cubic_coeff_a` are less than
      2^31.
    - C6: the resized dims of the operand are not empty.
    - C7: along each dim, the size of the result times the largest number of taps
      is at most 2^24.

    Special values:
    - S1: an element is multiplied by its weight only if that weight is not 0,
      apart from rounding errors of the position. In particular, infinities and
      NaN in the operand reach only those results whose taps include them.
      Several elements beyond an edge are one tap.
    - S2: floats are interpolated in f32, or f64 for f64. Elements of mode
      `nearest` are copied.
    - S3: integers are interpolated in f64 and rounded once. Mode `linear` without
      `antialias` rounds toward zero, other modes round half to even. The result
      saturates. Rounding errors of f64 do not change results with magnitudes
      below 2^32 that are integers or in the middle of two integers.
    - S4: the result of a position without taps is 0. Only `exclude_outside`
      leaves positions without taps.

    Example:
    ```mlir
    %0 = tandem.resize %x mode = linear dims = [2, 3] scales = [2.0, 2.0]
        : (tensor<?x8x16x16xf32>) -> tensor<?x8x32x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, Tandem_ResizeModeAttr:$mode,
      DenseI64ArrayAttr:$dims, OptionalAttr<DenseI64ArrayAttr>:$sizes,
      OptionalAttr<DenseF64ArrayAttr>:$scales,
      DefaultValuedAttr<Tandem_ResizeCoordinatesAttr,
                        "::tandem::ir::ResizeCoordinates::half_pixel">
          :$coordinates,
      DefaultValuedAttr<Tandem_NearestRoundingAttr,
                        "::tandem::ir::NearestRounding::round_prefer_floor">
          :$rounding,
      DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coeff_a,
      UnitAttr:$antialias, UnitAttr:$exclude_outside,
      OptionalAttr<DenseF64ArrayAttr>:$starts,
      OptionalAttr<DenseF64ArrayAttr>:$ends,
      DefaultValuedAttr<F64Attr, "0.0">:$extrapolation_value);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $input `mode` `=` `` $mode `dims` `=` $dims (`sizes` `=` $sizes^)?
    (`scales` `=` custom<Numbers>($scales)^)? (`coordinates` `=` `` $coordinates^)?
    (`rounding` `=` `` $rounding^)? (`cubic_coeff_a` `=` $cubic_coeff_a^)?
    (`antialias` $antialias^)? (`exclude_outside` $exclude_outside^)?
    (`starts` `=` custom<Numbers>($starts)^)?
    (`ends` `=` custom<Numbers>($ends)^)?
    (`extrapolation_value` `=` $extrapolation_value^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_ReduceOp : Tandem_Op<"reduce", "ReduceAttrs"> {
  let summary = "Combines all elements along some dims";
  let description = [{
    `kind` is `sum`, `prod`, `max`, `min`, `mean` or `argmax`. `argmax` gives
    the index of the first largest element, as i64. If the reduced elements
    contain NaN, the result is NaN, and `argmax` gives the index of the first
    NaN. The reduced dims are removed. With `keep_dims`, the reduced dims are
    kept with size 1. The order in which elements are combined is not specified.
    An empty sum is 0, an empty product is 1, and an empty mean is NaN.

    Constraints:
    - C1: `dims` are dims of the operand, and each occurs at most once.
    - C2: the element type is a float type or an integer type other than i1. For
      `mean`, the element type is a float type.
    - C3: `argmax` reduces exactly one dim.
    - C4: the sizes of the dims that `max`, `min` and `argmax` reduce are not 0.

    Special values:
    - S1: sums and products of integers wrap around.
    - S2: a sum or mean of floats that are all -0 is 0.

    Gradients:
    - G1: the largest or smallest elements have equal shares of the gradient.
      If an element is NaN, all elements that are reduced to the same result
      have the gradient NaN.

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

def Tandem_MomentsOp : Tandem_Op<"moments", "MomentsAttrs"> {
  let summary = "Mean and variance along some dims";
  let description = [{
    The first result is the mean of the elements along `dims`. The second result
    is their biased variance: the mean of the squares of the distances from the
    mean. The reduced dims are removed. With `keep_dims`, they are kept with size
    1.

    Both results are computed in f64 from the distances to the mean, so that a
    mean which is large relative to the spread of the elements costs no digits.
    Blocks of elements are combined by the formula of Chan, Golub and LeVeque
    (Updating formulae and a pairwise algorithm for computing sample variances,
    1979). The size of a block depends on the sizes alone, and not on the number
    of threads.

    Constraints:
    - C1: `dims` are dims of the operand, and each occurs at most once.
    - C2: the element type is a float type.

    Special values:
    - S1: the mean and the variance of no elements are NaN.
    - S2: if an element is infinite or NaN, the variance is NaN. The mean is then
      infinite or NaN, as the sum of the elements is.
    - S3: for f64, the results are not specified if the sum of the elements or of
      the squares of their distances from the mean overflows.

    Example:
    ```mlir
    %mean, %variance = tandem.moments %x dims = [0, 1, 2]
        : (tensor<8x32x32x16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Tandem_Float:$input, DenseI64ArrayAttr:$dims,
                       UnitAttr:$keep_dims);
  let results = (outs Tandem_Float:$mean, Tandem_Float:$variance);
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep_dims` $keep_dims^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_BatchNormOp : Tandem_Op<"batch_norm", "BatchNormAttrs"> {
  let summary = "Batch normalization along a dim, with given statistics";
  let description = [{
    The result is `(input - mean) / sqrt(variance + epsilon) * scale + offset`.
    `scale`, `offset`, `mean` and `variance` have one element per index of dim
    `axis`.

    Constraints:
    - C1: the operands have the same element type, which is a float type.
    - C2: `axis` is a dim of the input.
    - C3: `scale`, `offset`, `mean` and `variance` have one dim, whose size is
      that of dim `axis` of the input.
    - C4: `epsilon` is not negative.

    Special values:
    - S1: if `variance + epsilon` is 0, the result is infinite, or NaN if
      `input` equals `mean`. The result is as accurate as the result of the
      formula. In particular, an implementation must not use a rewritten form
      that loses digits by cancellation if `mean` is large.
    - S2: `input - mean` may be divided by the square root and then multiplied
      by `scale`, or `scale` may be divided by the square root first. The result
      is not specified if `input - mean`, a quotient, a product or
      `variance + epsilon` overflows in the type of the computation. That type
      is f32 if the element type is narrower than f32. The result is also not
      specified if an infinite difference is multiplied by a subnormal factor.

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
  let summary = "Exponentials, normalized so that they sum to one along a dim";
  let description = [{
    The result is `exp(x - m) / sum(exp(x - m))`, where m is the largest element
    along dim `axis`, and the sum is over dim `axis`.

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

def Tandem_SoftmaxBackwardOp : Tandem_Op<"softmax_backward", "AxisAttrs"> {
  let summary = "Gradient of softmax";
  let description = [{
    This op computes the gradient of the operand of a `softmax` along dim
    `axis`. The first operand `y` is the result of the `softmax`, and the second
    operand `g` is the gradient of that result. The result is
    `y * (g - sum(g * y))`, where the sum is over dim `axis`. 16-bit floats are
    computed in f32.

    Constraints:
    - C1: the operands have the same element type, which is a float type.
    - C2: `axis` is a dim of the operands.
    - C3: the operands have the same shape.

    Special values:
    - S1: let s be the sum of the magnitudes of `g` and `g * y` along a line. The
      result is not specified if s, or `y` times s, overflows in the type of the
      computation.

    Example:
    ```mlir
    %0 = tandem.softmax_backward %y, %g axis = 1
        : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$softmax, Tandem_Float:$gradient,
                       I64Attr:$axis);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $softmax `,` $gradient `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_WINDOWOPS_TD
