//===- Passes.td - Kernels to code for the CPU -----------*- tablegen -*---===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES
#define TANDEM_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def LowerKernelToLoops : Pass<"tandem-cpu-lower-kernel", "::mlir::ModuleOp"> {
  let summary = "Lower a kernel on tensors to vector loops over pointers";
  let description = [{
    Turns the function of a kernel module, in the form that phase `linalg`
    leaves (one or more `linalg.generic` with parallel iterators), into

    - `NAME.body`, with a `noalias` pointer per operand and result and a range
      [begin, end) of the outermost parallel loop, and
    - `NAME`, which takes the pointers in an array, as the runtime calls it.

    The outermost loops become one that can be shared out; a long innermost loop
    is cut into blocks for it. The innermost loop runs over vectors that are
    emitted here, with a masked remainder; its body's uniform parts stay scalar.
    Intermediate buffers are not needed: a kernel has none.

    Attributes of the module tell what the runtime needs: `tandem.extent` and
    `tandem.grain`, in iterations of the outermost loop.

    Before:
    ```mlir
    module @k {
      func.func @k(%x: tensor<64xf32>) -> tensor<64xf32> {
        %e = tensor.empty() : tensor<64xf32>
        %r = linalg.generic {indexing_maps = [#id, #id],
                             iterator_types = ["parallel"]}
            ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
        ^bb0(%a: f32, %o: f32):
          %n = arith.negf %a : f32
          linalg.yield %n : f32
        } -> tensor<64xf32>
        return %r : tensor<64xf32>
      }
    }
    ```
    After, shortened:
    ```mlir
    llvm.func internal @k.body(%x: !llvm.ptr {llvm.noalias},
                               %r: !llvm.ptr {llvm.noalias},
                               %begin: i64, %end: i64) {
      scf.for %block = %begin to %end step %c1 {
        scf.for %i = %first to %last step %c32 {
          %p = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %v = llvm.load %p : !llvm.ptr -> vector<32xf32>
          %n = arith.negf %v : vector<32xf32>
          ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512",
           "Bits of a vector register.">
  ];
}

def ExpandMath : Pass<"tandem-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions of f32 by polynomials";
  let description = [{
    Functions of f32 scalars and vectors become arithmetic that vectorises, with
    errors of a few units in the last place; what has no such expansion stays.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerLoopsToLLVM : Pass<"tandem-cpu-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert vector loops over pointers to the LLVM dialect";
  let description = [{
    Converts scf, arith, math and vector ops in LLVM functions. Functions of
    `math` for which LLVM has no accurate code become calls of libm.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TANDEM_TARGET_CPU_PASSES
