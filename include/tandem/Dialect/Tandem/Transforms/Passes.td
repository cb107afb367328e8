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
include "tandem/Dialect/Tandem/Transforms/F16Passes.td"

def TandemSpecialise : Pass<"tandem-specialise", "::mlir::ModuleOp"> {
  let summary = "Give a function's arguments static shapes and infer the rest";
  let description = [{
    Sets the argument types of one function to those of a signature and infers
    every other type anew. `shapes` has an entry for each argument: its dims,
    such as `1000x100x1`, or nothing for an argument whose type is static
    already. A dim may be `?` if a dim of the same name (`tandem.dims`) of
    another argument determines it. Afterwards every type in the function is
    static.

    The following are errors, which are reported at the argument or op: a shape
    that contradicts an argument's type, dims of the same name with different
    sizes, a dim that remains unknown, an op whose constraints the shapes
    violate, and a tensor whose number of bytes overflows.

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
    Applies the ops' own folders and canonicalisations together with these
    patterns:

    - A `batch_norm` along the output channels of a convolution, if it is the
      only use of the convolution's result, is folded into the convolution's
      kernel and bias. Constants are folded at compile time; otherwise ops on
      the kernel are emitted, provided that the kernel has at most a quarter of
      the output's elements. Any other `batch_norm` becomes one multiplication
      and one addition with per-channel factors.
    - An addition of per-channel values becomes the convolution's bias, if it is
      the only use of the convolution's result.
    - A transpose that only moves dims of size 1 becomes a reshape.
    - A transpose of the last two dims of a `matmul`'s operand becomes the
      `matmul`'s transpose flag.

    Then it removes common subexpressions and dead ops. A `batch_norm` on 16-bit
    floats is computed in f32.

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

def TandemEvaluateConstants
    : Pass<"tandem-evaluate-constants", "::mlir::func::FuncOp"> {
  let summary = "Compute ops on constants once, as eager does";
  let description = [{
    Runs ops that depend on constants alone, of static types, on the CPU's eager
    executor, and replaces them by their results. So neither a call nor the
    compilation of kernels has to do with, for example, an attention's mask that
    the exporter has written as a chain of scatters. Where several contexts
    compile the same graph, they share the bytes of the results.

    An op whose elements a kernel could compute where it reads them (elementwise
    ops, broadcasts and the like) is replaced where its result has no more bytes
    than the constants that it is computed from; any other where the bytes that
    the ops move are at least 1.25 times those of the result, eight operations
    counting as one byte. A `custom_call`, and what cannot be computed, stays.

    Before, where %table and %indices are constants:
    ```mlir
    %0 = tandem.gather %table, %indices axis = 0
        : (tensor<169x3xf32>, tensor<2401xi32>) -> tensor<2401x3xf32>
    %1 = tandem.transpose %0 permutation = [1, 0]
        : (tensor<2401x3xf32>) -> tensor<3x2401xf32>
    %2 = tandem.add %x, %1
        : (tensor<8x3x2401xf32>, tensor<3x2401xf32>) -> tensor<8x3x2401xf32>
    ```
    After, where %bias is a constant:
    ```mlir
    %2 = tandem.add %x, %bias
        : (tensor<8x3x2401xf32>, tensor<3x2401xf32>) -> tensor<8x3x2401xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

def TandemDecomposeSoftmax : Pass<"tandem-decompose-softmax"> {
  let summary = "Express softmax by reductions and elementwise ops";
  let description = [{
    For targets that fuse all of the resulting ops into one kernel. 16-bit
    floats are computed in f32, as for the op itself. The exponentials are
    multiplied by the reciprocal of their sum. A softmax without elements or
    with a dynamic shape is left as it is.

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
         "The device that costs are estimated for: generic, host, the name "
         "of a built-in device description, the path of one, or its text.">;

def TandemSplitReductions : Pass<"tandem-split-reductions"> {
  let summary = "Split reductions that would keep few cores busy";
  let description = [{
    A large reduction with too few results to keep all cores busy is split in
    two, where that saves more time than launching another kernel costs: the
    first one reduces parts of the reduced dims, the second one combines the
    partial results. A reduction of columns that are much longer than a cache is
    split too: as a whole it would be read a few columns at a time, row after
    row; in parts it is read in the order of memory. Elementwise ops before the
    reduction are computed on the split shape, so that they can be part of the
    same kernel. Partial results of 16-bit floats are kept in f32.

    Reductions of dims that are not adjacent, or whose length has no suitable
    divisor, are not split.

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

/// The options of every pass that plans fusion.
defvar Tandem_FusionOptions = [
  Option<"fuel", "fusion-fuel", "int64_t", "-1",
         "The most fusion decisions that are taken; -1 for no limit.">,
  Option<"maxReads", "max-reads", "int64_t", "32",
         "Ops that read more elements per result remain op steps.">,
  Option<"maxBodyReads", "max-body-reads", "int64_t", "256",
         "The most element reads per result of a kernel, with windows "
         "unrolled.">,
  Option<"maxResults", "max-results", "int64_t", "8",
         "The most results of a kernel.">,
  Option<"contractions", "contractions", "std::string", "\"\"",
         "The target whose kernels of kind contraction are made; empty: none.">,
  Option<"libraries", "libraries", "std::string", "\"\"",
         "Whose libraries' calls contractions become, with what follows them; "
         "empty: none.">,
  Option<"reductions", "reductions", "bool", "false",
         "Make kernels of kind reduction.">,
  Tandem_DeviceSpec
];

def TandemFuse : Pass<"tandem-fuse", "::mlir::func::FuncOp"> {
  let summary = "Group ops into fusions, each of which becomes one kernel";
  let description = [{
    Fuses elementwise and shape ops into loops, as well as convolutions,
    windows, reductions and matrix products that read few elements per result.
    An op is computed in the kernels of all its consumers where that costs less
    than a kernel of its own. A value that is also needed outside becomes one
    more result of a consumer's kernel. Kernels over the same iteration space
    that read the same value are joined. All types must be static. Ops that are
    not fused stay op steps: large contractions and reductions, softmax, custom
    calls, and reshapes at the edge of a kernel, which are views.

    With `contractions`, a convolution or matrix product that a loop would
    compute more slowly becomes a fusion of kind `contraction`. It includes the
    elementwise ops after it that have its result's shape, and the views of its
    weights. With `reductions`, a `reduce` becomes a fusion of kind `reduction`.
    It includes elementwise ops on the elements that it reduces and on its
    results, and other `reduce` ops over the same dims of the same shape.

    With `libraries`, a convolution or matrix product that no kernel computes
    becomes a fusion of kind `library`, with the residual, bias and activation
    after it that a call of that library computes as well.

    With `remarks`, every refused fusion is reported as a remark with its
    reason.

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
           "Report every refused fusion as a remark.">
  ]);
}

def TandemReportFusion : Pass<"tandem-report-fusion", "::mlir::ModuleOp"> {
  let summary = "Report what tandem-fuse will do with the same options";
  let description = [{
    Plans fusion without changing any op. With `file`, it writes to that file,
    as JSON (docs/Fusion.md), every decision with its reason and estimated
    costs, and every kernel with its kind and ops. It also writes the notes that
    earlier passes have left for the report, and removes them. With `why-not`,
    it prints on standard output whether two ops are in one kernel and, if not,
    why.

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
           "The file to write the report to; empty for none.">,
    ListOption<"whyNot", "why-not", "std::string",
               "The lines and columns of two ops, as 1:6,2:6.">
  ]);
}

def TandemMaterialisePadding : Pass<"tandem-materialise-padding"> {
  let summary = "Pad the inputs of light convolutions explicitly";
  let description = [{
    A convolution in a loop kernel must check for every tap whether it lies in
    the padding, so that a CPU's loop does not consist of vector multiply-adds
    only. Where the input has at most a quarter of the result's size, making a
    padded copy of it is cheap and removes the checks.

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
           "As of tandem-fuse: convolutions with more reads do not become "
           "loops.">
  ];
}

def TandemOutlineKernels
    : Pass<"tandem-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn each fusion into a kernel module and a launch of it";
  let description = [{
    The body of each `tandem.fusion` becomes the function of a new nested module
    with the attribute `tandem.kernel`, which fusions with equal contents share.
    The module's attribute `tandem.kind` is the kind of the fusion if that is
    not `loop`.

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

def TandemOutlineLoops : Pass<"tandem-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Turn the region of each loop into a function";
  let description = [{
    The body of each `tandem.loop` becomes a private function, which all passes
    on functions then see, and the loop a `tandem.run_loop` of it.

    Before:
    ```mlir
    func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.loop carried (%h = %h0) scanned (%x = %xs)
          : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32> {
        %1 = tandem.add %h, %x : tensor<4xf32>
        tandem.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.run_loop @main_loop_0 carried (%h0) scanned (%xs) : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @main_loop_0(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.add %h, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}
#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES
