//===- F16Passes.td - Passes on 16-bit floats ----------- -*- tablegen -*-===//
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
    By default every f16 op rounds its result to f16. This pass makes another
    graph: elementwise ops, reductions, poolings and norms are computed on f32,
    and their results are rounded to f16 only where a contraction, a
    `custom_call`, a `cast` or the end of the graph reads them. Their squares
    and sums may then be larger than 65504. Ops that only move or choose
    elements follow their operands.

    All tiers run the graph that results. It is the pass of
    `ImportOptions::f16Intermediates`, which runs before the eager program is
    made, and marks the function with `tandem.f16_intermediates`.

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
