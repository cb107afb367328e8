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
    The input is a kernel module in the form that phase `linalg` produces, with
    one or more `linalg.generic` ops. The pass converts the function of the
    module to two functions:

    - `NAME.body` has a `noalias` pointer per operand and result, and a range
      [begin, end) of the outermost parallel loop.
    - `NAME` is a `KernelFn`, which the runtime calls.

    The outermost loops are merged into one loop that can be divided among
    threads. If the merged loop includes a long innermost loop, the innermost
    loop is divided into blocks. The innermost loop runs over vectors, with a
    masked remainder. Values that are the same in all lanes remain scalars.

    In a kernel of kind reduction, all ops run for one row, or for one block of
    columns, before the next one. Reductions stay in registers, and a value that
    is stored between two ops has at most the size of a row. Small scratch
    memory of a kernel is on the stack. Larger scratch memory is in the
    workspace that the runtime passes to each task.

    Attributes of the module hold the information that the runtime needs:
    - `tandem.extent` and `tandem.grain`, in iterations of the outermost loop.
    - `tandem.workspace`, in bytes.
    - `tandem.in_place`, the pairs of an operand and a result that may share
      memory. In such a pair, an element of the operand is read just before the
      same element of the result is written or, in reductions, earlier in the
      same iteration. The pointers of such a pair are not `noalias`.

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
    "::mlir::LLVM::LLVMDialect", "::tandem::cpu::TandemCPUDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512",
           "The width of a vector register, in bits.">,
    Option<"bf16", "bf16", "bool", "false",
           "Use the AVX-512 BF16 instruction that multiplies and adds pairs of "
           "bf16 numbers.">,
    Option<"vnni", "vnni", "bool", "false",
           "Use the instruction of AVX-VNNI and AVX-512 VNNI that multiplies "
           "and adds quads of integers of 8 bits.">,
    Option<"wordPairs", "word-pairs", "bool", "false",
           "Use the instruction that multiplies and adds pairs of integers of "
           "16 bits.">,
    Option<"amxInt8", "amx-int8", "bool", "false",
           "Use the instructions of AMX that multiply tiles of integers of 8 "
           "bits.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device to plan for, in the form of the same option of "
           "tandem-cpu-choose-contractions. The other options of this pass "
           "determine the vectors and instructions.">
  ];
}

def ExpandMath : Pass<"tandem-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Expands math functions on scalars and vectors of f32 and f64 to arithmetic
    that can be vectorized. The errors of exp, expm1, log, log1p, powf, tanh,
    erf, sin and cos are at most 2 units in the last place. 1 + erf(x) and 1 +
    tanh(x), which occur in gelu, have an absolute error of at most 2 units in
    the last place of the number 1. If a vector has an element with a magnitude
    above 2^17 (f32) or 2^27 (f64), libm computes sin and cos of the vector.
    Casts to and from bf16 become integer arithmetic, and
    `tandem_cpu.look_up_bytes` becomes instructions or loads. Ops without an
    expansion are not changed.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"avx512", "avx512", "bool", "false",
           "Use AVX-512 instructions for tables in registers and for "
           "multiplication by powers of two.">,
    Option<"vbmi", "vbmi", "bool", "false",
           "Use the instruction of AVX-512 VBMI that finds bytes in registers "
           "by index.">,
    Option<"shuffledBytes", "shuffled-bytes", "int64_t", "0",
           "The number of bytes of a register in which vpshufb finds bytes by "
           "index: 32, 64, or 0 if vpshufb is not used.">,
    Option<"fma", "fma", "bool", "true",
           "Expand functions. Disable this option for a processor without "
           "fused multiply-adds, on which every fused multiply-add would be a "
           "call. libm then computes the functions.">,
    Option<"stock", "stock", "bool", "false",
           "Use only the expansions of upstream MLIR, for comparison.">
  ];
}

def MutateKernel : Pass<"tandem-cpu-mutate-kernel", "::mlir::ModuleOp"> {
  let summary = "Insert a fault into one kind of kernel, to test the checks";
  let description = [{
    The option `mutant` has the form FORM:DTYPE:FAULT. The pass inserts the
    fault into each kernel with that `tandem.form` and `tandem.dtype`. A mutant
    changes one place in a kernel, except that `zero-results` and `close-mask`
    change all stores.

    The following faults change stores, loops, products or loads:
    - `zero-results` replaces all stored results by zeros.
    - `zero-last-store` replaces the results of the last of several stores by
      zeros.
    - `reverse-lanes` reverses the lanes of the first stored vector.
    - `drop-task` omits the last iteration of the outermost loop.
    - `drop-step` omits the last iteration of the last loop that sums.
    - `drop-row` omits the last iteration of the first inner loop that does not
      sum.
    - `drop-product` omits a product from a sum of products, or the products of
      an instruction that multiplies and adds integers of 8 bits.
    - `shift-load` loads a neighbor of an element instead of the element.
    - `close-mask` omits the stores of tails.
    - `narrow-mask` omits the last lane of each tail.

    The following faults change a rounding to 16 bits:
    - `skip-rounding` omits a rounding whose result the same kernel reads again.
    - `saturate` replaces an f16 infinity by the largest f16 number.
    - `overflow-early` replaces f16 numbers of at least 2^15 in magnitude by
      infinities.
    - `flush-subnormals` replaces subnormal f16 numbers by zero.
    - `round-coarsely` keeps only two fraction bits.

    The following faults change products of integers of 8 bits:
    - `saturate-products` limits the sum of the products of an instruction to 16
      bits, as `vpmaddubsw` does.
    - `swap-sign` reads signed integers as unsigned ones, or unsigned as signed.

    FAULT@N changes the N-th place after the default one instead. A kernel
    without such a place is not changed. The mutant `list` does not change any
    kernel. It prints the mutants for which a kernel has a place, for N up to 3.

    Before, with `zero-results` on a kernel of form `loop`:
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

    A build with `TANDEM_MUTANTS` runs this pass on every kernel. The
    environment variable TANDEM_MUTATE selects the mutant (`utils/mutants.py`).
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
  let summary = "Store bf16 values as integers";
  let description = [{
    Changes the type bf16 of values to i16, so that kernels move elements of
    bf16 as integers. With the type bf16, LLVM 22 converts an element even to
    move it. On processors without bf16 instructions, it calls functions that
    not every libgcc has. On processors with AVX-512 BF16, it broadcasts an
    element by `vcvtneps2bf16`, which replaces subnormal numbers by zeros.

    Calls of instructions, such as `vdpbf16ps`, keep the type bf16, and bitcasts
    convert their operands and results. After `tandem-expand-math`, no other op
    computes with bf16. The pass fails if an op does.

    Before:
    ```mlir
    func.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
      %0 = llvm.load %from : !llvm.ptr -> vector<8xbf16>
      llvm.store %0, %to : vector<8xbf16>, !llvm.ptr
      return
    }
    ```
    After:
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
    dialect. A math function for which LLVM cannot generate accurate code
    becomes a call of libm.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // TANDEM_TARGET_CPU_KERNELPASSES
