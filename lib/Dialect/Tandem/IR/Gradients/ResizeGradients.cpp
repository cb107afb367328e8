//===- ResizeGradients.cpp - Gradients of resize --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"
#include "tandem/Support/Resize.h"

using namespace mlir;

namespace tandem::ir {

/// The gradient of one resized dim: each element of `g` is multiplied by the
/// weight of each of its taps and added to the element under that tap.
static Value addToTaps(GradientBuilder &b, Value g, int64_t dim, int64_t from,
                       const ResizeTable &table) {
  OpBuilder &builder = b.getBuilder();
  SmallVector<int64_t> shape(shapeOf(g));
  Type element = typeOf(g).getElementType();
  shape[dim] = from;
  Value sum = b.splat(0, RankedTensorType::get(shape, element));
  auto line = RankedTensorType::get({table.size()}, builder.getI64Type());
  for (int64_t tap = 0; tap < table.maxTaps; ++tap) {
    SmallVector<int64_t> indices;
    SmallVector<Attribute> weights;
    for (int64_t i = 0; i < table.size(); ++i) {
      const bool isThere =
          tap < table.numTaps(i) &&
          (table.isExtrapolated.empty() || !table.isExtrapolated[i]);
      // An index out of range adds to no element.
      indices.push_back(isThere ? table.tapsOf(i)[tap].index : from);
      weights.push_back(builder.getFloatAttr(
          element, isThere ? table.tapsOf(i)[tap].weight : 0));
    }
    Value weight = b.alongAxis(
        b.create<ConstantOp>(DenseElementsAttr::get(
            RankedTensorType::get({table.size()}, element), weights)),
        dim, typeOf(g).getRank());
    Value index =
        b.create<ConstantOp>(DenseElementsAttr::get(line, ArrayRef(indices)));
    sum = b.create<ScatterOp>(sum, index, b.mul(g, weight),
                              static_cast<uint64_t>(dim), ScatterKind::add);
  }
  return sum;
}

LogicalResult ResizeOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0) || !isa<FloatType>(typeOf(getInput()).getElementType()))
    return success();
  const OpDesc desc = getOpDesc();
  const auto &attrs = *desc.attrs.AsResizeAttrs();
  Value g = b.gradient();
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  for (auto [i, dim] : llvm::enumerate(attrs.dims)) {
    const ResizeTable table(resizeDim(attrs, i, from[dim], to[dim]));
    g = addToTaps(b, g, dim, from[dim], table);
  }
  b.add(0, g);
  return success();
}

} // namespace tandem::ir
