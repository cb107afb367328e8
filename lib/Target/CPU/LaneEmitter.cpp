//===- LaneEmitter.cpp - Scalar bodies on vectors of lanes ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace tandem {

LaneEmitter::LaneEmitter(OpBuilder &builder, Location loc, int64_t lanes,
                         ValueRange loops, Value tailMask,
                         function_ref<Buffer(Value)> getBuffer,
                         std::optional<unsigned> laneLoop)
    : builder(builder), loc(loc), lanes(lanes), tailMask(tailMask),
      getBuffer(getBuffer) {
  for (Value loop : loops)
    this->loops.push_back({LaneValue::Uniform, loop, 0});
  if (lanes > 1 && !loops.empty()) {
    LaneValue &lane = this->loops[laneLoop.value_or(loops.size() - 1)];
    lane.kind = LaneValue::Linear;
    lane.step = 1;
  }
}

void LaneEmitter::emitBody(linalg::GenericOp op) {
  SmallVector<LaneValue> elements = emitElements(op);
  for (auto [result, element] : llvm::zip(op.getResults(), elements))
    emitStore(getBuffer(result), loops, element, /*isStreamed=*/false);
}

SmallVector<LaneValue> LaneEmitter::emitElements(linalg::GenericOp op) {
  Block *body = op.getBody();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = body->getArgument(input->getOperandNumber());
    if (argument.use_empty() || values.contains(argument))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<LaneValue> indices;
    for (AffineExpr expr : map.getResults())
      indices.push_back(emitAffine(expr, map.getNumDims(), loops));
    values[argument] = emitLoad(getBuffer(input->get()), indices);
  }
  emitOps(*body);
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value value) { return lookUp(value); });
}

void LaneEmitter::store(Buffer buffer, AffineMap map, LaneValue value,
                        bool isStreamed) {
  SmallVector<LaneValue> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(emitAffine(expr, map.getNumDims(), loops));
  emitStore(buffer, indices, value, isStreamed);
}

LaneValue LaneEmitter::lookUp(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  assert(constant && "verified: only constants come from outside");
  return {LaneValue::Uniform, builder.clone(*constant)->getResult(0), 0};
}

void LaneEmitter::emitOps(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(op);
}

void LaneEmitter::emitOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    values[constant] = {LaneValue::Uniform, builder.clone(op)->getResult(0), 0};
    return;
  }
  if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
    values[indexOp] = loops[indexOp.getDim()];
    return;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<LaneValue> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(lookUp(operand));
    values[apply] = emitAffine(apply.getAffineMap().getResult(0),
                               apply.getAffineMap().getNumDims(), operands);
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<LaneValue> indices;
    for (Value operand : extract.getIndices())
      indices.push_back(lookUp(operand));
    values[extract] = emitLoad(getBuffer(extract.getTensor()), indices);
    return;
  }
  if (isa<scf::IfOp>(op))
    return emitIf(op);
  if (!emitLinearIndex(op) && !emitIndexCast(op) && !emitIndexCompare(op))
    emitElementwise(op);
}

/// Scalars where all operands are; else the same op on vectors.
void LaneEmitter::emitElementwise(Operation &op) {
  SmallVector<LaneValue> operands;
  bool isUniform = true;
  for (Value operand : op.getOperands()) {
    operands.push_back(lookUp(operand));
    isUniform &= operands.back().kind == LaneValue::Uniform;
  }
  OperationState state(loc, op.getName());
  for (LaneValue operand : operands)
    state.addOperands(isUniform ? operand.value : toVector(operand));
  for (Type type : op.getResultTypes())
    state.addTypes(isUniform ? type : vectorOf(type));
  state.propertiesAttr = op.getPropertiesAsAttribute();
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  Operation *result = builder.create(state);
  for (auto [from, to] : llvm::zip(op.getResults(), result->getResults()))
    values[from] = {isUniform ? LaneValue::Uniform : LaneValue::Varying, to, 0};
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Vectors of indices are of i64.
VectorType LaneEmitter::vectorOf(Type type) {
  return VectorType::get({lanes}, type.isIndex() ? builder.getI64Type() : type);
}

Value LaneEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Sums and differences of evenly stepping indices step evenly.
bool LaneEmitter::emitLinearIndex(Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex())
    return false;
  AffineExprKind kind;
  if (isa<arith::AddIOp>(op))
    kind = AffineExprKind::Add;
  else if (isa<arith::MulIOp>(op))
    kind = AffineExprKind::Mul;
  else
    return false;
  values[op.getResult(0)] =
      emitBinary(kind, lookUp(op.getOperand(0)), lookUp(op.getOperand(1)));
  return true;
}

/// Vectors of indices are of integers already.
bool LaneEmitter::emitIndexCast(Operation &op) {
  if (!isa<arith::IndexCastOp>(op))
    return false;
  LaneValue operand = lookUp(op.getOperand(0));
  if (operand.kind == LaneValue::Uniform)
    return false;
  Value vector = toVector(operand);
  auto from = cast<VectorType>(vector.getType());
  VectorType to = vectorOf(op.getResult(0).getType());
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    vector = arith::ExtSIOp::create(builder, loc, to, vector);
  else if (from.getElementTypeBitWidth() > to.getElementTypeBitWidth())
    vector = arith::TruncIOp::create(builder, loc, to, vector);
  values[op.getResult(0)] = {LaneValue::Varying, vector, 0};
  return true;
}

/// a + l * s < b + l * t in lane l is l * (s - t) < b - a: one comparison with
/// constants, in 32 bits.
bool LaneEmitter::emitIndexCompare(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  LaneValue lhs = lookUp(compare.getLhs()), rhs = lookUp(compare.getRhs());
  int64_t step = lhs.step - rhs.step;
  int64_t bound = std::numeric_limits<int32_t>::max();
  if (lhs.kind == LaneValue::Varying || rhs.kind == LaneValue::Varying ||
      step == 0 || std::abs(step) >= bound / lanes)
    return false;
  Value distance = arith::SubIOp::create(builder, loc, rhs.value, lhs.value);
  distance = arith::MaxSIOp::create(builder, loc, distance, index(-bound));
  distance = arith::MinSIOp::create(builder, loc, distance, index(bound));
  distance =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), distance);
  Value steps = createIota(builder, loc, vectorOf(builder.getI32Type()), step);
  values[compare] = {LaneValue::Varying,
                     arith::CmpIOp::create(builder, loc, compare.getPredicate(),
                                           steps, splat(distance)),
                     0};
  return true;
}

/// Dims come first among `operands`, then symbols.
LaneValue LaneEmitter::emitAffine(AffineExpr expr, unsigned numDims,
                                  ArrayRef<LaneValue> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {LaneValue::Uniform, index(constant.getValue()), 0};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return emitBinary(expr.getKind(),
                    emitAffine(binary.getLHS(), numDims, operands),
                    emitAffine(binary.getRHS(), numDims, operands));
}

static bool getConstant(Value value, int64_t &constant) {
  auto op = value.getDefiningOp<arith::ConstantIndexOp>();
  if (op)
    constant = op.value();
  return static_cast<bool>(op);
}

/// Takes a constant summand off a sum, which is null if there is no more to it.
static int64_t takeConstant(Value &sum) {
  int64_t constant = 0;
  if (getConstant(sum, constant)) {
    sum = {};
    return constant;
  }
  auto op = sum.getDefiningOp<arith::AddIOp>();
  if (op && getConstant(op.getRhs(), constant))
    sum = op.getLhs();
  return constant;
}

/// Sums and multiples with constants last: what differs by a constant, as
/// neighbours do, has the rest in common, and an instruction adds the constant.
static Value createSum(OpBuilder &builder, Location loc, AffineExprKind kind,
                       Value lhs, Value rhs) {
  auto flags = arith::IntegerOverflowFlags::nsw;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t factor = 0, summand = takeConstant(lhs);
  Value result;
  if (kind == AffineExprKind::Mul) {
    getConstant(rhs, factor);
    summand *= factor;
    result =
        !lhs || factor == 1
            ? lhs
            : arith::MulIOp::create(builder, loc, lhs, rhs, flags).getResult();
  } else {
    summand += takeConstant(rhs);
    result =
        !lhs || !rhs
            ? (lhs ? lhs : rhs)
            : arith::AddIOp::create(builder, loc, lhs, rhs, flags).getResult();
  }
  if (!result)
    return constant(summand);
  if (summand == 0)
    return result;
  return arith::AddIOp::create(builder, loc, result, constant(summand), flags);
}

static Value createIndexOp(OpBuilder &builder, Location loc,
                           AffineExprKind kind, Value lhs, Value rhs) {
  int64_t factor = 0;
  if (lhs.getType().isIndex() && rhs.getType().isIndex() &&
      (kind == AffineExprKind::Add ||
       (kind == AffineExprKind::Mul && getConstant(rhs, factor))))
    return createSum(builder, loc, kind, lhs, rhs);
  // Indices do not wrap.
  auto flags = arith::IntegerOverflowFlags::nsw;
  switch (kind) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs, flags);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs, flags);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  default: {
    // The remainder of a floor division: it is never negative.
    Value rest = arith::RemSIOp::create(builder, loc, lhs, rhs);
    Value shifted = arith::AddIOp::create(builder, loc, rest, rhs, flags);
    return arith::RemSIOp::create(builder, loc, shifted, rhs);
  }
  }
}

LaneValue LaneEmitter::emitBinary(AffineExprKind kind, LaneValue lhs,
                                  LaneValue rhs) {
  int64_t factor = 0;
  bool isConstant =
      rhs.kind == LaneValue::Uniform && getConstant(rhs.value, factor);
  if (lhs.kind == LaneValue::Uniform && rhs.kind == LaneValue::Uniform)
    return {LaneValue::Uniform,
            createIndexOp(builder, loc, kind, lhs.value, rhs.value), 0};
  bool isEven =
      lhs.kind != LaneValue::Varying && rhs.kind != LaneValue::Varying;
  if (isEven && (kind == AffineExprKind::Add ||
                 (kind == AffineExprKind::Mul && isConstant))) {
    int64_t step =
        kind == AffineExprKind::Add ? lhs.step + rhs.step : lhs.step * factor;
    Value first = createIndexOp(builder, loc, kind, lhs.value, rhs.value);
    return {step ? LaneValue::Linear : LaneValue::Uniform, first, step};
  }
  return {LaneValue::Varying,
          createIndexOp(builder, loc, kind, toVector(lhs), toVector(rhs)), 0};
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Whether a branch guards little else than reads, and has no other side.
static bool isCheapGuard(scf::IfOp branch) {
  constexpr unsigned kFewOps = 12;
  if (!branch.elseBlock()->without_terminator().empty())
    return false;
  unsigned numOps = 0;
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && extract.getTensor().getType().getNumElements() == 0)
      return false;
    if (op.getNumRegions() > 0 || isa<math::MathDialect>(op.getDialect()) ||
        isa<arith::DivSIOp, arith::RemSIOp>(op) || ++numOps > kFewOps)
      return false;
  }
  return true;
}

void LaneEmitter::emitIf(Operation &op) {
  LaneValue condition = lookUp(op.getOperand(0));
  if (condition.kind == LaneValue::Varying)
    emitMaskedIf(op, condition.value);
  else if (isCheapGuard(cast<scf::IfOp>(op)) && !uniformGuard && !guardMask)
    emitGuardedIf(op, condition.value);
  else
    emitUniformIf(op, condition.value);
}

/// A read that all lanes do or do not: the read happens anyway, where that is
/// safe, and its value is chosen.
void LaneEmitter::emitGuardedIf(Operation &op, Value condition) {
  auto branch = cast<scf::IfOp>(op);
  uniformGuard = condition;
  emitOps(*branch.thenBlock());
  uniformGuard = {};
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    LaneValue onTrue = lookUp(branch.thenYield().getOperand(i));
    LaneValue onFalse = lookUp(branch.elseYield().getOperand(i));
    bool isUniform =
        onTrue.kind == LaneValue::Uniform && onFalse.kind == LaneValue::Uniform;
    Value chosen = arith::SelectOp::create(
        builder, loc, condition, isUniform ? onTrue.value : toVector(onTrue),
        isUniform ? onFalse.value : toVector(onFalse));
    values[op.getResult(i)] = {
        isUniform ? LaneValue::Uniform : LaneValue::Varying, chosen, 0};
  }
}

/// A branch that all lanes take together.
void LaneEmitter::emitUniformIf(Operation &op, Value condition) {
  auto branch = cast<scf::IfOp>(op);
  bool isVector = lanes > 1;
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(isVector ? vectorOf(type) : type);
  auto emitted = scf::IfOp::create(builder, loc, types, condition,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto emitRegion = [&](Block *from, Block *to) {
    builder.setInsertionPointToStart(to);
    emitOps(*from);
    SmallVector<Value> results;
    for (Value result : from->getTerminator()->getOperands())
      results.push_back(isVector ? toVector(lookUp(result))
                                 : lookUp(result).value);
    scf::YieldOp::create(builder, loc, results);
  };
  emitRegion(branch.thenBlock(), emitted.thenBlock());
  emitRegion(branch.elseBlock(), emitted.elseBlock());
  for (auto [from, to] : llvm::zip(op.getResults(), emitted.getResults()))
    values[from] = {isVector ? LaneValue::Varying : LaneValue::Uniform, to, 0};
}

/// Both sides under masks; a select where they meet.
void LaneEmitter::emitMaskedIf(Operation &op, Value mask) {
  auto branch = cast<scf::IfOp>(op);
  Value outer = guardMask;
  auto emitUnder = [&](Block *block, Value condition) {
    guardMask =
        outer
            ? arith::AndIOp::create(builder, loc, outer, condition).getResult()
            : condition;
    emitOps(*block);
    guardMask = outer;
  };
  // The other side comes first: its value may be what a masked load gives
  // where it loads nothing.
  Block *otherwise = branch.elseBlock();
  if (!otherwise->without_terminator().empty()) {
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vectorOf(builder.getI1Type()), true));
    emitUnder(otherwise, arith::XOrIOp::create(builder, loc, mask, ones));
  }
  emitUnder(branch.thenBlock(), mask);
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    LaneValue then = lookUp(branch.thenYield().getOperand(i));
    Value onFalse = toVector(lookUp(branch.elseYield().getOperand(i)));
    Value onTrue = toVector(then);
    values[op.getResult(i)] = {
        LaneValue::Varying,
        arith::SelectOp::create(builder, loc, mask, onTrue, onFalse), 0};
  }
}

} // namespace tandem
