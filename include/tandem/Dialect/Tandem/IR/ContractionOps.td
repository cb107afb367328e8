//===- ContractionOps.td - Convolution and matmul -------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_CONTRACTIONOPS_TD
#define TANDEM_DIALECT_CONTRACTIONOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

def Tandem_ConvOp : Tandem_Op<"conv", "ConvAttrs",
                              [ContractionOpInterface]> {
  let summary = "Convolution over one, two or three spatial dims, with bias";
  let description = [{
    This op is the convolution of deep learning, i.e. a cross-correlation: the
    kernel is not flipped. The optional `bias` has one element per output
    channel. The bias element of a channel is added to all results of that
    channel. `strides`, `pad_low`, `pad_high` and `dilations` have one entry per
    spatial dim, in D, H, W order. A dilation of 1 means a dense kernel. The
    channels are divided into `groups`. The outputs of a group depend only on
    the inputs of the same group. A depthwise convolution has as many groups as
    input channels. The assembly format omits strides and dilations of 1, zero
    padding, and a single group.

    Constraints:
    - C1: the layouts of `input` and `output` contain N, C and the spatial dims.
      The layout of `kernel` contains O, I and the spatial dims. Each letter
      occurs once. All three layouts have the same spatial dims: W, HW or DHW.
      Each operand has the rank of its layout.
    - C2: the operands have the same element type, which is a float type and the
      element type of the result. Alternatively, `input` is of ui8 or i8,
      `kernel` is of i8, there is no bias, and the result is of i32.
    - C3: `strides`, `pad_low`, `pad_high` and `dilations` have one entry per
      spatial dim. Strides and dilations are at least 1, and no padding is
      negative.
    - C4: `groups` is at least 1 and divides the number of output channels of
      the kernel.
    - C5: the number of input channels is `groups` times the number of input
      channels of the kernel.
    - C6: the bias has one dim, whose size is the number of output channels of
      the kernel.
    - C7: the dilated kernel is no larger than the padded input.

    Special values:
    - S1: padding adds nothing to a sum if the weight that is multiplied by the
      padding is finite. If that weight is infinite or NaN, padding adds either
      nothing or NaN. The choice is not specified, because libraries and kernels
      may either skip padding or multiply by zero.
    - S2: a sum of zeros is a zero of unspecified sign.
    - S3: products and sums of integers are those of i32, modulo 2^32. They never
      saturate.

    A convolution of quantized numbers with zero points is written with other
    ops around a `conv` of integers: `pad` writes the zero point of the input
    where the padding is, and the zero point times the sum of the weights is
    subtracted from the result.

    Example:
    ```mlir
    %0 = tandem.conv %x, %w, %b
        layout = <input = "NWC", kernel = "WIO", output = "NWC"> pad_low = [1]
        : (tensor<?x100x1xf32>, tensor<3x1x32xf32>, tensor<32xf32>)
        -> tensor<?x99x32xf32>
    ```
  }];
  let arguments = (ins Tandem_FloatOrByte:$input, Tandem_FloatOrI8:$kernel,
                       Optional<Tandem_Float>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
                       DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       Tandem_ConvLayoutAttr:$layout);
  let results = (outs Tandem_FloatOrI32:$result);
  let assemblyFormat = [{
    $input `,` $kernel (`,` $bias^)?
    custom<ConvAttributes>($layout, $strides, $pad_low, $pad_high, $dilations,
                           $groups)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_ConvBackwardDataOp
    : Tandem_Op<"conv_backward_data", "ConvAttrs"> {
  let summary = "Transposed convolution, the gradient of conv for its input";
  let description = [{
    This op computes the gradient of the input of a `conv` with the same kernel
    and attributes from the gradient of the result of the `conv`. As a layer of
    a network, the op is called transposed convolution or deconvolution. The
    kernel has the layout of the `conv`: the channels of `input` are the
    kernel's output channels O, and the channels of the result are the kernel's
    input channels I, times `groups`. In the layouts, `input` and `output` are
    the operand and the result of this op.

    The element of the result at position `j` of a spatial dim is the sum of
    `input[i] * kernel[t]` over all `i` and `t` with
    `i * stride + t * dilation == j + pad_low`, summed over the channels of the
    group, plus the bias. The size of the result along a spatial dim is
    `stride * (input size - 1) + dilation * (window size - 1) + 1 - pad_low -
    pad_high + output_padding`. If a `conv` has a stride above 1, several input
    sizes give the same result size; `output_padding` selects one of these input
    sizes. A position that no element of the input reaches is 0, plus the bias.
    The assembly format omits the same defaults as that of `conv`, and omits
    `output_padding` if all its entries are 0.

    Constraints:
    - C1: the layouts of `input` and `output` contain N, C and the spatial dims.
      The layout of `kernel` contains O, I and the spatial dims. Each letter
      occurs once. All three layouts have the same spatial dims: W, HW or DHW.
      Each operand has the rank of its layout.
    - C2: the operands have the same element type, which is a float type.
    - C3: `strides`, `pad_low`, `pad_high`, `dilations` and `output_padding`
      have one entry per spatial dim. Strides and dilations are at least 1, and
      no padding is negative.
    - C4: `groups` is at least 1 and divides the number of output channels of
      the kernel.
    - C5: the number of channels of `input` is the number of output channels of
      the kernel.
    - C6: the bias has one dim, whose size is `groups` times the number of input
      channels of the kernel.
    - C7: the window has at least one element, and no size of the result is
      negative.

    Special values:
    - S1: positions outside of `input` add nothing to a sum if the weight that
      they would be multiplied by is finite. If that weight is infinite or NaN,
      they add either nothing or NaN. Weights that are not multiplied by an
      element add nothing.
    - S2: a sum of zeros is a zero of unspecified sign.

    Example:
    ```mlir
    %0 = tandem.conv_backward_data %x, %w
        layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [8]
        pad_low = [4] pad_high = [4]
        : (tensor<1x256x?xf32>, tensor<256x128x16xf32>) -> tensor<1x128x?xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_Float:$kernel,
                       Optional<Tandem_Float>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
                       DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       DenseI64ArrayAttr:$output_padding,
                       Tandem_ConvLayoutAttr:$layout);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `,` $kernel (`,` $bias^)?
    custom<ConvBackwardAttributes>($layout, $strides, $pad_low, $pad_high,
                                   $dilations, $output_padding, $groups)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_ConvBackwardWeightsOp
    : Tandem_Op<"conv_backward_weights", "ConvAttrs"> {
  let summary = "Gradient of conv for its kernel";
  let description = [{
    This op computes the gradient of a `conv` for its kernel from the input of
    the `conv` and the gradient of the result of the `conv`. The attributes and
    the layouts are those of the `conv`: the layout `output` describes the
    operand `gradient`, and the layout `kernel` describes the result. The
    spatial sizes of the kernel cannot be inferred from the sizes of the
    operands, so `window` specifies them.

    The element of the result for output channel `o`, input channel `c` of the
    group and tap `t` is the sum of
    `input[n, c, i * stride + t * dilation - pad_low] * gradient[n, o, i]` over
    all images `n` and all positions `i` of `gradient`. The assembly format
    omits the same defaults as that of `conv`.

    Constraints:
    - C1: the layouts of `input` and `output` contain N, C and the spatial dims.
      The layout of `kernel` contains O, I and the spatial dims. Each letter
      occurs once. All three layouts have the same spatial dims: W, HW or DHW.
      Each operand has the rank of its layout.
    - C2: the operands have the same element type, which is a float type.
    - C3: `window`, `strides`, `pad_low`, `pad_high` and `dilations` have one
      entry per spatial dim. Windows, strides and dilations are at least 1, and
      no padding is negative.
    - C4: `groups` is at least 1 and divides the number of channels of
      `gradient`.
    - C5: `groups` divides the number of channels of `input`.
    - C6: `input` and `gradient` have the same batch size.
    - C7: the window fits into the padded input, and the spatial sizes of
      `gradient` are those of the result of the `conv`.

    Special values:
    - S1: positions outside of `input` add nothing to a sum if the element of
      `gradient` that they would be multiplied by is finite. If that element is
      infinite or NaN, they add either nothing or NaN.
    - S2: a sum of zeros is a zero of unspecified sign.

    Example:
    ```mlir
    %0 = tandem.conv_backward_weights %x, %g
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        window = [3, 3] pad_low = [1, 1] pad_high = [1, 1]
        : (tensor<4x56x56x64xf32>, tensor<4x56x56x64xf32>)
        -> tensor<3x3x64x64xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_Float:$gradient,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       Tandem_ConvLayoutAttr:$layout);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `,` $gradient
    custom<ConvWeightsAttributes>($layout, $window, $strides, $pad_low,
                                  $pad_high, $dilations, $groups)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_MatmulOp : Tandem_Op<"matmul", "MatmulAttrs",
                                [ContractionOpInterface]> {
  let summary = "Matrix product over the last two dims";
  let description = [{
    The dims before the last two are batch dims, which broadcast as in NumPy.
    `transpose_lhs` and `transpose_rhs` swap the last two dims of the left and
    the right operand before the multiplication. With `widen`, products of
    integers of 8 bits are summed in i32.

    Constraints:
    - C1: the operands have at least two dims.
    - C2: the operands have the same element type, which is not i1, and which is
      the element type of the result. With `widen`, `lhs` is of ui8 or i8, `rhs`
      is of i8, and the result is of i32.
    - C3: the contracted dims have the same size.
    - C4: the batch dims are compatible under NumPy broadcasting.

    Special values:
    - S1: products and sums of integers wrap around, in the type of the result.
    - S2: a sum of zeros is a zero of unspecified sign.

    Example:
    ```mlir
    %0 = tandem.matmul %a, %b transpose_rhs
        : (tensor<?x4x16xf32>, tensor<8x16xf32>) -> tensor<?x4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$lhs, Tandem_Numeric:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       UnitAttr:$widen);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? (`widen` $widen^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_CONTRACTIONOPS_TD
