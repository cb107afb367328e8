//===- Passes.td - Kernels from linalg to LLVM ----------*- tablegen -*----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES
#define TANDEM_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CPUKernelSignature
    : Pass<"tandem-cpu-kernel-signature", "::mlir::func::FuncOp"> {
  let summary = "Give a kernel destinations and a range of its outermost loop";
  let description = [{
    Results become `memref` arguments into which they are materialised, collapsed
    views of arguments become arguments of their own (pointers are all that is
    passed, so a view costs nothing), and two `index` arguments give the range
    of the outermost parallel loop that a call computes. `tandem.abi_slots` maps
    the pointer arguments to the kernel's operands and results.

    Before:
    ```mlir
    func.func @k(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
          -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @k(%x: tensor<8xf32>, %out: memref<8xf32>, %begin: index,
                 %end: index)
        attributes {tandem.abi_slots = array<i64: 0, 1>} {
      %e = tensor.empty() : tensor<8xf32>
      %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
          -> tensor<8xf32>
      bufferization.materialize_in_destination %r in restrict writable %out
          : (tensor<8xf32>, memref<8xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CPUBufferizeKernel
    : Pass<"tandem-cpu-bufferize-kernel", "::mlir::ModuleOp"> {
  let summary = "One-shot bufferise a kernel module, in place in its results";
  let description = [{
    Eliminates empty tensors in favour of the destinations, bufferises with
    identity layouts and drops copies of a buffer onto itself.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CPUKernelLoops : Pass<"tandem-cpu-kernel-loops", "::mlir::func::FuncOp"> {
  let summary = "Loops over a range of the outermost parallel dim";
  let description = [{
    Each `linalg.generic` becomes a nest of `scf.for`. Leading loops are merged
    until there are enough iterations to share out, the innermost stays as it is
    for the vectoriser. The outermost runs over the kernel's `[begin, end)`; the
    nests of a kernel with several lie one behind the other in that range.
    `tandem.extent` is the number of iterations, `tandem.grain` the fewest that
    are worth a task.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def CPUExpandScalars
    : Pass<"tandem-cpu-expand-scalars", "::mlir::func::FuncOp"> {
  let summary = "Expand math to polynomials and affine ops to arithmetic";
  let description = [{
    Functions of f32 become polynomials, which LLVM vectorises, instead of calls
    of libm; f64 keeps the calls. affine.apply and index ops become arith.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CPUKernelToLLVM : Pass<"tandem-cpu-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert a kernel module to the LLVM dialect and the kernel ABI";
  let description = [{
    Converts all that is left to the LLVM dialect. Buffers are bare pointers,
    `noalias`; the function becomes internal and is called by one of the ABI's
    signature, `void k(ptr args, i64 begin, i64 end)`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TANDEM_TARGET_CPU_PASSES
