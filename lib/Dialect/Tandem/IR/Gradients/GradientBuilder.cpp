//===- GradientBuilder.cpp - Emitting the gradients of an op --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

/// Emitted ops have the location of the op, marked as its backward part.
static Location markBackward(Operation *op) {
  return FusedLoc::get(op->getContext(), {op->getLoc()},
                       StringAttr::get(op->getContext(), "backward"));
}

GradientBuilder::GradientBuilder(
    OpBuilder &builder, Operation *op, ArrayRef<Value> results,
    function_ref<bool(Value)> isWanted,
    function_ref<void(unsigned, Value)> addGradient)
    : builder(builder), op(op), loc(markBackward(op)), results(results),
      wants(isWanted), addGradient(addGradient) {}

void GradientBuilder::add(unsigned operand, Value gradient) {
  if (gradient && isWanted(operand))
    addGradient(operand, sumTo(gradient, shapeOf(op->getOperand(operand))));
}

LogicalResult GradientBuilder::fail(const Twine &message, StringRef hint) {
  InFlightDiagnostic error = op->emitOpError(message);
  error.attachNote() << hint;
  return failure();
}

Value GradientBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return shapeOf(x) == shape
             ? x
             : create<ReshapeOp>(x, builder.getDenseI64ArrayAttr(shape));
}

Value GradientBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  return create<TransposeOp>(x, builder.getDenseI64ArrayAttr(permutation));
}

Value GradientBuilder::reduce(Value x, ReduceKind kind, ArrayRef<int64_t> dims,
                              bool keepDims) {
  return create<ReduceOp>(x, kind, builder.getDenseI64ArrayAttr(dims),
                          keepDims);
}

Value GradientBuilder::slice(Value x, ArrayRef<int64_t> starts,
                             ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  return create<SliceOp>(x, builder.getDenseI64ArrayAttr(starts),
                         builder.getDenseI64ArrayAttr(limits),
                         builder.getDenseI64ArrayAttr(strides));
}

Value GradientBuilder::pad(Value x, ArrayRef<int64_t> low,
                           ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  return create<PadOp>(
      x, builder.getDenseI64ArrayAttr(low), builder.getDenseI64ArrayAttr(high),
      builder.getDenseI64ArrayAttr(interior), builder.getF64FloatAttr(0));
}

Value GradientBuilder::splat(double number, RankedTensorType type) {
  Type element = type.getElementType();
  Attribute value;
  if (isa<FloatType>(element))
    value = builder.getFloatAttr(element, number);
  else
    value = builder.getIntegerAttr(element, static_cast<int64_t>(number));
  return create<ConstantOp>(SplatElementsAttr::get(type, value));
}

Value GradientBuilder::scalar(double number, Value like) {
  return splat(number,
               RankedTensorType::get({}, typeOf(like).getElementType()));
}

Value GradientBuilder::sumTo(Value x, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(x);
  if (from == shape)
    return x;
  const size_t added = from.size() - shape.size();
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < from.size(); ++i)
    if (i < added || (shape[i - added] == 1 && from[i] != 1))
      dims.push_back(static_cast<int64_t>(i));
  if (!dims.empty())
    x = reduce(x, ReduceKind::sum, dims, /*keepDims=*/false);
  return reshape(x, shape);
}

Value GradientBuilder::addAlongLines(Value x, Value indices, int64_t axis,
                                     RankedTensorType type) {
  auto places = RankedTensorType::get(shapeOf(indices), builder.getI64Type());
  // The number of the element of all elements of the result.
  Value place;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    Value along = dim == axis ? indices : create<IotaOp>(places, dim);
    along = mul(along, static_cast<double>(stride));
    place = place ? add(place, along) : along;
    stride *= type.getDimSize(dim);
  }
  const int64_t count = places.getNumElements();
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Value sum =
      create<ScatterOp>(splat(0, flat), reshape(place, {count}),
                        reshape(x, {count}), uint64_t(0), ScatterKind::add);
  return reshape(sum, type.getShape());
}

Value GradientBuilder::restoreDims(Value x, ArrayRef<int64_t> dims,
                                   int64_t rank) {
  if (typeOf(x).getRank() == rank)
    return x;
  SmallVector<int64_t> shape;
  ArrayRef<int64_t> rest = shapeOf(x);
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool isReduced = llvm::is_contained(dims, dim);
    shape.push_back(isReduced ? 1 : rest.front());
    if (!isReduced)
      rest = rest.drop_front();
  }
  return reshape(x, shape);
}

Value GradientBuilder::alongAxis(Value x, int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(rank - axis, 1);
  shape[0] = typeOf(x).getNumElements();
  return reshape(x, shape);
}

} // namespace tandem::ir
