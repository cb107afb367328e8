//===- Passes.td - Passes that plan fusion ----------------*- tablegen -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_PASSES
#define TANDEM_FUSION_PASSES

include "mlir/Pass/PassBase.td"
include "tandem/Analysis/DeviceOption.td"

/// The options of all passes that plan fusion.
defvar Tandem_FusionOptions = [
  Option<"fuel", "fusion-fuel", "int64_t", "-1",
         "The maximum number of fusion decisions that are carried out; -1 for "
         "no limit.">,
  Option<"maxReads", "max-reads", "int64_t", "32",
         "The maximum number of element reads per result element of an op in a "
         "loop; ops with more reads remain op steps.">,
  Option<"maxBodyReads", "max-body-reads", "int64_t", "256",
         "The maximum number of element reads per result element of a kernel, "
         "with windows unrolled.">,
  Option<"maxResults", "max-results", "int64_t", "8",
         "The maximum number of results of a kernel.">,
  Option<"contractions", "contractions", "std::string", "\"\"",
         "The target for which kernels of kind contraction are made; empty for "
         "none.">,
  Option<"libraries", "libraries", "std::string", "\"\"",
         "The name of the libraries whose calls compute contractions with "
         "their epilogues; empty for none.">,
  Option<"reductions", "reductions", "bool", "false",
         "Make kernels of kind reduction.">,
  Option<"phasesApart", "phases-apart", "bool", "false",
         "Keep ops of the forward pass, of the backward pass and of the update "
         "of a training step in different kernels.">,
  Tandem_DeviceSpec
];

def TandemFuse : Pass<"tandem-fuse", "::mlir::func::FuncOp"> {
  let summary = "Group ops into fusions, each of which becomes one kernel";
  let description = [{
    Fuses elementwise ops and shape ops into loops. Convolutions, windows,
    reductions and matrix products are fused into loops too, if they read few
    elements per result element. An op is computed in the kernels of all of its
    consumers if that costs less than a separate kernel. If a value is also
    needed outside of a consumer's kernel, the value becomes an additional
    result of that kernel. Kernels with the same iteration space that read the
    same value are joined. All types must be static. Ops that are not fused
    remain op steps: large contractions and reductions, softmax, custom calls,
    and reshapes at the border of a kernel, which are views.

    With `contractions`, a convolution or matrix product becomes a fusion of
    kind `contraction` if a loop would be slower. The fusion includes the
    following elementwise ops that have the shape of the op's result, and the
    views of the op's weights. With `reductions`, a `reduce` becomes a fusion of
    kind `reduction`. The fusion includes elementwise ops on the reduced
    elements and on the results, and other `reduce` ops over the same dims of
    the same shape.

    With `libraries`, a convolution or matrix product that no kernel computes
    becomes a fusion of kind `library`. The fusion includes the following
    residual, bias and activation if one call of the library can compute them as
    well.

    With `remarks`, the pass reports every refused fusion as a remark with the
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
  let summary = "Report what tandem-fuse does with the same options";
  let description = [{
    Plans fusion without changing any op. With `file`, the pass writes a JSON
    report to that file (docs/Fusion.md); "-" stands for standard output. The
    report contains every decision with its reason and estimated costs, every
    kernel with its kind and ops, and the notes that earlier passes have left
    for the report. The pass removes these notes. With `why-not`, the pass
    prints to standard output whether two ops are in the same kernel and, if
    they are not, the reason.

    Example:
    ```mlir
    %0 = tandem.exp %x : tensor<64xf32>
    %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
    ```
    The output of `why-not=1:6,2:6`, if these ops are in lines 1 and 2:
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
           "The file to which the report is written, or - for standard output; "
           "empty for none.">,
    ListOption<"whyNot", "why-not", "std::string",
               "The lines and columns of two ops, for example 1:6,2:6.">
  ]);
}

#endif // TANDEM_FUSION_PASSES
