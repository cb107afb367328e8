//===- IndexingGradients.cpp - Gradients of ops that move by index --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {
namespace {

/// Indices along dim `axis` of a tensor, and how they select.
struct Selection {
  GradientBuilder &b;
  Value indices;
  int64_t axis, size;

  /// The indices, each as the nearest one in range.
  Value clamped() {
    return b.create<ClampOp>(indices, b.scalar(0, indices),
                             b.scalar(static_cast<double>(size - 1), indices));
  }
  Value gather(Value x) {
    return b.create<GatherOp>(x, clamped(), static_cast<uint64_t>(axis));
  }
  /// `x`, one element per index, as a tensor that broadcasts to the shape of
  /// what is gathered from a tensor with `rank` dims.
  Value broadcastable(Value x, int64_t rank) {
    SmallVector<int64_t> shape(shapeOf(x));
    shape.append(rank - axis - 1, 1);
    return b.reshape(x, shape);
  }
  /// Whether each index is in range.
  Value inRange() {
    Value isLow =
        b.compare(ComparePredicate::lt, indices, b.scalar(0, indices));
    Value isHigh = b.compare(ComparePredicate::ge, indices,
                             b.scalar(static_cast<double>(size), indices));
    return b.create<LogicalNotOp>(b.create<LogicalOrOp>(isLow, isHigh));
  }
};

Value scatter(GradientBuilder &b, Value x, Value indices, Value updates,
              int64_t axis, ScatterKind kind) {
  return b.create<ScatterOp>(x, indices, updates, static_cast<uint64_t>(axis),
                             kind);
}

} // namespace

LogicalResult GatherOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  const auto axis = static_cast<int64_t>(getAxis());
  Selection selection{b, getIndices(), axis, shapeOf(getInput())[axis]};
  b.add(0, scatter(b, b.splat(0, typeOf(getInput())), selection.clamped(),
                   b.gradient(), axis, ScatterKind::add));
  return success();
}

/// Whether each update of a scatter that replaces elements is the last one of
/// its element.
static Value isLast(GradientBuilder &b, Selection &selection) {
  auto type = RankedTensorType::get(shapeOf(selection.indices),
                                    b.getBuilder().getI64Type());
  const int64_t count = type.getNumElements();
  auto flat = RankedTensorType::get({count}, type.getElementType());
  Value numbers =
      b.reshape(b.create<IotaOp>(flat, /*axis=*/0), type.getShape());
  auto line = RankedTensorType::get({selection.size}, type.getElementType());
  Value last = scatter(b, b.splat(-1, line), selection.indices, numbers,
                       /*axis=*/0, ScatterKind::replace);
  Selection ofLine{b, selection.indices, 0, selection.size};
  return b.compare(ComparePredicate::eq, ofLine.gather(last), numbers);
}

LogicalResult ScatterOp::buildGradients(GradientBuilder &b) {
  const bool isReplaced = getKind() == ScatterKind::replace;
  if (!isReplaced && getKind() != ScatterKind::add)
    return b.fail("has no gradient for this kind",
                  "kinds 'add' and 'replace' have one");
  const auto axis = static_cast<int64_t>(getAxis());
  Selection selection{b, getIndices(), axis, shapeOf(getInput())[axis]};
  Value g = b.gradient();
  if (b.isWanted(0))
    b.add(0, isReplaced
                 ? scatter(b, g, getIndices(), b.splat(0, typeOf(getUpdates())),
                           axis, ScatterKind::replace)
                 : g);
  if (!b.isWanted(2) || typeOf(getUpdates()).getNumElements() == 0)
    return success();
  Value isUsed = selection.inRange();
  if (isReplaced)
    isUsed = b.create<LogicalAndOp>(isUsed, isLast(b, selection));
  b.add(2, b.select(selection.broadcastable(isUsed, typeOf(g).getRank()),
                    selection.gather(g), b.scalar(0, g)));
  return success();
}

/// The gradient of the values that `topk` or `sort` selects from lines along
/// `axis`: each is added to the element that its index names.
static void addToSelected(GradientBuilder &b, Value input, Value indices,
                          int64_t axis) {
  if (Value g = b.gradient())
    b.add(0, b.addAlongLines(g, indices, axis, typeOf(input)));
}

LogicalResult TopKOp::buildGradients(GradientBuilder &b) {
  addToSelected(b, getInput(), getIndices(), static_cast<int64_t>(getAxis()));
  return success();
}

LogicalResult SortOp::buildGradients(GradientBuilder &b) {
  addToSelected(b, getInput(), getIndices(), static_cast<int64_t>(getAxis()));
  return success();
}

} // namespace tandem::ir
