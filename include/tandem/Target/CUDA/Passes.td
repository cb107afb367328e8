//===- Passes.td - Passes on kernels for NVIDIA GPUs ------*- tablegen -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CUDA_PASSES
#define TANDEM_TARGET_CUDA_PASSES

include "mlir/Pass/PassBase.td"

def CUDAFitBytes : Pass<"tandem-cuda-fit-bytes", "::mlir::func::FuncOp"> {
  let summary = "Fit contractions of 8-bit integers to cuBLASLt and cuDNN";
  let description = [{
    Changes contractions of integers of 8 bits whose weights are constant, so
    that cuBLASLt or cuDNN can execute them. The results stay the same. Ops that
    become kernels, and ops that the libraries do not support, are not changed.
    Neither are convolutions with groups or with padding.

    - The weights of a product are transposed, so that the elements of a sum are
      adjacent in memory. They become the right operand, with `transpose_rhs`.
    - Data of ui8 becomes i8 by subtracting 128, and 128 times the sum of the
      weights is added to the result.

    Before:
    ```mlir
    %w = tandem.constant dense<1> : tensor<512x4xi8>
    %0 = tandem.matmul %x, %w widen : (tensor<2x512xui8>, tensor<512x4xi8>) -> tensor<2x4xi32>
    ```
    After:
    ```mlir
    %w = tandem.constant dense<1> : tensor<4x512xi8>
    %upper = tandem.constant dense<128> : tensor<ui8>
    %0 = tandem.bitwise_xor %x, %upper : (tensor<2x512xui8>, tensor<ui8>) -> tensor<2x512xui8>
    %1 = tandem.bitcast %0 : (tensor<2x512xui8>) -> tensor<2x512xi8>
    %sums = tandem.constant dense<65536> : tensor<1x4xi32>
    %2 = tandem.matmul %1, %w transpose_rhs widen : (tensor<2x512xi8>, tensor<4x512xi8>) -> tensor<2x4xi32>
    %3 = tandem.add %2, %sums : (tensor<2x4xi32>, tensor<1x4xi32>) -> tensor<2x4xi32>
    ```
  }];
}

def MapKernelToThreads : Pass<"map-kernel-to-threads", "::mlir::ModuleOp"> {
  let summary = "Map a kernel's iteration space to CUDA blocks and threads";
  let description = [{
    Rewrites each kernel of the module to the code of one thread. The input is a
    kernel in the form that phase `linalg` produces:
    - All tensors are static.
    - The kernel consists of `linalg.generic` ops. In a loop kernel, these ops
      have only parallel iterators. In a reduction kernel, these ops are the
      stages of the reduction.
    - The bodies consist of arith, math and scf ops, `linalg.index`,
      `affine.apply` and `tensor.extract`.

    A contraction kernel also contains the contraction. Sums of products of four
    8-bit integers become an `emitc.call_opaque` on integers of 32 bits, because
    no other dialect has such an op.

    Operands and results become 1-D memrefs. The points of the iteration space
    are numbered in row-major order over a 1-D grid. The function attributes
    `blocks` and `threads` hold the launch dimensions. The attribute
    `wide_index` is set if an index may need more than 32 bits.

    A thread can compute several consecutive elements, which it loads and stores
    as vectors. With the narrowest element type of the kernel, these elements
    have at most 16 bytes. Their number is a power of two that divides the size
    of the innermost dim, or the size of the whole iteration space if that space
    is contiguous.

    If a loop reads a tensor across the rows of the tensor, the reads go through
    a tile in shared memory. Rows are then read and written in memory order.

    If rows are reduced, the elements of a row are distributed over the lanes of
    a warp or over the threads of a block. The threads combine their partial
    results by shuffles and through shared memory. If a row fits into the
    registers of these threads, the row stays in registers from the first stage
    to the last. If columns are reduced, adjacent lanes compute adjacent
    columns, and several groups of lanes divide the rows among themselves.

    Before:
    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @scale(%x: tensor<100xf32>) -> tensor<100xf32> {
      %e = tensor.empty() : tensor<100xf32>
      %r = linalg.generic {indexing_maps = [#id, #id],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) {
      ^bb0(%a: f32, %o: f32):
        %m = arith.addf %a, %a : f32
        linalg.yield %m : f32
      } -> tensor<100xf32>
      return %r : tensor<100xf32>
    }
    ```
    After:
    ```mlir
    func.func @scale(%in0: memref<100xf32>, %out: memref<100xf32>)
        attributes {blocks = 1 : i64, threads = 256 : i64} {
      %c100 = arith.constant 100 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %c256 = arith.constant 256 : index
      %0 = arith.muli %b, %c256 overflow<nsw> : index
      %i = arith.addi %0, %t overflow<nsw> : index
      %in = arith.cmpi slt, %i, %c100 : index
      scf.if %in {
        %a = memref.load %in0[%i] : memref<100xf32>
        %m = arith.addf %a, %a : f32
        memref.store %m, %out[%i] : memref<100xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::emitc::EmitCDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "The number of threads per "
                                                   "block.">,
    Option<"vectorize", "vectorize", "bool", "true",
           "Compute several elements per thread if the shape allows it.">
  ];
}

#endif // TANDEM_TARGET_CUDA_PASSES
