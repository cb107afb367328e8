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

def AssignLayouts : Pass<"tandem-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Use channels-last layouts where that is faster";
  let description = [{
    Convolutions that are written with channels first (`NCHW`), and the ops
    around them, are computed with channels last (`NHWC`) where that is
    estimated to be faster. The estimate includes the times of convolutions and
    windows in either layout, and of the transposes between different layouts.
    The cheapest assignment over a function is found as a minimum cut. As a
    result, transposes cancel, move past elementwise ops, windows, pads, slices,
    concats, reductions and normalisations, and end where they cost least: at an
    argument or result, in a loop that reads or writes the value anyway, or in a
    constant. A convolution may read one layout and write the other, which pays
    with few input channels. The constant kernel of a grouped convolution with a
    channels-last result is transposed so that groups are adjacent. The types of
    arguments and results do not change. All types must be static.

    With `remarks`, the layouts chosen for every convolution are reported with
    their estimated costs. With `notes`, the function gets an attribute
    `tandem.layouts` for the fusion report, with the costs of convolutions, and
    the transposes that were inserted and removed.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w
        layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x64x9x9xf32>, tensor<64x64x2x2xf32>) -> tensor<1x64x8x8xf32>
    %1 = tandem.relu %0 : tensor<1x64x8x8xf32>
    %2 = tandem.reduce %1 kind = mean dims = [2, 3]
        : (tensor<1x64x8x8xf32>) -> tensor<1x64xf32>
    ```
    After:
    ```mlir
    %0 = tandem.transpose %x permutation = [0, 2, 3, 1]
        : (tensor<1x64x9x9xf32>) -> tensor<1x9x9x64xf32>
    %1 = tandem.conv %0, %w
        layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<1x9x9x64xf32>, tensor<64x64x2x2xf32>) -> tensor<1x8x8x64xf32>
    %2 = tandem.relu %1 : tensor<1x8x8x64xf32>
    %3 = tandem.reduce %2 kind = mean dims = [1, 2]
        : (tensor<1x8x8x64xf32>) -> tensor<1x64xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "Report the layouts of every convolution, and their costs.">,
    Option<"winograd", "winograd", "bool", "false",
           "Kernels may use Winograd's method, which requires channels last.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device that costs are estimated for: generic, host, the name "
           "of a built-in device description, the path of one, or its text.">,
    Option<"notes", "notes", "bool", "false",
           "Leave notes for the fusion report.">
  ];
}

def ChooseContractions : Pass<"tandem-cpu-choose-contractions"> {
  let summary = "Leave to the library the contractions that it computes faster";
  let description = [{
    Estimates the cost of each convolution and matrix product as a generated
    kernel (a loop, if each element takes few products) and as an op step of the
    library, after which the elementwise ops that follow need a kernel of their
    own. An op that is cheaper as a step gets the attribute `tandem.library`
    with both costs in nanoseconds, and `tandem-fuse` will not fuse it. With
    `how=generated` no op is marked, with `how=library` all are. With `notes`,
    ops that become kernels get their costs in the attribute `tandem.generated`,
    for the fusion report.

    Before:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x24xf32>)
        -> tensor<4x24xf32> {
      %0 = tandem.matmul %x, %w
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      return %0 : tensor<4x24xf32>
    }
    ```
    After, where the library is cheaper:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x24xf32>)
        -> tensor<4x24xf32> {
      %0 = tandem.matmul %x, %w {tandem.library = array<i64: 900, 600>}
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      return %0 : tensor<4x24xf32>
    }
    ```
  }];
  let options = [
    Option<"winograd", "winograd", "bool", "false",
           "Kernels may use Winograd's method.">,
    Option<"how", "how", "::tandem::Contractions",
           "::tandem::Contractions::predict",
           "Compute contractions with kernels or with the library: predict, "
           "generated or library.",
           "::tandem::ChoiceValues<::tandem::Contractions>()">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device that costs are estimated for: generic, host, the name "
           "of a built-in device description, the path of one, or its text.">,
    Option<"notes", "notes", "bool", "false",
           "Leave the costs of kernels for the fusion report.">
  ];
}

def PackWeights : Pass<"tandem-cpu-pack-weights"> {
  let summary = "Lay out the weights of contractions in blocks of columns";
  let description = [{
    A contraction is computed for one block of output channels (or columns) at a
    time, and reads the weights of a block in order if they are packed. Packed
    weights have the layout `[groups][blocks][spatial...][input
    channels][block]` for a convolution with any kernel layout, and
    `[blocks][rows][block]` for the right operand of a matrix product. The last
    blocks are filled up with zeros. Constants are packed by this pass; weights
    that are known only at run time are packed by a kernel of their own, once
    for all kernels that read them. The fusion sees the plain weights through
    views (transpose, reshape, slice), which code generation turns into strides.

    Before:
    ```mlir
    %0 = tandem.fusion contraction (%a = %x, %b = %w)
        : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32> {
      %1 = tandem.matmul %a, %b
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      tandem.yield %1 : tensor<4x24xf32>
    }
    ```
    After, in blocks of 16 columns:
    ```mlir
    %p = tandem.fusion loop (%b = %w)
        : (tensor<8x24xf32>) -> tensor<2x8x16xf32> {
      %1 = tandem.pad %b low = [0, 0] high = [0, 8] interior = [0, 0] value = 0.0
          : (tensor<8x24xf32>) -> tensor<8x32xf32>
      %2 = tandem.reshape %1 shape = [8, 2, 16]
          : (tensor<8x32xf32>) -> tensor<8x2x16xf32>
      %3 = tandem.transpose %2 permutation = [1, 0, 2]
          : (tensor<8x2x16xf32>) -> tensor<2x8x16xf32>
      tandem.yield %3 : tensor<2x8x16xf32>
    }
    %0 = tandem.fusion contraction (%a = %x, %b = %p)
        : (tensor<4x8xf32>, tensor<2x8x16xf32>) -> tensor<4x24xf32> {
      %1 = tandem.transpose %b permutation = [1, 0, 2]
          : (tensor<2x8x16xf32>) -> tensor<8x2x16xf32>
      %2 = tandem.reshape %1 shape = [8, 32]
          : (tensor<8x2x16xf32>) -> tensor<8x32xf32>
      %3 = tandem.slice %2 starts = [0, 0] limits = [8, 24] strides = [1, 1]
          : (tensor<8x32xf32>) -> tensor<8x24xf32>
      %4 = tandem.matmul %a, %3
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      tandem.yield %4 : tensor<4x24xf32>
    }
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"block", "block", "int64_t", "0",
           "Columns of a block; 0 for the number that the contraction's "
           "strategy chooses.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device to plan for, as of tandem-cpu-choose-contractions.">
  ];
}

def TransformWeights : Pass<"tandem-cpu-transform-weights"> {
  let summary = "Transform the weights of convolutions for Winograd's method";
  let description = [{
    A convolution with 3x3 taps, strides and dilations of 1 and channels last
    takes a quarter of the multiplications with Winograd's method F(4x4, 3x3).
    If its kernel is a constant and the transforms cost less than the
    multiplications saved, this pass transforms the kernel, in f64, to the
    layout `[blocks][6][6][input channels][block]`. The plain kernel is packed
    in the same blocks, for tiles with data for which the method would not be
    accurate. The fusion sees both through views and the op
    `tandem.winograd_kernel`, which makes code generation use the method. A
    kernel that is not finite, or whose transform could overflow, is left as it
    is.

    Before:
    ```mlir
    %w = tandem.constant dense<1.0> : tensor<3x3x64x64xf32>
    %0 = tandem.fusion contraction (%a = %x, %b = %w)
        : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
        -> tensor<1x54x54x64xf32> {
      %1 = tandem.conv %a, %b
          layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
          : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
          -> tensor<1x54x54x64xf32>
      tandem.yield %1 : tensor<1x54x54x64xf32>
    }
    ```
    After, in blocks of 32 outputs:
    ```mlir
    %p = tandem.constant dense_resource<packed> : tensor<2x3x3x64x32xf32>
    %u = tandem.constant dense_resource<transformed>
        : tensor<2x6x6x64x32xf32>
    %0 = tandem.fusion contraction (%a = %x, %b = %p, %c = %u)
        : (tensor<1x56x56x64xf32>, tensor<2x3x3x64x32xf32>,
           tensor<2x6x6x64x32xf32>) -> tensor<1x54x54x64xf32> {
      %1 = tandem.transpose %b permutation = [1, 2, 3, 0, 4]
          : (tensor<2x3x3x64x32xf32>) -> tensor<3x3x64x2x32xf32>
      %2 = tandem.reshape %1 shape = [3, 3, 64, 64]
          : (tensor<3x3x64x2x32xf32>) -> tensor<3x3x64x64xf32>
      %3 = tandem.transpose %c permutation = [1, 2, 3, 0, 4]
          : (tensor<2x6x6x64x32xf32>) -> tensor<6x6x64x2x32xf32>
      %4 = tandem.reshape %3 shape = [6, 6, 64, 64]
          : (tensor<6x6x64x2x32xf32>) -> tensor<6x6x64x64xf32>
      %5 = tandem.winograd_kernel %2, %4 largest_data = 1.0e+33
          : (tensor<3x3x64x64xf32>, tensor<6x6x64x64xf32>)
          -> tensor<3x3x64x64xf32>
      %6 = tandem.conv %a, %5
          layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
          : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
          -> tensor<1x54x54x64xf32>
      tandem.yield %6 : tensor<1x54x54x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"how", "how", "::tandem::Winograd", "::tandem::Winograd::automatic",
           "When to use Winograd's method. auto: where it is estimated to "
           "pay; always: where it is possible; never.",
           "::tandem::ChoiceValues<::tandem::Winograd>()">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device to plan for, as of tandem-cpu-choose-contractions.">
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
    element; `close-mask` stores no tails. `FAULT@N` changes the N-th place
    after the default one instead. A kernel without such a place is left as it
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
                           "::mlir::LLVM::LLVMDialect"];
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

#endif // TANDEM_TARGET_CPU_PASSES
