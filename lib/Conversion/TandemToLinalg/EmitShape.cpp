//===- EmitShape.cpp - Shape ops as changes of the index ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementalEmitter.h"

#include "tandem/Dialect/Tandem/IR/IntToFloat.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tandem {

static Type elementTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static Value emitReshape(ElementalEmitter &emitter, ir::ReshapeOp op,
                         const ElementIndex &index) {
  return emitter.emit(op.getInput(),
                      reshapeIndex(emitter.getRanges(), index,
                                   shapeOf(op.getResult()),
                                   shapeOf(op.getInput()), op.getContext()));
}

/// Converts the pad value as `cast` does: integers truncate and saturate.
static Value emitPadValue(ElementalEmitter &emitter, ir::PadOp op) {
  Type elementType = elementTypeOf(op.getInput());
  double value = op.getValue().convertToDouble();
  if (auto integer = dyn_cast<IntegerType>(elementType)) {
    APSInt converted(integer.getWidth(), integer.isUnsignedInteger());
    bool isExact;
    APFloat(value).convertToInteger(converted, APFloat::rmTowardZero, &isExact);
    return arith::ConstantOp::create(
        emitter.getBuilder(), emitter.getLoc(),
        IntegerAttr::get(getComputeType(integer), converted));
  }
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(elementType).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return emitter.constant(getComputeType(elementType),
                          rounded.convertToDouble());
}

static Value emitPad(ElementalEmitter &emitter, ir::PadOp op,
                     const ElementIndex &index) {
  SmallVector<Value> conditions;
  ElementIndex inner;
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getInput()))) {
    AffineExpr expr = index[i] - op.getLow()[i];
    int64_t step = op.getInterior()[i] + 1;
    emitter.emitInRange(expr, size == 0 ? 0 : (size - 1) * step + 1,
                        conditions);
    if (step > 1 && size > 1) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      // `expr` may be negative here: the mod of an affine map is not.
      Value rest = emitter.materialize(expr % step);
      conditions.push_back(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, rest, zero));
    }
    inner.push_back(size <= 1 ? builder.getAffineConstantExpr(0)
                              : emitter.getRanges().floorDiv(expr, step));
  }
  return emitter.emitGuarded(conditions, emitPadValue(emitter, op), [&] {
    return emitter.emit(op.getInput(), inner);
  });
}

/// The elements of operands `first` and later, whose range of the axis starts
/// at `offset`.
static Value emitConcatFrom(ElementalEmitter &emitter, ir::ConcatOp op,
                            const ElementIndex &index, unsigned first,
                            int64_t offset) {
  int64_t axis = op.getAxis();
  Value input = op.getInputs()[first];
  int64_t end = offset + shapeOf(input)[axis];
  AffineExpr expr = index[axis];
  std::optional<IndexRanges::Range> range = emitter.getRanges().get(expr);
  bool isLast = first + 1 == op.getInputs().size();
  // Operands that this index cannot reach cost nothing.
  if (!isLast && range && range->low >= end)
    return emitConcatFrom(emitter, op, index, first + 1, end);
  ElementIndex inner = index;
  inner[axis] = expr - offset;
  if (isLast || (range && range->high < end))
    return emitter.emit(input, inner);
  OpBuilder &builder = emitter.getBuilder();
  Value limit = arith::ConstantIndexOp::create(builder, emitter.getLoc(), end);
  Value isHere = arith::CmpIOp::create(builder, emitter.getLoc(),
                                       arith::CmpIPredicate::slt,
                                       emitter.materialize(expr), limit);
  return emitter.emitBranch(
      isHere, getComputeType(elementTypeOf(input)),
      [&] { return emitter.emit(input, inner); },
      [&] { return emitConcatFrom(emitter, op, index, first + 1, end); });
}

/// Indices that a type cannot hold are rounded, as by `cast`; computing on half
/// types goes on in f32.
static Value emitIota(ElementalEmitter &emitter, ir::IotaOp op,
                      const ElementIndex &index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type type = getComputeType(elementTypeOf(op.getResult()));
  Value position = emitter.materialize(index[op.getAxis()]);
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), position);
  if (auto floatType = dyn_cast<FloatType>(elementTypeOf(op.getResult())))
    return toComputeType(builder, loc,
                         ir::buildIntToFloat(builder, loc, integer, floatType));
  if (type.isInteger(64))
    return integer;
  return arith::TruncIOp::create(builder, loc, type, integer);
}

/// Whether `position` is an unsigned integer so narrow that it is always within
/// `size` elements.
static bool isInRange(Value position, int64_t size) {
  auto extension = position.getDefiningOp<arith::ExtUIOp>();
  if (!extension)
    return false;
  const unsigned bits = extension.getIn().getType().getIntOrFloatBitWidth();
  return bits < 63 && (int64_t(1) << bits) <= size;
}

/// The index that `position`, an integer, stands for in a dim of `size`.
static Value clampPosition(ElementalEmitter &emitter, Value position,
                           int64_t size) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type wide = builder.getI64Type();
  const bool isInside = isInRange(position, size);
  if (position.getType() != wide)
    position = arith::ExtSIOp::create(builder, loc, wide, position);
  if (!isInside) {
    position = arith::MaxSIOp::create(builder, loc, position,
                                      emitter.constant(wide, 0));
    position = arith::MinSIOp::create(builder, loc, position,
                                      emitter.constant(wide, size - 1));
  }
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    position);
}

static Value emitGather(ElementalEmitter &emitter, ir::GatherOp op,
                        const ElementIndex &index) {
  int64_t axis = op.getAxis();
  int64_t rank = shapeOf(op.getIndices()).size();
  auto begin = index.begin() + axis;
  Value position =
      emitter.emit(op.getIndices(), ArrayRef<AffineExpr>(begin, begin + rank));
  if (!position)
    return {};
  int64_t size = shapeOf(op.getInput())[axis];
  position = clampPosition(emitter, position, size);
  ElementIndex inner(index.begin(), begin);
  inner.push_back(emitter.makeSymbol(position, size));
  inner.append(begin + rank, index.end());
  return emitter.emit(op.getInput(), inner);
}

static Value emitConstant(ElementalEmitter &emitter, ir::ConstantOp op,
                          const ElementIndex &index) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat()) {
    op.emitOpError("is not a dense constant");
    return {};
  }
  OpBuilder &builder = emitter.getBuilder();
  auto value = elements.getSplatValue<TypedAttr>();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value =
        IntegerAttr::get(getComputeType(integer.getType()), integer.getValue());
  auto scalar = arith::ConstantOp::create(builder, emitter.getLoc(), value);
  return toComputeType(builder, emitter.getLoc(), scalar);
}

/// (input - mean) * (scale / sqrt(variance + epsilon)) + offset: the factor is
/// the same wherever the channel is.
static Value emitBatchNorm(ElementalEmitter &emitter, ir::BatchNormOp op,
                           const ElementIndex &index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  AffineExpr channel = index[op.getAxis()];
  Value input = emitter.emit(op.getInput(), index);
  Value scale = emitter.emit(op.getScale(), channel);
  Value offset = emitter.emit(op.getOffset(), channel);
  Value mean = emitter.emit(op.getMean(), channel);
  Value variance = emitter.emit(op.getVariance(), channel);
  if (!input || !scale || !offset || !mean || !variance)
    return {};
  Value epsilon =
      emitter.constant(variance.getType(), op.getEpsilon().convertToDouble());
  Value biased = arith::AddFOp::create(builder, loc, variance, epsilon);
  Value deviation = math::SqrtOp::create(builder, loc, biased);
  Value factor = arith::DivFOp::create(builder, loc, scale, deviation);
  Value centered = arith::SubFOp::create(builder, loc, input, mean);
  return addProduct(builder, loc, offset, centered, factor);
}

Value emitShapeOp(ElementalEmitter &emitter, Operation *op,
                  const ElementIndex &index) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ir::ReshapeOp op) { return emitReshape(emitter, op, index); })
      .Case([&](ir::PadOp op) { return emitPad(emitter, op, index); })
      .Case([&](ir::ConcatOp op) {
        return emitConcatFrom(emitter, op, index, 0, 0);
      })
      .Case([&](ir::IotaOp op) { return emitIota(emitter, op, index); })
      .Case([&](ir::GatherOp op) { return emitGather(emitter, op, index); })
      .Case([&](ir::ConstantOp op) { return emitConstant(emitter, op, index); })
      .Case(
          [&](ir::BatchNormOp op) { return emitBatchNorm(emitter, op, index); })
      .Default([](Operation *op) -> Value {
        op->emitOpError("cannot be emitted elementally");
        return {};
      });
}

} // namespace tandem
