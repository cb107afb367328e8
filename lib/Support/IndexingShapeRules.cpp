//===- IndexingShapeRules.cpp - Scattering and sorting --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   scatter    C1  input and updates have one element type, not i1 but to
//                  replace
//              C2  indices are i32 or i64
//              C3  axis is a dim of the input
//              C4  updates have the shape that gather would give
//   topk, sort C1  the element type is a number type
//              C2  axis is a dim of the input
//   topk       C3  k is in [0, size of the dim]
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

/// The shape with the dims of `indices` in the place of dim `axis`.
static Shape gatheredShape(const Shape &from, int axis, const Shape &indices) {
  Shape result(from.span().first(axis));
  for (int64_t dim : indices)
    result.push_back(dim);
  for (int64_t dim : from.span().subspan(axis + 1))
    result.push_back(dim);
  return result;
}

/// Merges the dims of two shapes that must be equal; nothing where they differ.
static std::optional<Shape> mergeShapes(const Shape &lhs, const Shape &rhs) {
  if (lhs.rank() != rhs.rank())
    return std::nullopt;
  Shape result;
  for (int i = 0; i < lhs.rank(); ++i) {
    std::optional<int64_t> dim = mergeDims(lhs[i], rhs[i]);
    if (!dim)
      return std::nullopt;
    result.push_back(*dim);
  }
  return result;
}

Expected<TensorType> shape_rules::inferScatter(const OpDesc &op,
                                               Operands operands) {
  const fb::ScatterAttrsT &attrs = *op.attrs.AsScatterAttrs();
  TensorType result = operands[0];
  const TensorType &indices = operands[1], &updates = operands[2];
  const int rank = result.shape.rank();
  if (updates.dtype != result.dtype ||
      (!isNumber(result.dtype) && attrs.kind != fb::ScatterKind::replace))
    return broken(OpKind::scatter, 1, result, " and ", updates);
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return broken(OpKind::scatter, 2, "indices of ", indices.dtype);
  if (!axisInRange(attrs.axis, rank))
    return broken(OpKind::scatter, 3, "axis ", attrs.axis, " of ", result);
  if (rank - 1 + indices.shape.rank() > kMaxRank)
    return broken(OpKind::scatter, 4, "updates of rank ",
                  rank - 1 + indices.shape.rank());
  const auto axis = static_cast<int>(attrs.axis);
  std::optional<Shape> merged = mergeShapes(
      updates.shape, gatheredShape(result.shape, axis, indices.shape));
  if (!merged)
    return broken(OpKind::scatter, 4, "updates ", updates, " for indices ",
                  indices, " along dim ", axis, " of ", result);
  // Updates may know what the input does not.
  for (int i = 0; i < rank; ++i)
    if (i != axis)
      result.shape[i] = (*merged)[i < axis ? i : i + indices.shape.rank() - 1];
  return result;
}

/// Checks what topk and sort have in common.
static Status checkLines(OpKind kind, int64_t axis, const TensorType &from) {
  if (!isNumber(from.dtype))
    return broken(kind, 1, "works on floats and integers, not on ", from.dtype);
  if (!axisInRange(axis, from.shape.rank()))
    return broken(kind, 2, "axis ", axis, " of ", from);
  return {};
}

Expected<TensorType> shape_rules::inferTopK(const OpDesc &op,
                                            Operands operands) {
  const fb::TopKAttrsT &attrs = *op.attrs.AsTopKAttrs();
  TensorType result = operands[0];
  TANDEM_RETURN_IF_ERROR(checkLines(OpKind::topk, attrs.axis, result));
  int64_t &dim = result.shape[static_cast<int>(attrs.axis)];
  if (attrs.k < 0 || (dim != kDynamic && attrs.k > dim))
    return broken(OpKind::topk, 3, "k of ", attrs.k, " along dim ", attrs.axis,
                  " of ", operands[0]);
  dim = attrs.k;
  return result;
}

Expected<TensorType> shape_rules::inferSort(const OpDesc &op,
                                            Operands operands) {
  TANDEM_RETURN_IF_ERROR(
      checkLines(OpKind::sort, op.attrs.AsSortAttrs()->axis, operands[0]));
  return operands[0];
}

LineOrder LineOrder::of(const OpDesc &op, const TensorType &operand) {
  if (const fb::TopKAttrsT *topk = op.attrs.AsTopKAttrs())
    return {static_cast<int>(topk->axis), topk->k, topk->ascending};
  const fb::SortAttrsT &sort = *op.attrs.AsSortAttrs();
  const auto axis = static_cast<int>(sort.axis);
  return {axis, operand.shape[axis], !sort.descending};
}
