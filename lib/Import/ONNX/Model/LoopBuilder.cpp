//===- LoopBuilder.cpp - Building tandem.loop -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/LoopBuilder.h"

#include "tandem/Dialect/Tandem/IR/BuildOp.h"

using namespace mlir;

namespace tandem::onnx {

LoopBuilder::LoopBuilder(Node &node, ArrayRef<Value> carried,
                         ArrayRef<Value> scanned, std::optional<int64_t> trips)
    : node(node), initial(carried), scanned(scanned), trips(trips),
      region(std::make_unique<Region>()), body(&region->emplaceBlock()),
      before(node.state().builder.saveInsertionPoint()),
      isOutermost(!node.state().outside.isSet()) {
  for (Value value : initial)
    addArgument(node.type(value), node.sizesOf(value));
  for (Value value : scanned) {
    RankedTensorType type = node.type(value);
    Sizes sizes = node.sizesOf(value);
    if (!node.require(type.getRank() > 0, "scans a value without dims"))
      return;
    sizes.erase(sizes.begin());
    addArgument(type.clone(type.getShape().drop_front()), sizes);
  }
  if (isOutermost)
    node.state().outside = before;
  node.state().builder.setInsertionPointToEnd(body);
}

LoopBuilder::~LoopBuilder() {
  if (region)
    leave();
}

void LoopBuilder::leave() {
  if (isOutermost)
    node.state().outside = {};
  node.state().builder.restoreInsertionPoint(before);
}

Value LoopBuilder::addArgument(RankedTensorType type, Sizes sizes) {
  Value argument = body->addArgument(type, node.location());
  if (!type.hasStaticShape())
    node.state().setSizes(argument, std::move(sizes));
  return argument;
}

bool LoopBuilder::canCarryOn(ArrayRef<Value> values) {
  for (auto [i, value] : llvm::enumerate(initial))
    if (!values[i] ||
        !node.require(
            ir::detail::areCompatible(values[i].getType(), value.getType()),
            "carries a value on as one of another type"))
      return false;
  return !node.hasFailed() &&
         llvm::all_of(values, [](Value value) { return bool(value); });
}

SmallVector<Value> LoopBuilder::finish(ArrayRef<Value> values,
                                       ArrayRef<bool> reversed) {
  OpBuilder &builder = node.state().builder;
  if (!canCarryOn(values))
    return SmallVector<Value>(values.size());
  SmallVector<Type> types;
  SmallVector<Sizes> sizes;
  const Size length = trips ? Size(*trips) : node.sizesOf(scanned[0])[0];
  for (auto [i, value] : llvm::enumerate(values)) {
    RankedTensorType type = node.type(i < initial.size() ? initial[i] : value);
    sizes.push_back(node.sizesOf(i < initial.size() ? initial[i] : value));
    if (i >= initial.size()) {
      SmallVector<int64_t> shape{length.value().value_or(ShapedType::kDynamic)};
      llvm::append_range(shape, type.getShape());
      type = type.clone(shape);
      sizes.back().insert(sizes.back().begin(), length);
    }
    types.push_back(type);
    if (!node.require(isAddressable(type), whyNotAddressable(type)))
      return SmallVector<Value>(values.size());
  }
  leave();
  auto loop = ir::buildLoop(
      builder, node.location(), types,
      {initial, scanned, trips, reversed, *region, values}, [&](Value value) {
        return addArgument(node.type(value), node.sizesOf(value));
      });
  region.reset();
  for (auto [result, known] : llvm::zip(loop.getResults(), sizes))
    if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
      node.state().setSizes(result, known);
  return SmallVector<Value>(loop.getResults());
}

} // namespace tandem::onnx
