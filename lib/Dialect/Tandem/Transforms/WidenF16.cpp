//===- WidenF16.cpp - tandem-widen-f16 ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/OpTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMWIDENF16
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

bool isF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isF16();
}

/// Whether the pass leaves the op as it is, although it has operands or results
/// of f16: contractions, whose sums are of f32 anyway, explicit casts, ops that
/// round after each update, and ops with unknown semantics.
bool isBoundary(OpKind kind) {
  switch (getOpInfo(kind).family) {
  case OpFamily::contraction:
  case OpFamily::indexing:
  case OpFamily::structure:
    return true;
  case OpFamily::elementwise:
    return kind == OpKind::cast || kind == OpKind::bitcast;
  case OpFamily::shape:
  case OpFamily::window:
  case OpFamily::reduction:
  case OpFamily::normalization:
  case OpFamily::line:
    return false;
  }
  llvm_unreachable("unknown family");
}

class Widener {
public:
  void visit(ir::TandemOpInterface op);
  /// Erases the casts that nothing reads.
  void eraseUnused();

private:
  Value widen(Value value);
  Value narrow(OpBuilder &builder, Value value);

  /// The f32 value of each value of f16 that has one.
  DenseMap<Value, Value> wide;
  SmallVector<Operation *> casts;
};

/// The value in f32, cast behind its definition.
Value Widener::widen(Value value) {
  if (!isF16(value))
    return value;
  Value &known = wide[value];
  if (known)
    return known;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto cast =
      ir::CastOp::create(builder, value.getLoc(), value, builder.getF32Type());
  casts.push_back(cast);
  return known = cast;
}

/// An op that rounds is computed in f32. One that only moves or chooses
/// elements is when an operand has an f32 value already.
void Widener::visit(ir::TandemOpInterface op) {
  const OpKind kind = op.getOpDesc().kind;
  if (isBoundary(kind))
    return;
  const bool isRounded = llvm::any_of(op->getResults(), isF16) &&
                         getOpInfo(kind).rounding != Rounding::exact;
  const bool readsWide = llvm::any_of(
      op->getOperands(), [&](Value operand) { return wide.contains(operand); });
  if (!isRounded && !readsWide)
    return;
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(widen(operand));
  for (Value result : op->getResults())
    state.addTypes(isF16(result) ? typeOf(result).clone(builder.getF32Type())
                                 : typeOf(result));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *widened = builder.create(state);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), widened->getResults()))
    result.replaceAllUsesWith(isF16(result) ? narrow(builder, value) : value);
  op.erase();
}

/// Casts a value of f32 to f16, and keeps it for ops that read the cast.
Value Widener::narrow(OpBuilder &builder, Value value) {
  auto cast =
      ir::CastOp::create(builder, value.getLoc(), value, builder.getF16Type());
  casts.push_back(cast);
  wide[cast] = value;
  return cast;
}

void Widener::eraseUnused() {
  for (Operation *cast : llvm::reverse(casts))
    if (cast->use_empty())
      cast->erase();
}

struct WidenF16Pass : impl::TandemWidenF16Base<WidenF16Pass> {
  void runOnOperation() override {
    SmallVector<ir::TandemOpInterface> ops;
    getOperation()->walk([&](ir::TandemOpInterface op) { ops.push_back(op); });
    Widener widener;
    for (ir::TandemOpInterface op : ops)
      widener.visit(op);
    widener.eraseUnused();
    getOperation()->setAttr(ir::TandemDialect::kF16IntermediatesAttrName,
                            TypeAttr::get(Float32Type::get(&getContext())));
  }
};

} // namespace
} // namespace tandem
