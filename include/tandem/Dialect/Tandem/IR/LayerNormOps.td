//===- LayerNormOps.td - Layer norm and its gradient ----- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_LAYERNORMOPS_TD
#define TANDEM_DIALECT_LAYERNORMOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

def Tandem_LayerNormOp : Tandem_Op<"layer_norm", "LayerNormAttrs"> {
  let summary = "Normalization of lines by their own mean and deviation";
  let description = [{
    The dims of `scale` and `offset` are the last dims of the input. A *line* is
    the part of the input at one position of the other dims. With the mean `m`
    and the biased variance `v` of a line, and `s = 1 / sqrt(v + epsilon)`, the
    first result is `(input - m) * s * scale + offset`. The second result is `m`,
    and the third is `s`. These have one element for each line: the shape of the
    input with size 1 in place of the last dims.

    16-bit floats are computed in f32, and `m` and `s` are then tensors of f32.
    The variance is the mean of the squares of the distances from `m`, so that a
    mean which is large relative to the spread of the elements costs few digits.

    Constraints:
    - C1: the operands have the same element type, which is a float type.
    - C2: `scale` has one dim or more. Its dims are the last dims of the input.
    - C3: `offset` has the shape of `scale`.
    - C4: `epsilon` is not NaN.

    Special values:
    - S1: if an element of a line is infinite or NaN, all elements of the line
      become NaN, and so does `s`. `m` is then infinite or NaN, as the sum of the
      elements is.
    - S2: `m` and `s` of a line without elements are NaN.
    - S3: the results are not specified if the sum of the magnitudes of a line,
      the sum of the squares of the distances from the mean, or a product or sum
      of the formula overflows in the type of the computation, or if the
      magnitude of `v + epsilon` is so small that the rounding of `m` and `v`
      changes its leading digits.
    - S4: if `v + epsilon` is negative, `s` and all elements of the line are NaN.

    Example:
    ```mlir
    %y, %mean, %inverse_deviation = tandem.layer_norm %x, %scale, %offset
        epsilon = 1.0e-5
        : (tensor<?x16x64xf32>, tensor<64xf32>, tensor<64xf32>)
        -> (tensor<?x16x64xf32>, tensor<?x16x1xf32>, tensor<?x16x1xf32>)
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_Float:$scale,
                       Tandem_Float:$offset, F64Attr:$epsilon);
  let results = (outs Tandem_Float:$result, Tandem_Float:$mean,
                      Tandem_Float:$inverse_deviation);
  let assemblyFormat = [{
    $input `,` $scale `,` $offset `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_LayerNormBackwardOp : Tandem_Op<"layer_norm_backward"> {
  let summary = "Gradients of layer_norm";
  let description = [{
    This op computes the gradients of the operands of a `layer_norm`. The
    operands of this op are the gradient `g` of the first result of the
    `layer_norm`, the operands `input` and `scale` of the `layer_norm`, and its
    results `mean` and `inverse_deviation` (`s`). With `x = (input - mean) * s`
    and `h = g * scale`, the results are
    - the gradient of the input, `s * (h - mean(h) - x * mean(h * x))`, where the
      means are those of each line,
    - the gradient of the scale, the sum of `g * x` over all lines,
    - the gradient of the offset, the sum of `g` over all lines.

    16-bit floats are computed in f32.

    Constraints:
    - C1: the gradient, the input and the scale have the same element type, which
      is a float type.
    - C2: the gradient and the input have the same shape.
    - C3: `scale` has one dim or more. Its dims are the last dims of the input.
    - C4: `mean` and `inverse_deviation` have the types of the second and the
      third result of `layer_norm`.

    Special values:
    - S1: a result is not specified if one of these overflows in the type of the
      computation: a term of its formula, the sum of the magnitudes of the terms
      of a sum, or the product of a sum with `s` or `x`. If a line has both an
      infinite and a subnormal number among all `h` and `x`, its gradient of the
      input is not specified.

    Example:
    ```mlir
    %dx, %dscale, %doffset = tandem.layer_norm_backward %g, %x, %scale, %mean,
        %inverse_deviation
        : (tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xf32>, tensor<8x1xf32>,
           tensor<8x1xf32>)
        -> (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>)
    ```
  }];
  let arguments = (ins Tandem_Float:$gradient, Tandem_Float:$input,
                       Tandem_Float:$scale, Tandem_Float:$mean,
                       Tandem_Float:$inverse_deviation);
  let results = (outs Tandem_Float:$of_input, Tandem_Float:$of_scale,
                      Tandem_Float:$of_offset);
  let assemblyFormat = [{
    $gradient `,` $input `,` $scale `,` $mean `,` $inverse_deviation attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_LAYERNORMOPS_TD
