//===- F16Passes.td - Passes on 16-bit floats ----------- -*- tablegen -* -===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_F16PASSES
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_F16PASSES

include "mlir/Pass/PassBase.td"

def TandemWidenF16 : Pass<"tandem-widen-f16", "::mlir::func::FuncOp"> {
  let summary = "Compute in f32 between the contractions of an f16 graph";
  let description = [{
    By default, every f16 op rounds its result to f16. This pass changes the
    graph: elementwise ops, reductions, poolings and normalizations are computed
    in f32. A result is rounded to f16 only if the result is an output of the
    graph, or if a contraction, a `scatter`, a `topk`, a `sort`, a `custom_call`, a
    `cast` or a `bitcast` reads the result. Squares and sums in f32 may be
    larger than 65504, the largest f16 number. An op that only moves or selects
    elements has the element type of its operands.

    All tiers run the changed graph. `ImportOptions::f16Intermediates` runs this
    pass before the eager program is made. The pass marks the function with the
    attribute `tandem.f16_intermediates`.

    Before:
    ```mlir
    %0 = tandem.mul %x, %x : tensor<8xf16>
    %1 = tandem.sqrt %0 : tensor<8xf16>
    ```
    After:
    ```mlir
    %wide = tandem.cast %x : (tensor<8xf16>) -> tensor<8xf32>
    %0 = tandem.mul %wide, %wide : tensor<8xf32>
    %1 = tandem.sqrt %0 : tensor<8xf32>
    %narrow = tandem.cast %1 : (tensor<8xf32>) -> tensor<8xf16>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_F16PASSES
