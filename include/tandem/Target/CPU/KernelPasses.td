//===- KernelPasses.td - Kernels to code for the CPU ----- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_KERNELPASSES
#define TANDEM_TARGET_CPU_KERNELPASSES

include "mlir/Pass/PassBase.td"

def LowerKernelToLoops : Pass<"tandem-cpu-lower-kernel", "::mlir::ModuleOp"> {
  let summary = "Lower a kernel on tensors to vector loops over pointers";
  let description = [{
    Turns the function of a kernel module, in the form that phase `linalg`
    leaves (one or more `linalg.generic` with parallel iterators), into

    - `NAME.body`, with a `noalias` pointer per operand and result and a range
      [begin, end) of the outermost parallel loop, and
    - `NAME`, a `KernelFn`, as the runtime calls it.

    The outermost loops become one that can be shared out; a long innermost loop
    is cut into blocks for it. The innermost loop runs over vectors that are
    emitted here, with a masked remainder; its body's uniform parts stay scalar.

    In a kernel of kind reduction all ops run for one row, or a block of columns,
    before the next: what these are reduced to stays in registers, and what is
    stored between ops is as small as a row. A kernel's scratch memory is in its
    frame as long as it is small, and else in the workspace that the runtime gives
    each of its tasks.

    Attributes of the module tell what the runtime needs: `tandem.extent` and
    `tandem.grain`, in iterations of the outermost loop, `tandem.workspace`, in
    bytes, and `tandem.in_place`, pairs of an operand and a result that may be one
    memory: the operand's element is read just before the result's is written
    there or, by reductions, earlier in the same iteration. Such pointers are not `noalias`.

    Before:
    ```mlir
    #id = affine_map<(d0) -> (d0)>
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
    After:
    ```mlir
    module @k attributes {tandem.extent = 1 : i64, tandem.grain = 1 : i64,
                          tandem.in_place = array<i64: 0, 0>} {
      llvm.func internal @k.body(%x: !llvm.ptr {llvm.readonly},
                                 %r: !llvm.ptr {llvm.writeonly},
                                 %begin: i64, %end: i64)
          attributes {no_inline} {
        %first = arith.index_cast %begin : i64 to index
        %last = arith.index_cast %end : i64 to index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c32 = arith.constant 32 : index
        %c64 = arith.constant 64 : index
        %c4096 = arith.constant 4096 : index
        scf.for %block = %first to %last step %c1 {
          %from = arith.muli %block, %c4096 overflow<nsw> : index
          %next = arith.addi %from, %c4096 overflow<nsw> : index
          %to = arith.minsi %next, %c64 : index
          scf.for %i = %from to %to step %c32 {
            %offset = arith.index_cast %i : index to i64
            %px = llvm.getelementptr inbounds %x[%offset]
                : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %v = llvm.load %px {alignment = 4 : i64}
                : !llvm.ptr -> vector<32xf32>
            %n = arith.negf %v : vector<32xf32>
            %pr = llvm.getelementptr inbounds %r[%offset]
                : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %n, %pr {alignment = 4 : i64}
                : vector<32xf32>, !llvm.ptr
          }
        }
        llvm.return
      }
      llvm.func @k(%buffers: !llvm.ptr, %begin: i64, %end: i64) {
        %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
        %slot = llvm.getelementptr %buffers[1]
            : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
        %r = llvm.load %slot : !llvm.ptr -> !llvm.ptr
        llvm.call @k.body(%x, %r, %begin, %end)
            : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512",
           "Bits of a vector register.">,
    Option<"bf16", "bf16", "bool", "false",
           "Multiply and add pairs of bf16 by the instruction of AVX-512 BF16.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The machine to plan for, as of tandem-cpu-choose-contractions, but for what the other options say.">
  ];
}

def ExpandMath : Pass<"tandem-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Functions of scalars and vectors of f32 and f64 become arithmetic that
    vectorises: exp, expm1, log, log1p, powf, tanh, erf, sin and cos, with errors
    of at most 2 units in the last place; 1 + erf(x) and 1 + tanh(x), which gelu
    is made of, with one of at most 2 units in the last place of 1. Of sin and
    cos, libm computes vectors with an argument beyond 2^17 (f32) or 2^27 (f64).
    Casts to and from bf16 become integer arithmetic. What has no expansion
    stays.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"avx512", "avx512", "bool", "false",
           "Use instructions of AVX-512: tables in registers, multiplication by "
           "powers of two.">,
    Option<"fma", "fma", "bool", "true",
           "Expand functions; without fused multiply-adds, which are a call each "
           "then, they are left to libm.">,
    Option<"stock", "stock", "bool", "false",
           "Use upstream's expansions alone, for comparison.">
  ];
}

def MutateKernel : Pass<"tandem-cpu-mutate-kernel", "::mlir::ModuleOp"> {
  let summary = "Spoil one kind of kernel, to see whether a check notices";
  let description = [{
    `mutant` is FORM:DTYPE:FAULT. Of a kernel of that `tandem.form` and
    `tandem.dtype`, one place is spoilt: `zero-results` stores zeros,
    `zero-last-store` does so in the last of several stores, `reverse-lanes` turns
    the first vector that is stored, `drop-task`, `drop-step` and `drop-row` leave
    out the last iteration of the outermost loop, of the last one that sums, and
    of the first one within another that does not; `drop-product` leaves out a
    product, `shift-load` loads an element's neighbour, `close-mask` stores no
    tails. `FAULT@N` spoils the N-th place after that instead. A kernel that has
    no such place stays as it is. The mutant `list` spoils nothing and names the
    mutants that have a place, N up to 3.

    Before, `zero-results` on a kernel of form `loop`:
    ```mlir
    module attributes {tandem.form = "loop", tandem.dtype = "f32"} {
      llvm.func @k.body(%arg0: !llvm.ptr {llvm.writeonly}, %arg1: f32) {
        llvm.store %arg1, %arg0 : f32, !llvm.ptr
        llvm.return
      }
    }
    ```
    After:
    ```mlir
    module attributes {tandem.form = "loop", tandem.dtype = "f32"} {
      llvm.func @k.body(%arg0: !llvm.ptr {llvm.writeonly}, %arg1: f32) {
        %cst = arith.constant 0.000000e+00 : f32
        llvm.store %cst, %arg0 : f32, !llvm.ptr
        llvm.return
      }
    }
    ```

    A build with `TANDEM_MUTANTS` runs it on every kernel, with what the variable
    TANDEM_MUTATE says (`utils/mutants.py`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"mutant", "mutant", "std::string", "\"\"", "FORM:DTYPE:FAULT.">
  ];
}

def SoftenBF16 : Pass<"tandem-cpu-soften-bf16", "::mlir::ModuleOp"> {
  let summary = "Hold bf16 in integers";
  let description = [{
    For processors without instructions of bf16, on which LLVM calls functions
    that not every libgcc has even to move single elements: values of bf16
    become i16. After `tandem-expand-math` nothing computes with them; what does
    is refused.

    ```mlir
    func.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
      %0 = llvm.load %from : !llvm.ptr -> vector<8xbf16>
      llvm.store %0, %to : vector<8xbf16>, !llvm.ptr
      return
    }
    ```
    becomes
    ```mlir
    func.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
      %0 = llvm.load %from : !llvm.ptr -> vector<8xi16>
      llvm.store %0, %to : vector<8xi16>, !llvm.ptr
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def LowerLoopsToLLVM : Pass<"tandem-cpu-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert vector loops over pointers to the LLVM dialect";
  let description = [{
    Converts scf, arith, math and vector ops in LLVM functions. Functions of
    `math` for which LLVM has no accurate code become calls of libm.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // TANDEM_TARGET_CPU_KERNELPASSES
