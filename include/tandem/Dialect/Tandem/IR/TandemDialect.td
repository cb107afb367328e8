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
    The dialect represents graphs of tensor operations. A user or an importer
    writes these ops, and the eager runtime executes them one by one. Every op
    is pure. Shapes may have dynamic dims. A shape rule computes the result type
    of an op from the op's operands and attributes. The runtime uses the same
    shape rules. The result type in the IR may have more or fewer dynamic dims
    than the inferred type, but must not contradict the inferred type.

    The constraints of each op have labels (C1, C2, ...). A diagnostic that
    reports a violated constraint begins with the op and the label, as in
    `conv C7: ...`.

    Discardable attributes:
    - `tandem.dims = ["N", "", "C"]` on a function argument holds the names of
      the argument's dims, with one string per dim. Dims with the same name have
      the same size, even if they belong to different arguments.
    - `tandem.sizes = {shape = "N, L * 2, 8"}` on an op gives entries of the op's
      attributes that are written `?`. The key is the name of an attribute of
      sizes or positions (`shape`, `starts`, `limits`, `low`, `high`), or `result`
      for the sizes of the result type of an `iota`. The text has one expression
      for each entry of the attribute: integers and the names of dims of the
      enclosing function (`tandem.dims`), combined by `+`, `-`, `*`, `floordiv`,
      `ceildiv` and `mod`. The pass `tandem-specialize` computes these entries
      and removes the attribute.
    - `tandem.updates = 1` on a function result means that the result updates
      argument 1, like a donated argument in JAX: a call writes the result to
      the memory of the argument. The result and the argument have the same
      type, and at most one result updates an argument. Inside of the function,
      the argument is the old value.
    - `tandem.gradient = "my_norm_gradient"` on a `custom_call` names the target
      that computes the gradients of the op. The operands of this target are the
      operands of the op, the results of the op, and the gradients of all
      results with a float type, in this order. Its results are the gradients of
      all operands with a float type, each with the type of the operand.
    - `tandem.f16_intermediates = f32` on a function records that the pass
      `tandem-widen-f16` has changed the f16 intermediates of the function to
      f32.
    - `tandem.sums_in_f32` (a unit attribute) on a contraction of integers of 8
      bits means that a kernel sums its products in f32, because that is exact.
      The pass `tandem-cpu-fit-bytes` adds the attribute if it can prove that,
      and removes the attribute otherwise.
    - `tandem.kernel` (a unit attribute) marks a module that holds one outlined
      kernel. The kernel is the function with the name of the module.
    - `tandem.kind` (a fusion kind) on a kernel module determines how code for
      the kernel is generated. Without this attribute, the kind is `loop`.
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
    /// Name of the function argument attribute that holds the names of dims.
    static constexpr ::llvm::StringLiteral kDimsAttrName = "tandem.dims";
    /// Name of the function result attribute that holds the number of the
    /// argument which the result updates.
    static constexpr ::llvm::StringLiteral kUpdatesAttrName = "tandem.updates";
    /// Name of the attribute of a custom_call that holds the target of its
    /// gradient.
    static constexpr ::llvm::StringLiteral kGradientAttrName = "tandem.gradient";
    /// Name of the op attribute that holds expressions of sizes.
    static constexpr ::llvm::StringLiteral kSizesAttrName = "tandem.sizes";
    /// Name of the key of `tandem.sizes` for the sizes of the result type.
    static constexpr ::llvm::StringLiteral kResultSizesKey = "result";
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
