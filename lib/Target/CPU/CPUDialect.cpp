//===- CPUDialect.cpp - The dialect of the CPU's target -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUDialect.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::cpu;

#include "tandem/Target/CPU/CPUDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tandem/Target/CPU/CPUOps.cpp.inc"

void TandemCPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tandem/Target/CPU/CPUOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// winograd_kernel
//===----------------------------------------------------------------------===//

Value WinogradKernelOp::getSource() { return getKernel(); }

LogicalResult WinogradKernelOp::verify() {
  using namespace tandem::winograd;
  ArrayRef<int64_t> from = getKernel().getType().getShape();
  ArrayRef<int64_t> to = getTransformed().getType().getShape();
  if (from.size() != 4 || to.size() != 4 || to[0] != kSize || to[1] != kSize ||
      from[0] != kTaps || from[1] != kTaps ||
      from.drop_front(2) != to.drop_front(2) ||
      getType() != getKernel().getType())
    return emitOpError("C1: does not pair 3x3xIxO with 6x6xIxO");
  if (!getLargestData().isFinite() || getLargestData().isNegative() ||
      getLargestData().isZero())
    return emitOpError("C2: largest_data must be finite and positive");
  return success();
}

//===----------------------------------------------------------------------===//
// scale_weights
//===----------------------------------------------------------------------===//

int64_t ScaleWeightsOp::getBlockSize() {
  return static_cast<int64_t>(getBlock());
}

LogicalResult ScaleWeightsOp::verify() {
  ArrayRef<int64_t> shape = getValues().getType().getShape();
  ArrayRef<int64_t> scales = getScales().getType().getShape();
  if (getBlockSize() <= 0)
    return emitOpError("C2: block must be positive");
  if (shape.size() != 2 || scales.size() != 2 ||
      shape != getType().getShape() || scales[1] != shape[1] ||
      scales[0] != llvm::divideCeilSigned(shape[0], getBlockSize()))
    return emitOpError("C1: does not pair IxO with ceil(I / block)xO");
  return success();
}

namespace {
/// Creates the ops that scale_weights stands for.
class Expansion {
public:
  Expansion(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// `values`, whose rows are in whole blocks, times `scales`.
  Value multiply(Value values, Value scales);
  /// `values` with rows of zeros behind the last one.
  Value pad(Value values, int64_t rows);
  Value slice(Value values, ArrayRef<int64_t> shape);

private:
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return ir::ReshapeOp::create(builder, loc, value,
                                 builder.getDenseI64ArrayAttr(shape));
  }
  DenseI64ArrayAttr array(ArrayRef<int64_t> numbers) {
    return builder.getDenseI64ArrayAttr(numbers);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

Value Expansion::multiply(Value values, Value scales) {
  const SmallVector<int64_t> shape(shapeOf(values));
  const int64_t blocks = shapeOf(scales)[0], outputs = shape[1];
  values = reshape(values, {blocks, shape[0] / blocks, outputs});
  scales = reshape(scales, {blocks, 1, outputs});
  return reshape(ir::MulOp::create(builder, loc, values, scales), shape);
}

Value Expansion::pad(Value values, int64_t rows) {
  return ir::PadOp::create(builder, loc, values, array({0, 0}),
                           array({rows, 0}), array({0, 0}),
                           builder.getF64FloatAttr(0.0));
}

Value Expansion::slice(Value values, ArrayRef<int64_t> shape) {
  return ir::SliceOp::create(builder, loc, values, array({0, 0}), array(shape),
                             array({1, 1}));
}

Value ScaleWeightsOp::expand(OpBuilder &builder) {
  Expansion expansion(builder, getLoc());
  const ArrayRef<int64_t> shape = getType().getShape();
  Value values = ir::CastOp::create(builder, getLoc(), getValues(),
                                    getType().getElementType());
  const int64_t blocks = shapeOf(getScales())[0],
                size = blocks == 1 ? shape[0] : getBlockSize(),
                missing = blocks * size - shape[0];
  if (missing == 0)
    return expansion.multiply(values, getScales());
  return expansion.slice(
      expansion.multiply(expansion.pad(values, missing), getScales()), shape);
}

LogicalResult UnpackIntegersOp::verify() {
  SmallVector<int64_t> shape(getBytes().getType().getShape());
  if (!shape.empty())
    shape.back() *= 2;
  if (shape.empty() || getType().getShape() != ArrayRef(shape))
    return emitOpError("C1: does not double the innermost dim");
  return success();
}

/// A shift to the right by 4 bits leaves the upper integer of a byte, because
/// it fills the bits with the sign. A shift to the left first moves the lower
/// integer to the upper bits.
Value UnpackIntegersOp::expand(OpBuilder &builder) {
  const Location loc = getLoc();
  auto type = RankedTensorType::get({}, builder.getI8Type());
  Value four = ir::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, builder.getI8IntegerAttr(4)));
  Value lower = ir::ShiftLeftOp::create(builder, loc, getBytes(), four);
  return ir::ConcatOp::create(
      builder, loc,
      ValueRange{ir::ShiftRightOp::create(builder, loc, lower, four),
                 ir::ShiftRightOp::create(builder, loc, getBytes(), four)},
      getType().getRank() - 1);
}
