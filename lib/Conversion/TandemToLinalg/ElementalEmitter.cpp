//===- ElementalEmitter.cpp - The element of a value at an index ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementalEmitter.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/OpTable.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <functional>

using namespace mlir;

namespace tandem {

Value toComputeType(OpBuilder &builder, Location loc, Value scalar) {
  Type type = getComputeType(scalar.getType());
  if (type == scalar.getType())
    return scalar;
  return arith::ExtFOp::create(builder, loc, type, scalar);
}

/// What `scalar` was widened from; null where it was not, or from another type.
static Value getWidened(Value scalar, Type elementType) {
  auto widened = scalar.getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn().getType() == elementType ? widened.getIn()
                                                             : Value();
}

Value toElementType(OpBuilder &builder, Location loc, Value scalar,
                    Type elementType) {
  if (scalar.getType() == elementType)
    return scalar;
  // What was only moved, or chosen.
  if (Value moved = getWidened(scalar, elementType))
    return moved;
  if (auto select = scalar.getDefiningOp<arith::SelectOp>()) {
    Value ifTrue = getWidened(select.getTrueValue(), elementType);
    Value ifFalse = getWidened(select.getFalseValue(), elementType);
    if (ifTrue && ifFalse)
      return arith::SelectOp::create(builder, loc, select.getCondition(),
                                     ifTrue, ifFalse);
  }
  return arith::TruncFOp::create(builder, loc, elementType, scalar);
}

/// Rounds a scalar of compute type to an element type of f16, and widens it
/// again; leaves it as it is for all other element types. The result of an f16
/// op is rounded before another op of the same kernel reads it, so that every
/// tier computes with the same values. For bf16, whose exponents are those of
/// f32, a kernel may go on with f32 (docs/Rationale.md, "16-bit floats").
static Value roundToF16(OpBuilder &builder, Location loc, Value scalar,
                        Type elementType) {
  if (!elementType.isF16() || getWidened(scalar, elementType))
    return scalar;
  return toComputeType(builder, loc,
                       toElementType(builder, loc, scalar, elementType));
}

Value addProduct(OpBuilder &builder, Location loc, Value sum, Value a,
                 Value b) {
  auto mayFuse = arith::FastMathFlagsAttr::get(builder.getContext(),
                                               arith::FastMathFlags::contract);
  Value product = arith::MulFOp::create(builder, loc, a, b, mayFuse);
  return sum ? arith::AddFOp::create(builder, loc, sum, product, mayFuse)
                   .getResult()
             : product;
}

bool ElementalEmitter::KeyLess::operator()(const Key &a, const Key &b) const {
  if (a.first != b.first)
    return std::less<void *>()(a.first, b.first);
  auto less = [](AffineExpr x, AffineExpr y) {
    return std::less<const void *>()(x.getAsOpaquePointer(),
                                     y.getAsOpaquePointer());
  };
  return std::lexicographical_compare(a.second.begin(), a.second.end(),
                                      b.second.begin(), b.second.end(), less);
}

ElementalEmitter::ElementalEmitter(Block &block, ArrayRef<int64_t> loops,
                                   MLIRContext *context)
    : loopIndices(loops.size()), memo(1), block(block), builder(context),
      loc(UnknownLoc::get(context)) {
  ranges.dims.assign(loops.begin(), loops.end());
  builder.setInsertionPointToEnd(&block);
}

Value ElementalEmitter::emit(Value value, ArrayRef<AffineExpr> index) {
  Key key(value.getAsOpaquePointer(), ElementIndex(index));
  for (auto &scope : memo)
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  Value result = emitUncached(value, key.second);
  if (result)
    memo.back()[key] = result;
  return result;
}

/// Whether the element that `op` computes in its compute type may be a number
/// that its element type does not have. The op table says so, except for
/// reductions, of which max and min are exact.
static bool mayExceedElementType(Operation *op) {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return reduce.getKind() != ir::ReduceKind::max &&
           reduce.getKind() != ir::ReduceKind::min;
  auto known = dyn_cast<ir::TandemOpInterface>(op);
  return known && getOpInfo(known.getOpDesc().kind).rounding != Rounding::exact;
}

Value ElementalEmitter::emitUncached(Value value, const ElementIndex &index) {
  if (materializedValues)
    if (auto it = materializedValues->find(value);
        it != materializedValues->end() && it->second.index == index)
      return emitMaterializedRead(value, it->second);
  Operation *op = value.getDefiningOp();
  if (!op || isa<arith::ConstantOp>(op) || value == stored)
    return emitRead(value, index);
  Location outer = loc;
  loc = op->getLoc();
  Value result = emitOp(op, index);
  if (result && mayExceedElementType(op))
    result = roundToF16(builder, loc, result, getElementTypeOrSelf(value));
  loc = outer;
  return result;
}

Value ElementalEmitter::emitOp(Operation *op, const ElementIndex &index) {
  if (isa<ir::ElementwiseOpInterface>(op))
    return emitElementwise(op, index);
  if (auto indexing = dyn_cast<ir::IndexingOpInterface>(op))
    if (AffineMap map = indexing.getOperandIndexing(0)) {
      auto compose = [&](AffineExpr expr) {
        return expr.replaceDimsAndSymbols(index, {});
      };
      return emit(op->getOperand(0),
                  llvm::map_to_vector<4>(map.getResults(), compose));
    }
  if (isa<ir::ContractionOpInterface>(op))
    return emitContraction(*this, op, index);
  if (isa<ir::MaxPoolOp, ir::AvgPoolOp>(op))
    return emitWindowOp(*this, op, index);
  if (isa<ir::ReduceOp>(op))
    return emitReduction(*this, op, index);
  return emitShapeOp(*this, op, index);
}

Value ElementalEmitter::emitElementwise(Operation *op,
                                        const ElementIndex &index) {
  auto indexing = cast<ir::IndexingOpInterface>(op);
  SmallVector<Value, 4> scalars;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = indexing.getOperandIndexing(operand.getOperandNumber());
    ElementIndex operandIndex;
    for (AffineExpr expr : map.getResults())
      operandIndex.push_back(expr.replaceDimsAndSymbols(index, {}));
    Value scalar = emit(operand.get(), operandIndex);
    if (!scalar)
      return {};
    scalars.push_back(scalar);
  }
  Value result =
      cast<ir::ElementwiseOpInterface>(op).buildScalar(builder, loc, scalars);
  // A cast to f16 or bf16 has rounded; computing goes on in f32.
  return toComputeType(builder, loc, result);
}

Value ElementalEmitter::emitRead(Value source, const ElementIndex &index) {
  auto type = cast<RankedTensorType>(source.getType());
  // What is read by loops alone, and always, may become an `ins` operand.
  auto hasSymbol = [&](AffineExpr expr) {
    for (unsigned i = 0; i < symbols.size(); ++i)
      if (expr.isFunctionOfSymbol(i))
        return true;
    return false;
  };
  Value read;
  if (memo.size() == 1 && llvm::none_of(index, hasSymbol)) {
    read = block.addArgument(type.getElementType(), loc);
  } else {
    // The indices come with finalisation.
    OperationState state(loc, tensor::ExtractOp::getOperationName());
    state.addOperands(source);
    state.addTypes(type.getElementType());
    read = builder.create(state)->getResult(0);
  }
  reads.push_back({source, index, read, false});
  return toComputeType(builder, loc, read);
}

Value ElementalEmitter::emitMaterializedRead(Value source,
                                             const MaterializedValue &value) {
  Type elementType = cast<RankedTensorType>(source.getType()).getElementType();
  Type type = getComputeType(elementType);
  Value read = block.addArgument(value.isRounded ? elementType : type, loc);
  reads.push_back({source, value.index, read, true});
  read = toComputeType(builder, loc, read);
  if (value.meanOf != 0)
    read = arith::DivFOp::create(
        builder, loc, read, constant(type, static_cast<double>(value.meanOf)));
  Operation *op = source.getDefiningOp();
  // What a stage keeps for later ones has been rounded; what it reduces has
  // not.
  bool isReduced = isa_and_nonnull<ir::ReduceOp>(op) && !value.isRounded;
  return isReduced && mayExceedElementType(op)
             ? roundToF16(builder, loc, read, elementType)
             : read;
}

Value ElementalEmitter::lookUp(Value value, ArrayRef<AffineExpr> index) {
  auto it =
      memo.front().find(Key(value.getAsOpaquePointer(), ElementIndex(index)));
  return it == memo.front().end() ? Value() : it->second;
}

Value ElementalEmitter::emitGuarded(ValueRange conditions, Value otherwise,
                                    function_ref<Value()> then) {
  if (conditions.empty())
    return then();
  Value all = conditions.front();
  for (Value condition : conditions.drop_front())
    all = arith::AndIOp::create(builder, loc, all, condition);
  return emitBranch(all, otherwise.getType(), then, [&] { return otherwise; });
}

Value ElementalEmitter::emitBranch(Value condition, Type type,
                                   function_ref<Value()> then,
                                   function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(builder, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto emitRegion = [&](Block *region, function_ref<Value()> emitResult) {
    builder.setInsertionPointToStart(region);
    memo.emplace_back();
    Value result = emitResult();
    memo.pop_back();
    if (result)
      scf::YieldOp::create(builder, loc, result);
    return static_cast<bool>(result);
  };
  if (!emitRegion(branch.thenBlock(), then) ||
      !emitRegion(branch.elseBlock(), otherwise))
    return {};
  return branch.getResult(0);
}

void ElementalEmitter::emitInRange(AffineExpr expr, int64_t size,
                                   SmallVectorImpl<Value> &conditions) {
  std::optional<IndexRanges::Range> range = ranges.get(expr);
  auto check = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value limit = arith::ConstantIndexOp::create(builder, loc, bound);
    conditions.push_back(arith::CmpIOp::create(builder, loc, predicate,
                                               materialize(expr), limit));
  };
  if (!range || range->low < 0)
    check(arith::CmpIPredicate::sge, 0);
  if (!range || range->high >= size)
    check(arith::CmpIPredicate::slt, size);
}

Value ElementalEmitter::getLoopIndex(unsigned loop) {
  if (!loopIndices[loop]) {
    OpBuilder atStart(builder.getContext());
    atStart.setInsertionPointToStart(&block);
    loopIndices[loop] = linalg::IndexOp::create(atStart, loc, loop);
  }
  return loopIndices[loop];
}

Value ElementalEmitter::materialize(AffineExpr expr) {
  Key key(nullptr, {expr});
  for (auto &scope : memo)
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  materialized.push_back(expr);
  Value &result = memo.back()[key];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return result = arith::ConstantIndexOp::create(builder, loc,
                                                   constant.getValue());
  SmallVector<Value> operands;
  unsigned numDims = ranges.dims.size();
  for (unsigned i = 0; i < numDims; ++i)
    operands.push_back(expr.isFunctionOfDim(i) ? getLoopIndex(i) : Value());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return result = operands[dim.getPosition()];
  // Dims that are not used are left out.
  SmallVector<AffineExpr> dims(numDims);
  SmallVector<Value> used;
  for (unsigned i = 0; i < numDims; ++i) {
    dims[i] = builder.getAffineDimExpr(used.size());
    if (operands[i])
      used.push_back(operands[i]);
  }
  unsigned numUsed = used.size();
  SmallVector<AffineExpr> newSymbols(symbols.size());
  for (unsigned i = 0; i < symbols.size(); ++i) {
    newSymbols[i] = builder.getAffineSymbolExpr(used.size() - numUsed);
    if (expr.isFunctionOfSymbol(i))
      used.push_back(symbols[i]);
  }
  AffineMap map = AffineMap::get(numUsed, used.size() - numUsed,
                                 expr.replaceDimsAndSymbols(dims, newSymbols));
  return result = affine::AffineApplyOp::create(builder, loc, map, used);
}

AffineExpr ElementalEmitter::makeSymbol(Value value, int64_t size) {
  symbols.push_back(value);
  ranges.symbols.push_back(size);
  return builder.getAffineSymbolExpr(symbols.size() - 1);
}

Value ElementalEmitter::constant(Type computeType, double value) {
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(computeType))
    attr = builder.getFloatAttr(floatType, value);
  else
    attr = builder.getIntegerAttr(computeType, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attr);
}

} // namespace tandem
