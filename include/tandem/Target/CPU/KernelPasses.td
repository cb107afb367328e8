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
    leaves (one or more `linalg.generic` ops), into two functions:

    - `NAME.body`, with a `noalias` pointer per operand and result and a range
      [begin, end) of the outermost parallel loop;
    - `NAME`, a `KernelFn`, which the runtime calls.

    The outermost loops are merged into one loop that can be divided among
    threads; if that includes a long innermost loop, it is divided into blocks.
    The innermost loop runs over vectors, with a masked remainder. Values that
    are the same in all lanes stay scalars.

    In a kernel of kind reduction, all ops run for one row, or a block of
    columns, before the next one. Their reductions stay in registers, and values
    that are stored between ops are as small as a row. Small scratch memory of a
    kernel is on the stack; larger memory is in the workspace that the runtime
    gives to each task.

    Attributes of the module hold what the runtime needs: `tandem.extent` and
    `tandem.grain`, in iterations of the outermost loop; `tandem.workspace`, in
    bytes; and `tandem.in_place`, the pairs of an operand and a result that may
    share memory. The operand's element of such a pair is read just before the
    result's is written there or, in reductions, earlier in the same iteration.
    The pointers of such pairs are not `noalias`.

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
           "Width of a vector register, in bits.">,
    Option<"bf16", "bf16", "bool", "false",
           "Multiply and add pairs of bf16 with the instruction of AVX-512 "
           "BF16.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device to plan for, as of tandem-cpu-choose-contractions; "
           "vectors and instructions are those of the other options.">
  ];
}

def ExpandMath : Pass<"tandem-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Expands math functions of scalars and vectors of f32 and f64 to arithmetic
    that vectorises. exp, expm1, log, log1p, powf, tanh, erf, sin and cos have
    errors of at most 2 units in the last place. 1 + erf(x) and 1 + tanh(x),
    which are parts of gelu, have errors of at most 2 units in the last place of
    1. sin and cos of a vector with an element beyond 2^17 (f32) or 2^27 (f64)
    are computed by libm. Casts to and from bf16 become integer arithmetic. Ops
    without an expansion are left as they are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"avx512", "avx512", "bool", "false",
           "Use AVX-512 instructions: tables in registers, multiplication by "
           "powers of two.">,
    Option<"fma", "fma", "bool", "true",
           "Expand functions. To be disabled on processors without fused "
           "multiply-adds, where each of these would be a call; functions "
           "are then left to libm.">,
    Option<"stock", "stock", "bool", "false",
           "Use only upstream's expansions, for comparison.">
  ];
}

def MutateKernel : Pass<"tandem-cpu-mutate-kernel", "::mlir::ModuleOp"> {
  let summary = "Insert a fault into one kind of kernel, to test the checks";
  let description = [{
    `mutant` is FORM:DTYPE:FAULT. A fault is inserted in one place of each
    kernel with that `tandem.form` and `tandem.dtype`. `zero-results` stores
    zeros; `zero-last-store` does so in the last of several stores;
    `reverse-lanes` reverses the first vector that is stored; `drop-task`,
    `drop-step` and `drop-row` omit the last iteration of the outermost loop, of
    the last loop that sums, and of the first inner loop that does not sum;
    `drop-product` omits a product; `shift-load` loads the neighbour of an
    element; `close-mask` stores no tails, and `narrow-mask` all but the last
    lane of a tail. The others spoil a rounding to 16 bits: `skip-rounding`
    leaves out one whose result the kernel reads again, `saturate` makes
    infinities of f16 its largest number, `overflow-early` makes numbers from
    2^15 on infinite, `flush-subnormals` makes subnormal numbers of f16 zeros,
    and `round-coarsely` keeps two binary digits. `FAULT@N` changes the N-th
    place after the default one instead. A kernel without such a place is left as it
    is. The mutant `list` changes nothing, and prints the mutants that have a
    place, for N up to 3.

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

    A build with `TANDEM_MUTANTS` runs this pass on every kernel, with the
    mutant that the environment variable TANDEM_MUTATE names
    (`utils/mutants.py`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect"];
  let options = [
    Option<"mutant", "mutant", "std::string", "\"\"", "The mutant: "
                                                      "FORM:DTYPE:FAULT.">
  ];
}

def SoftenBF16 : Pass<"tandem-cpu-soften-bf16", "::mlir::ModuleOp"> {
  let summary = "Hold bf16 in integers";
  let description = [{
    Values of type bf16 become i16. This is for processors without bf16
    instructions, for which LLVM would call functions that not every libgcc has,
    even to move single elements. After `tandem-expand-math` no op computes with
    bf16; the pass fails if one does.

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
    Converts scf, arith, math and vector ops in LLVM functions to the LLVM
    dialect. Math functions for which LLVM has no accurate code become calls of
    libm.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // TANDEM_TARGET_CPU_KERNELPASSES
