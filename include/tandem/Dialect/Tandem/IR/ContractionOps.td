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
    The convolution of deep learning, which is a cross-correlation: the kernel
    is not flipped. The optional `bias` has one element per output channel,
    which is added to all results of that channel. `strides`, `pad_low`,
    `pad_high` and `dilations` have one entry per spatial dim, in D, H, W order;
    a dilation of 1 is dense. The channels are divided into `groups`; outputs of
    a group depend on inputs of the same group only. A depthwise convolution has
    as many groups as input channels. The assembly omits strides and dilations
    of 1, zero padding, and a single group.

    Constraints:
    - C1: the layouts of `input` and `output` name N, C and the spatial dims,
      that of `kernel` names O, I and the spatial dims, every letter once; all
      three have the same spatial dims: W, HW or DHW. The operands' ranks are
      those of their layouts.
    - C2: the operands have one element type, a float type.
    - C3: `strides`, `pad_low`, `pad_high` and `dilations` have an entry per
      spatial dim; strides and dilations are at least 1, no padding is negative.
    - C4: `groups` is at least 1 and divides the kernel's output channels.
    - C5: the input's channels are the kernel's input channels times `groups`.
    - C6: the bias has one dim, of the size of the kernel's output channels.
    - C7: the dilated kernel is no larger than the padded input.

    Special values:
    - S1: padding adds nothing to a sum where the weight on it is finite. Where
      that weight is infinite or NaN, padding adds either nothing or NaN; which
      of them is not specified, because libraries and kernels may skip padding
      or multiply zeros.
    - S2: a sum of zeros is a zero of either sign.

    Example:
    ```mlir
    %0 = tandem.conv %x, %w, %b
        layout = <input = "NWC", kernel = "WIO", output = "NWC"> pad_low = [1]
        : (tensor<?x100x1xf32>, tensor<3x1x32xf32>, tensor<32xf32>)
        -> tensor<?x99x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_Float:$kernel,
                       Optional<Tandem_Float>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
                       DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       Tandem_ConvLayoutAttr:$layout);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `,` $kernel (`,` $bias^)?
    custom<ConvAttributes>($layout, $strides, $pad_low, $pad_high, $dilations,
                           $groups)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_MatmulOp : Tandem_Op<"matmul", "MatmulAttrs",
                                [ContractionOpInterface]> {
  let summary = "Matrix product of the last two dims";
  let description = [{
    The dims before the last two are batch dims and broadcast as in NumPy.
    `transpose_lhs` and `transpose_rhs` swap the last two dims of an operand
    first.

    Constraints:
    - C1: the operands have at least two dims.
    - C2: the operands have one element type, not i1.
    - C3: the contracted dims have one size.
    - C4: the batch dims broadcast.

    Special values:
    - S1: products and sums of integers wrap around.
    - S2: a sum of zeros is a zero of either sign.

    Example:
    ```mlir
    %0 = tandem.matmul %a, %b transpose_rhs
        : (tensor<?x4x16xf32>, tensor<8x16xf32>) -> tensor<?x4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$lhs, Tandem_Numeric:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_WinogradKernelOp : Tandem_BaseOp<"winograd_kernel"> {
  let summary = "A convolution's kernel, and what Winograd's method makes of it";
  let description = [{
    The result is `kernel`. `transformed` is G k Gᵀ for every pair of input and
    output channel, where k is the 3×3 taps of `kernel` and G the 6×3 matrix of
    `Winograd.h`. A kernel that computes a convolution by Winograd's method
    reads `transformed` in place of `kernel`. It may do so for data whose
    magnitudes are at most `largest_data`; for larger data its products might
    overflow where those of the convolution do not.

    The runtime cannot execute this op: where it does not become part of a
    generated kernel, it is replaced by `kernel`.

    Constraints:
    - C1: `transformed` has the dims 6, 6, I and O, `kernel` the dims 3, 3, I
      and O.
    - C2: `largest_data` is finite and positive.

    Example:
    ```mlir
    %0 = tandem.winograd_kernel %k, %u largest_data = 1.0e+33
        : (tensor<3x3x16x32xf32>, tensor<6x6x16x32xf32>)
        -> tensor<3x3x16x32xf32>
    ```
  }];
  let arguments = (ins Tandem_TensorOf<[F32]>:$kernel,
                       Tandem_TensorOf<[F32]>:$transformed,
                       F32Attr:$largest_data);
  let results = (outs Tandem_TensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $kernel `,` $transformed `largest_data` `=` $largest_data attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TANDEM_DIALECT_CONTRACTIONOPS_TD
