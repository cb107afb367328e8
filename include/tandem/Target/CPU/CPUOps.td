//===- CPUOps.td - The dialect of the CPU's target ------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CPUOPS_TD
#define TANDEM_TARGET_CPU_CPUOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

def TandemCPU_Dialect : Dialect {
  let name = "tandem_cpu";
  let summary = "Operations that only the CPU target uses";
  let description = [{
    The passes of the CPU target create these ops, and the target's code
    generation reads them. No importer creates them, and the runtime cannot
    execute them. An op on tensors that does not become part of a generated
    kernel is replaced, either by one of its operands (`IdentityOpInterface`) or
    by ops that the runtime can execute (`ScaledWeightsOpInterface`). Ops on
    vectors exist only inside of kernels.
  }];
  let cppNamespace = "::tandem::cpu";
}

def TandemCPU_WinogradKernelOp : Op<TandemCPU_Dialect, "winograd_kernel",
    [Pure, DeclareOpInterfaceMethods<IdentityOpInterface>]> {
  let summary = "A convolution's weights with their Winograd transform";
  let description = [{
    The result of this op is `kernel`, the weights of a convolution.
    `transformed` holds the matrix G k Gᵀ for each pair of input and output
    channel. Here, k is the 3×3 matrix of taps in `kernel`, and G is the 6×3
    matrix in `WinogradKernel.cpp`. A generated kernel that computes the
    convolution by Winograd's method reads `transformed` instead of `kernel`.
    The generated kernel may use the method if all magnitudes in the data are at
    most `largest_data`. For larger data, the products of the method might
    overflow although the products of the convolution do not.

    Constraints:
    - C1: `transformed` has the dims 6, 6, I and O. `kernel` has the dims 3, 3,
      I and O.
    - C2: `largest_data` is finite and positive.

    Example:
    ```mlir
    %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 1.0e+33
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

def TandemCPU_ScaleWeightsOp : Op<TandemCPU_Dialect, "scale_weights",
    [Pure, DeclareOpInterfaceMethods<ScaledWeightsOpInterface>]> {
  let summary = "Weights that are products of integers and scales of blocks";
  let description = [{
    result[i, o] = values[i, o] * scales[i / block, o], where i is the input of
    a matrix product and o is its output. A generated kernel reads the integers
    from memory, and converts and multiplies them in registers.

    Constraints:
    - C1: `values` and the result have the same dims I and O. `scales` has the
      dims ceil(I / block) and O.
    - C2: `block` is positive.

    Example:
    ```mlir
    %0 = tandem_cpu.scale_weights %q, %s block = 32
        : (tensor<100x64xi8>, tensor<4x64xf32>) -> tensor<100x64xf32>
    ```
  }];
  let arguments = (ins Tandem_TensorOf<[I8]>:$values,
                       Tandem_TensorOf<[F32]>:$scales,
                       I64Attr:$block);
  let results = (outs Tandem_TensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $values `,` $scales `block` `=` $block attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TandemCPU_UnpackIntegersOp : Op<TandemCPU_Dialect, "unpack_integers",
    [Pure, DeclareOpInterfaceMethods<UnpackedIntegersOpInterface>]> {
  let summary = "Integers of 4 bits, two of which are in a byte";
  let description = [{
    The lower 4 bits of each byte are an integer from -8 to 7, and so are the
    upper 4 bits. The innermost dim of the result has first the integers of the
    lower bits, in the order of the bytes, and then those of the upper bits:

      result[..., j]            = lower 4 bits of bytes[..., j]
      result[..., size / 2 + j] = upper 4 bits of bytes[..., j]

    A generated kernel reads the bytes from memory, and unpacks the integers in
    registers: a vector of bytes becomes two vectors of outputs of a register
    tile.

    Constraints:
    - C1: the result has the dims of `bytes`, but the innermost dim, of which
      there is at least one, is twice as large.

    Example:
    ```mlir
    %0 = tandem_cpu.unpack_integers %b
        : (tensor<2x100x32xi8>) -> tensor<2x100x64xi8>
    ```
  }];
  let arguments = (ins Tandem_TensorOf<[I8]>:$bytes);
  let results = (outs Tandem_TensorOf<[I8]>:$result);
  let assemblyFormat = [{
    $bytes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TandemCPU_LookUpBytesOp : Op<TandemCPU_Dialect, "look_up_bytes",
    [Pure, AllTypesMatch<["bytes", "result"]>]> {
  let summary = "Reads bytes of a table of 256 bytes";
  let description = [{
    Each byte of `bytes`, as an unsigned number, is the index of a byte of the
    table. `tandem-expand-math` replaces this op by instructions that find bytes
    in registers (vpermi2b of AVX-512 VBMI, or vpshufb), or by loads if the
    processor has no such instruction.

    The table must not change while the kernel runs.
  }];
  let arguments = (ins LLVM_AnyPointer:$table,
                       VectorOfRankAndType<[1], [I8]>:$bytes);
  let results = (outs VectorOfRankAndType<[1], [I8]>:$result);
  let assemblyFormat = [{
    $table `,` $bytes attr-dict `:` type($table) `,` type($bytes)
  }];
}

#endif // TANDEM_TARGET_CPU_CPUOPS_TD
