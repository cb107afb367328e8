//===- SizeExpressions.cpp - Sizes that depend on inputs ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeExpressions.h"

#include "tandem/Dialect/Tandem/IR/SymbolicSizes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tandem;

/// Appends an expression in postfix notation.
static void emitTerms(AffineExpr expr, std::vector<fb::SizeTerm> &terms) {
  using fb::SizeTermKind;
  auto binary = [&](SizeTermKind kind) {
    auto operation = cast<AffineBinaryOpExpr>(expr);
    emitTerms(operation.getLHS(), terms);
    emitTerms(operation.getRHS(), terms);
    terms.emplace_back(kind, 0);
  };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return binary(SizeTermKind::add);
  case AffineExprKind::Mul:
    return binary(SizeTermKind::mul);
  case AffineExprKind::FloorDiv:
    return binary(SizeTermKind::floordiv);
  case AffineExprKind::CeilDiv:
    return binary(SizeTermKind::ceildiv);
  case AffineExprKind::Mod:
    return binary(SizeTermKind::mod);
  case AffineExprKind::Constant:
    terms.emplace_back(SizeTermKind::constant,
                       cast<AffineConstantExpr>(expr).getValue());
    return;
  case AffineExprKind::SymbolId:
    terms.emplace_back(SizeTermKind::symbol,
                       cast<AffineSymbolExpr>(expr).getPosition());
    return;
  case AffineExprKind::DimId:
    llvm_unreachable("expressions of sizes have symbols alone");
  }
}

static fb::SizeAttribute attributeNamed(StringRef name) {
  for (fb::SizeAttribute attribute : fb::EnumValuesSizeAttribute())
    if (name == fb::EnumNameSizeAttribute(attribute))
      return attribute;
  llvm_unreachable("the dialect knows the attributes of Program.fbs alone");
}

LogicalResult tandem::emitSizes(Operation *op, FunctionOpInterface function,
                                fb::StepT &step, fb::ProgramT &program) {
  FailureOr<SmallVector<ir::SymbolicSizes>> sizes = ir::parseSymbolicSizes(op);
  if (failed(sizes))
    return failure();
  for (const ir::SymbolicSizes &each : *sizes)
    for (auto [entry, expr] : llvm::enumerate(each.map.getResults())) {
      if (!ShapedType::isDynamic(each.entries[entry]))
        continue;
      auto size = std::make_unique<fb::SizeExpressionT>();
      size->attribute = attributeNamed(each.attribute);
      size->entry = entry;
      emitTerms(expr, size->terms);
      step.sizes.push_back(std::move(size));
    }
  if (!step.sizes.empty() && program.size_symbols.empty())
    for (const ir::NamedDim &dim : ir::namedDims(function))
      program.size_symbols.emplace_back(dim.argument, dim.dim);
  return success();
}
