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
    Graphs of tensor operations, as a user or an importer writes them and as
    the eager runtime executes them one by one. Every op is pure. Shapes may
    have dynamic dims. The result type of an op follows from its operands and
    attributes by one shape rule, which the runtime shares; a written result
    type may say more or less about dynamic dims, but not disagree.

    Constraints are labelled per op (C1, C2, ...); a diagnostic that reports a
    broken one begins with its label, as in `conv C7: ...`.

    Discardable attributes:
    - `tandem.dims = ["N", "", "C"]` on a function argument names its dims, one
      string per dim; dims of one name, also across arguments, have one size.
    - `tandem.kernel` (unit) marks a module that holds one outlined kernel, a
      function named as the module.
    - `tandem.kind` (a fusion kind) on such a module says how the kernel is to
      be made; without it, as a loop.
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
    /// Name of the attribute that marks kernel modules.
    static constexpr ::llvm::StringLiteral kKernelAttrName = "tandem.kernel";
    /// Name of their attribute that says how they are made (FusionKindAttr).
    static constexpr ::llvm::StringLiteral kKindAttrName = "tandem.kind";
  }];
}

#endif // TANDEM_DIALECT_TANDEMDIALECT_TD
