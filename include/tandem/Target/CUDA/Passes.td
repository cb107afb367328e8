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

def MapKernelToThreads : Pass<"map-kernel-to-threads", "::mlir::ModuleOp"> {
  let summary = "Map a kernel's iteration space to CUDA blocks and threads";
  let description = [{
    Rewrites each kernel of the module from the form that phase `linalg` leaves
    (static tensors; `linalg.generic` ops, of which those of a loop kernel have
    parallel iterators only, and those of a reduction kernel are its stages;
    bodies of arith, math, `linalg.index`, `affine.apply`, `tensor.extract` and
    scf) to the code of one thread. Operands and results become 1-D memrefs, and the
    points of the iteration space are numbered in row-major order over a 1-D
    grid. The function's attributes `blocks` and `threads` say how to launch it,
    and `wide_index` that some index may need more than 32 bits.

    Where a power of two divides the size of the innermost dim (or of the whole
    of a contiguous space), a thread computes consecutive elements, as many as
    are 16 bytes of the narrowest type, and loads and stores them as one vector.

    What a loop reads across its rows goes through a tile in shared memory, so
    that rows are read and written in order.

    Rows that are reduced are shared out among the lanes of a warp or the
    threads of a block, which combine their parts by shuffles and through shared
    memory; a row that fits stays in their registers from the first stage to the
    last. Columns are lanes side by side, and groups of lanes share their rows.

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
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "Number of threads of a "
                                                   "block.">,
    Option<"vectorize", "vectorize", "bool", "true",
           "Compute several elements per thread where the shape allows.">
  ];
}

#endif // TANDEM_TARGET_CUDA_PASSES
