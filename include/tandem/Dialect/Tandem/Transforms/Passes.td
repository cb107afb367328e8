//===- Passes.td - Passes on the dialect ---------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TandemSpecialise : Pass<"tandem-specialise", "::mlir::ModuleOp"> {
  let summary = "Give a function's arguments static shapes and infer the rest";
  let description = [{
    Sets the argument types of one function to those of a signature and infers
    every other type anew. `shapes` has an entry per argument: its dims, as
    `1000x100x1`; `?` for a dim that another argument's dim of the same name
    (`tandem.dims`) settles; or nothing for an argument that is static already.
    Afterwards every type in the function is static.

    A shape that contradicts an argument's type, dims of one name with two
    sizes, a dim left unknown, an op whose constraints the shapes break and a
    tensor whose bytes overflow are errors at the argument or op.

    Before, with `shapes=8x4`:
    ```mlir
    func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]},
                    %y: tensor<?x4xf32> {tandem.dims = ["N", ""]})
        -> tensor<?x4xf32> {
      %0 = tandem.add %x, %y : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<8x4xf32> {tandem.dims = ["N", ""]},
                    %y: tensor<8x4xf32> {tandem.dims = ["N", ""]})
        -> tensor<8x4xf32> {
      %0 = tandem.add %x, %y : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"shapes", "shapes", "std::string",
               "Dims of each argument, in order.">,
    Option<"function", "function", "std::string", "\"main\"",
           "The function to specialise.">
  ];
}

def TandemSimplify : Pass<"tandem-simplify"> {
  let summary = "Fold, decompose and rearrange into fewer and cheaper ops";
  let description = [{
    Applies the ops' own folds and canonicalisations together with:

    - `batch_norm` of a convolution's only use, along its output channels:
      folded into the convolution's kernel and bias. Where all are constants
      this happens here; else in ops on the kernel, if the kernel has at most a
      quarter of the output's elements. Any other `batch_norm` becomes one
      multiplication and one addition with per-channel factors.
    - an addition of per-channel values to a convolution's only use: its bias;
    - `pow` with a constant 2, division by a constant power of two;
    - a transpose that moves dims of size 1 alone: a reshape;
    - a transpose of the last two dims under a `matmul`: its flag.

    Then it removes common subexpressions and dead ops. Types of half
    precision are normalised in f32.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x16x4xf32>, tensor<3x4x2xf32>) -> tensor<8x14x2xf32>
    %1 = tandem.batch_norm %0, %scale, %offset, %mean, %variance
        epsilon = 1.0e-5 axis = 2
        : (tensor<8x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>) -> tensor<8x14x2xf32>
    ```
    After, where scale, offset, mean, variance and %w are constants:
    ```mlir
    %0 = tandem.conv %x, %w1, %b1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x16x4xf32>, tensor<3x4x2xf32>, tensor<2xf32>)
        -> tensor<8x14x2xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

def TandemDecomposeSoftmax : Pass<"tandem-decompose-softmax"> {
  let summary = "Express softmax by reductions and elementwise ops";
  let description = [{
    For targets that make one kernel of all that it becomes. Half precision is
    computed in f32, as the op is. The exponentials are multiplied by the
    reciprocal of their sum. What has no elements, or a dynamic shape, stays.

    Before:
    ```mlir
    %0 = tandem.softmax %x axis = 1 : tensor<8x100xf32>
    ```
    After:
    ```mlir
    %one = tandem.constant dense<1.0> : tensor<f32>
    %m = tandem.reduce %x kind = max dims = [1] keep_dims
        : (tensor<8x100xf32>) -> tensor<8x1xf32>
    %d = tandem.sub %x, %m
        : (tensor<8x100xf32>, tensor<8x1xf32>) -> tensor<8x100xf32>
    %e = tandem.exp %d : tensor<8x100xf32>
    %s = tandem.reduce %e kind = sum dims = [1] keep_dims
        : (tensor<8x100xf32>) -> tensor<8x1xf32>
    %r = tandem.div %one, %s
        : (tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %0 = tandem.mul %e, %r
        : (tensor<8x100xf32>, tensor<8x1xf32>) -> tensor<8x100xf32>
    ```
  }];
}

defvar Tandem_DeviceSpec =
  Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
         "What prices are of: generic, host, the name of a built-in device "
         "description, the path of one, or its text.">;

def TandemSplitReductions : Pass<"tandem-split-reductions"> {
  let summary = "Reduce in parts where one reduction would keep few cores busy";
  let description = [{
    A large reduction whose results are too few to keep all cores busy becomes
    two, of parts of the reduced dims, then of what these give, where that saves
    more than starting a kernel more costs. So does one of columns that are much
    longer than a cache is large, which would be read a few columns at a time,
    row after row; part by part it is read in the order of memory. Elementwise
    ops ahead are computed on the split shape, so that they can be part of the
    same kernel. Partial results of half precision are kept in f32.

    Whole stay reductions of dims that are not next to each other, and those of
    a length without a suitable divisor.

    Before:
    ```mlir
    %0 = tandem.mul %x, %x : tensor<65536x256xf32>
    %1 = tandem.reduce %0 kind = sum dims = [0]
        : (tensor<65536x256xf32>) -> tensor<256xf32>
    ```
    After:
    ```mlir
    %s = tandem.reshape %x shape = [256, 256, 256]
        : (tensor<65536x256xf32>) -> tensor<256x256x256xf32>
    %0 = tandem.mul %s, %s : tensor<256x256x256xf32>
    %p = tandem.reduce %0 kind = sum dims = [1]
        : (tensor<256x256x256xf32>) -> tensor<256x256xf32>
    %1 = tandem.reduce %p kind = sum dims = [0]
        : (tensor<256x256xf32>) -> tensor<256xf32>
    ```
  }];
  let options = [Tandem_DeviceSpec];
}

/// Of every pass that plans fusion.
defvar Tandem_FusionOptions = [
  Option<"fuel", "fusion-fuel", "int64_t", "-1",
         "At most this many fusion decisions are taken; -1: no limit.">,
  Option<"maxReads", "max-reads", "int64_t", "32",
         "Ops that read more elements per result remain op steps.">,
  Option<"maxBodyReads", "max-body-reads", "int64_t", "256",
         "Element reads per result of a kernel, with windows unrolled.">,
  Option<"maxResults", "max-results", "int64_t", "8",
         "Results of a kernel.">,
  Option<"contractions", "contractions", "std::string", "\"\"",
         "The target whose kernels of kind contraction are made; empty: none.">,
  Option<"reductions", "reductions", "bool", "false",
         "Make kernels of kind reduction.">,
  Tandem_DeviceSpec
];

def TandemFuse : Pass<"tandem-fuse", "::mlir::func::FuncOp"> {
  let summary = "Collect ops into fusions, each of which becomes one kernel";
  let description = [{
    Loop fusion of elementwise and shape ops, and of convolutions, windows,
    reductions and products that read few elements per result. An op is computed
    in the kernels of all its consumers where that costs less than a kernel of
    its own; a value that is needed outside as well becomes one more result of a
    consumer's kernel; kernels over one space that read the same value are
    joined. All types must be static. What is not fused stays an op step: heavy
    contractions and reductions, softmax, custom calls, and reshapes at the edge
    of a kernel, which are views.

    With `contractions` a convolution or product that a loop would compute more
    slowly becomes a fusion of kind `contraction`, together with the elementwise
    ops of its result's shape that follow it, and with views of its weights.
    With `reductions` a `reduce` becomes a fusion of kind `reduction`, together
    with elementwise ops on the elements that it reduces or on its results, and
    with further reduces of the same dims of the same shape.

    With `remarks` every refusal is reported as a remark with its reason.

    Before:
    ```mlir
    %0 = tandem.mul %x, %y : tensor<64xf32>
    %1 = tandem.exp %0 : tensor<64xf32>
    %2 = tandem.softmax %0 axis = 0 : tensor<64xf32>
    ```
    After:
    ```mlir
    %0:2 = tandem.fusion loop (%a = %x, %b = %y)
        : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
      %3 = tandem.mul %a, %b : tensor<64xf32>
      %4 = tandem.exp %3 : tensor<64xf32>
      tandem.yield %3, %4 : tensor<64xf32>, tensor<64xf32>
    }
    %2 = tandem.softmax %0#0 axis = 0 : tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = !listconcat(Tandem_FusionOptions, [
    Option<"remarks", "remarks", "bool", "false",
           "Report every refusal as a remark.">
  ]);
}

def TandemReportFusion : Pass<"tandem-report-fusion", "::mlir::ModuleOp"> {
  let summary = "Account for what tandem-fuse will do with the same options";
  let description = [{
    Plans fusion and changes no op. With `file` every decision is written there
    as JSON, with its reason and prices, and the kernels with their kind and ops
    (docs/Fusion.md). What earlier passes have noted for it is written, too, and
    taken off. With `why-not` the question whether two ops are in
    one kernel, and else why not, is answered on standard output.

    ```mlir
    %0 = tandem.exp %x : tensor<64xf32>
    %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
    ```
    With `why-not=1:6,2:6` and these as lines 1 and 2:
    ```
    not fused:
      'tandem.exp' at line 1 is in kernel 0 (loop)
      'tandem.softmax' at line 2 is an op step
      'tandem.exp' at line 1 was not fused into its consumers: no consumer of it is a kernel [ConsumerNotFusible]
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = !listconcat(Tandem_FusionOptions, [
    Option<"file", "file", "std::string", "\"\"",
           "Where the report goes; empty: nowhere.">,
    ListOption<"whyNot", "why-not", "std::string",
               "The lines and columns of two ops.">
  ]);
}

def TandemMaterialisePadding : Pass<"tandem-materialise-padding"> {
  let summary = "Pad the inputs of light convolutions ahead";
  let description = [{
    A convolution that becomes part of a loop asks at every tap whether it lies
    in the padding, and that keeps a CPU's loop from being a run of vector
    multiply-adds. Where the input is at most a quarter of the result's size,
    a padded copy of it costs little and the question is gone.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        pad_low = [1] pad_high = [1]
        : (tensor<8x100x1xf32>, tensor<3x1x32xf32>) -> tensor<8x100x32xf32>
    ```
    After:
    ```mlir
    %p = tandem.pad %x low = [0, 1, 0] high = [0, 1, 0] interior = [0, 0, 0]
        value = 0.0 : (tensor<8x100x1xf32>) -> tensor<8x102x1xf32>
    %0 = tandem.conv %p, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x102x1xf32>, tensor<3x1x32xf32>) -> tensor<8x100x32xf32>
    ```
  }];
  let options = [
    Option<"maxReads", "max-reads", "int64_t", "32",
           "As tandem-fuse's: heavier convolutions become no loop.">
  ];
}

def TandemOutlineKernels
    : Pass<"tandem-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn each fusion into a kernel module and a launch of it";
  let description = [{
    The body of each `tandem.fusion` becomes the function of a nested module of
    its own, marked `tandem.kernel`; fusions of equal content share one. The
    kind of a fusion that is no loop stays as `tandem.kind`.

    Before:
    ```mlir
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = tandem.fusion loop (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
        %1 = tandem.exp %a : tensor<64xf32>
        tandem.yield %1 : tensor<64xf32>
      }
      return %0 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    module @kernel_0 attributes {tandem.kernel} {
      func.func @kernel_0(%a: tensor<64xf32>) -> tensor<64xf32> {
        %0 = tandem.exp %a : tensor<64xf32>
        return %0 : tensor<64xf32>
      }
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = tandem.launch @kernel_0(%x) : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES
