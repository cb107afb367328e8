//===- NodeOps.cpp - Ops that nodes are made of ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Node.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

using namespace mlir;

namespace tandem::onnx {

NamedAttribute Node::attribute(StringRef name, Attribute value) {
  return context.builder.getNamedAttr(name, value);
}

NamedAttribute Node::ints(StringRef name, ArrayRef<int64_t> value) {
  return attribute(name, context.builder.getDenseI64ArrayAttr(value));
}

NamedAttribute Node::integer(StringRef name, int64_t value) {
  return attribute(name, context.builder.getI64IntegerAttr(value));
}

NamedAttribute Node::unit(StringRef name) {
  return attribute(name, context.builder.getUnitAttr());
}

Value Node::constant(ElementsAttr elements) {
  return context.constant(loc, elements);
}

Value Node::scalar(Type type, double value) {
  Attribute element;
  if (auto floatType = dyn_cast<FloatType>(type))
    element = FloatAttr::get(floatType, value);
  else
    element = IntegerAttr::get(type, toInteger(value));
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, type), element));
}

Value Node::scalar(Value like, double value) {
  return scalar(element(like), value);
}

Value Node::table(RankedTensorType type, ArrayRef<double> values) {
  if (type.getElementType().isF32())
    return constant(DenseElementsAttr::get<float>(
        type, SmallVector<float>(values.begin(), values.end())));
  auto floatType = dyn_cast<FloatType>(type.getElementType());
  if (!floatType) {
    SmallVector<APInt> integers;
    for (double value : values)
      integers.emplace_back(type.getElementTypeBitWidth(), toInteger(value),
                            /*isSigned=*/true,
                            /*implicitTrunc=*/true);
    return constant(DenseElementsAttr::get(type, integers));
  }
  SmallVector<APFloat> floats;
  for (double value : values) {
    bool losesInfo;
    floats.emplace_back(value);
    floats.back().convert(floatType.getFloatSemantics(),
                          APFloat::rmNearestTiesToEven, &losesInfo);
  }
  return constant(DenseElementsAttr::get(type, floats));
}

Value Node::vector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    context.builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value Node::add(Value lhs, Value rhs) { return emit<ir::AddOp>({lhs, rhs}); }
Value Node::sub(Value lhs, Value rhs) { return emit<ir::SubOp>({lhs, rhs}); }
Value Node::mul(Value lhs, Value rhs) { return emit<ir::MulOp>({lhs, rhs}); }
Value Node::div(Value lhs, Value rhs) { return emit<ir::DivOp>({lhs, rhs}); }

Value Node::compare(ir::ComparePredicate predicate, Value lhs, Value rhs) {
  return emit<ir::CompareOp>(
      {lhs, rhs}, attribute("predicate", ir::ComparePredicateAttr::get(
                                             loc.getContext(), predicate)));
}

Value Node::select(Value condition, Value onTrue, Value onFalse) {
  return emit<ir::SelectOp>({condition, onTrue, onFalse});
}

Value Node::cast(Value value, Type type) {
  if (element(value) == type)
    return value;
  return emit<ir::CastOp>(value, attribute("dtype", TypeAttr::get(type)));
}

Value Node::reshape(Value value, const Sizes &shape) {
  Ints target;
  bool hasFree = false;
  for (const Size &size : shape) {
    if (!size.value() && hasFree)
      error("a shape with several free dims: " +
                context.describeFreeDims(shape),
            "give them sizes, as in --dim=NAME=8");
    hasFree |= !size.value();
    target.push_back(size.value().value_or(-1));
  }
  if (hasFailed())
    return {};
  Value result = emit<ir::ReshapeOp>(value, ints("shape", target));
  if (result && result != value)
    context.setSizes(result, shape);
  return result;
}

Value Node::transpose(Value value, ArrayRef<int64_t> permutation) {
  return emit<ir::TransposeOp>(value, ints("permutation", permutation));
}

Value Node::reduce(ir::ReduceKind kind, Value value, ArrayRef<int64_t> dims,
                   bool keepDims) {
  SmallVector<NamedAttribute> attributes{
      attribute("kind", ir::ReduceKindAttr::get(loc.getContext(), kind)),
      ints("dims", dims)};
  if (keepDims)
    attributes.push_back(unit("keep_dims"));
  return emit<ir::ReduceOp>(value, attributes);
}

Value Node::gather(Value value, Value indices, int64_t axis) {
  return emit<ir::GatherOp>({value, indices}, integer("axis", axis));
}

Value Node::concat(ValueRange values, int64_t axis) {
  return values.size() == 1 ? values[0]
                            : emit<ir::ConcatOp>(values, integer("axis", axis));
}

Value Node::slice(Value value, int64_t axis, int64_t start, int64_t limit,
                  int64_t stride) {
  Ints starts(rank(value), 0), strides(rank(value), 1);
  Ints limits(rank(value), std::numeric_limits<int64_t>::max());
  if (!require(axis >= 0 && axis < rank(value),
               "an operand has fewer dims than the op needs"))
    return {};
  starts[axis] = start;
  limits[axis] = limit;
  strides[axis] = stride;
  return emit<ir::SliceOp>(value,
                           {ints("starts", starts), ints("limits", limits),
                            ints("strides", strides)});
}

Value Node::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                ArrayRef<int64_t> interior, double with) {
  return emit<ir::PadOp>(
      value, {ints("low", low), ints("high", high), ints("interior", interior),
              attribute("value", context.builder.getF64FloatAttr(with))});
}

Value Node::iota(ArrayRef<int64_t> shape, int64_t axis, Type element) {
  auto type = RankedTensorType::get(shape, element);
  if (hasFailed() || !require(isAddressable(type), whyNotAddressable(type)))
    return {};
  return ir::IotaOp::create(context.builder, loc, type, axis);
}

Value Node::expand(Value value, ArrayRef<int64_t> shape) {
  if (type(value).getShape() == shape)
    return value;
  Ints dims;
  for (int64_t i = 0; i < rank(value); ++i)
    dims.push_back(shape.size() - rank(value) + i);
  return emit<ir::BroadcastOp>(value,
                               {ints("shape", shape), ints("dims", dims)});
}

} // namespace tandem::onnx
