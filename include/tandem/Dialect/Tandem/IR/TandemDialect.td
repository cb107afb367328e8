//===- TandemDialect.td - The dialect -------------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEMDIALECT_TD
#define TANDEM_DIALECT_TANDEMDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tandem_Dialect : Dialect {
  let name = "tandem";
  let summary = "Pure operations on ranked tensors";
  let description = [{
    Graphs of tensor operations. The ops are those that a user or an importer
    writes and that the eager runtime executes one by one. Every op is pure.
    Shapes may have dynamic dims. The result type of an op follows from its
    operands and attributes by a shape rule that the runtime shares. The result
    type in the IR may have more or fewer dynamic dims than the inferred type,
    but must not contradict it.

    The constraints of each op have labels (C1, C2, ...). A diagnostic that
    reports a violated constraint begins with its label, as in `conv C7: ...`.

    Discardable attributes:
    - `tandem.dims = ["N", "", "C"]` on a function argument names its dims, with
      one string per dim. Dims with the same name have the same size, also in
      different arguments.
    - `tandem.f16_intermediates = f32` on a function records that its f16 ops
      have been given f32 intermediates (pass `tandem-widen-f16`).
    - `tandem.kernel` (unit) marks a module that holds one outlined kernel: a
      function with the name of the module.
    - `tandem.kind` (a fusion kind) on such a module says how code for the
      kernel is generated. Without it, the kind is `loop`.
  }];
  let cppNamespace = "::tandem::ir";
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of the function argument attribute that names dims.
    static constexpr ::llvm::StringLiteral kDimsAttrName = "tandem.dims";
    /// Name of the function attribute that records the pass tandem-widen-f16.
    static constexpr ::llvm::StringLiteral kF16IntermediatesAttrName =
        "tandem.f16_intermediates";
    /// Name of the attribute that marks kernel modules.
    static constexpr ::llvm::StringLiteral kKernelAttrName = "tandem.kernel";
    /// Name of the attribute of kernel modules that holds their kind
    /// (FusionKindAttr).
    static constexpr ::llvm::StringLiteral kKindAttrName = "tandem.kind";
  }];
}

#endif // TANDEM_DIALECT_TANDEMDIALECT_TD
