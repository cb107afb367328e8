//===- ShapeOpShapeRules.cpp - Shape ops ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   reshape    C1  shape holds sizes >= 0, unknown sizes and at most one -1
//              C2  operand and result have equally many elements
//   transpose  C1  permutation is one of 0 … rank - 1
//   broadcast  C1  dims names a result dim for each operand dim, none twice
//              C2  an operand dim is 1 or as large as its result dim
//   slice      C1  one start, limit and stride per dim
//              C2  strides are >= 1
//   pad        C1  one low, high and interior per dim
//              C2  low, high and interior are >= 0
//              C3  the element type is not i1
//   concat     C1  operands have one element type and one rank
//              C2  axis is a dim of the operands
//              C3  all dims but axis are equal
//   iota       C1  the element type is not i1
//              C2  axis is a dim of the type
//   random     C1  key and counter are of type ui64 and have no dims
//              C2  shape has at most 8 sizes, which are >= 0
//   gather     C1  indices are i32 or i64
//              C2  axis is a dim of the operand
//              C3  the result's rank is at most 8
//              C4  dim axis is not empty, unless there are no indices
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

//===----------------------------------------------------------------------===//
// reshape, transpose, broadcast
//===----------------------------------------------------------------------===//

namespace {

/// The number of elements of the dims that are known, and whether all are.
struct KnownElements {
  int64_t count = 1;
  bool isStatic = true;
};

/// Leaves out `skipped` as well as unknown dims; nothing on overflow.
std::optional<KnownElements> knownElements(std::span<const int64_t> dims,
                                           int64_t skipped = kDynamic) {
  KnownElements known;
  for (int64_t dim : dims) {
    if (dim == skipped || dim == kDynamic)
      known.isStatic = false;
    else if (__builtin_mul_overflow(known.count, dim, &known.count))
      return std::nullopt;
  }
  return known;
}

/// C1 of reshape. Sets `wildcard` to the position of -1, if any.
Status checkReshapeSizes(const std::vector<int64_t> &shape, int &wildcard) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0 || shape[i] == kDynamic)
      continue;
    if (shape[i] != -1)
      return broken(OpKind::reshape, 1, "size ", shape[i], " in shape");
    if (wildcard >= 0)
      return broken(OpKind::reshape, 1, "more than one -1 in shape");
    wildcard = static_cast<int>(i);
  }
  if (shape.size() > kMaxRank)
    return broken(OpKind::reshape, 1, "rank ", shape.size(), " is over ",
                  kMaxRank);
  return {};
}

bool isPermutation(std::span<const int64_t> permutation, int rank) {
  uint32_t seen = 0;
  for (int64_t dim : permutation) {
    if (!axisInRange(dim, rank))
      return false;
    seen |= 1u << dim;
  }
  return permutation.size() == static_cast<size_t>(rank) &&
         seen == (1u << rank) - 1;
}

} // namespace

Expected<TensorType> shape_rules::inferReshape(const OpDesc &op,
                                               Operands operands) {
  const std::vector<int64_t> &shape = op.attrs.AsReshapeAttrs()->shape;
  const TensorType &operand = operands[0];
  int wildcard = -1;
  TANDEM_RETURN_IF_ERROR(checkReshapeSizes(shape, wildcard));
  TensorType result{operand.dtype, Shape(shape)};
  if (wildcard >= 0)
    result.shape[wildcard] = kDynamic;

  std::optional<KnownElements> from = knownElements(operand.shape.span());
  std::optional<KnownElements> to = knownElements(result.shape.span());
  auto mismatch = [&] {
    if (wildcard >= 0)
      result.shape[wildcard] = -1;
    return broken(OpKind::reshape, 2, operand,
                  " does not have the elements of ", result.shape.str());
  };
  if (!from || !to)
    return mismatch();
  const bool hasUnknown = !Shape(shape).isStatic();
  if (!from->isStatic || hasUnknown)
    return result;
  if (wildcard < 0)
    return from->count == to->count ? Expected<TensorType>(result) : mismatch();
  if (to->count == 0 || from->count % to->count != 0)
    return mismatch();
  result.shape[wildcard] = from->count / to->count;
  return result;
}

Expected<TensorType> shape_rules::inferTranspose(const OpDesc &op,
                                                 Operands operands) {
  const std::vector<int64_t> &permutation =
      op.attrs.AsTransposeAttrs()->permutation;
  const TensorType &operand = operands[0];
  if (!isPermutation(permutation, operand.shape.rank()))
    return broken(OpKind::transpose, 1, "permutation ",
                  Shape(permutation).str(), " is not one of the dims of ",
                  operand);
  TensorType result{operand.dtype, {}};
  for (int64_t dim : permutation)
    result.shape.push_back(operand.shape[static_cast<int>(dim)]);
  return result;
}

Expected<TensorType> shape_rules::inferBroadcast(const OpDesc &op,
                                                 Operands operands) {
  const fb::BroadcastAttrsT &attrs = *op.attrs.AsBroadcastAttrs();
  const Shape &from = operands[0].shape;
  int rank = static_cast<int>(attrs.shape.size());
  if (rank > kMaxRank || attrs.dims.size() != static_cast<size_t>(from.rank()))
    return broken(OpKind::broadcast, 1, attrs.dims.size(), " dims to rank ",
                  rank, " from ", operands[0]);
  uint32_t seen = 0;
  for (int i = 0; i < from.rank(); ++i) {
    int64_t dim = attrs.dims[i];
    if (!axisInRange(dim, rank) || (seen & 1u << dim))
      return broken(OpKind::broadcast, 1, "result dim ", dim,
                    " is out of range or named twice");
    seen |= 1u << dim;
    if (from[i] != 1 && !mergeDims(from[i], attrs.shape[dim]))
      return broken(OpKind::broadcast, 2, "operand dim ", i, " of size ",
                    from[i], " does not broadcast to ", attrs.shape[dim]);
  }
  for (int64_t size : attrs.shape)
    if (size < 0 && size != kDynamic)
      return broken(OpKind::broadcast, 2, "size ", size, " in shape");
  return TensorType{operands[0].dtype, Shape(attrs.shape)};
}

//===----------------------------------------------------------------------===//
// slice, pad, concat
//===----------------------------------------------------------------------===//

SliceRange tandem::resolveSlice(int64_t dim, int64_t start, int64_t limit,
                                int64_t stride) {
  auto clampToDim = [dim](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + dim : index, 0, dim);
  };
  SliceRange range{clampToDim(start), 0};
  int64_t extent = clampToDim(limit) - range.start;
  range.size = extent > 0 ? (extent - 1) / stride + 1 : 0;
  return range;
}

Expected<TensorType> shape_rules::inferSlice(const OpDesc &op,
                                             Operands operands) {
  const fb::SliceAttrsT &attrs = *op.attrs.AsSliceAttrs();
  const Shape &from = operands[0].shape;
  size_t rank = from.rank();
  if (attrs.starts.size() != rank || attrs.limits.size() != rank ||
      attrs.strides.size() != rank)
    return broken(OpKind::slice, 1, attrs.starts.size(), " starts, ",
                  attrs.limits.size(), " limits and ", attrs.strides.size(),
                  " strides for rank ", rank);
  TensorType result{operands[0].dtype, from};
  for (int i = 0; i < from.rank(); ++i) {
    int64_t start = attrs.starts[i], limit = attrs.limits[i];
    int64_t stride = attrs.strides[i];
    if (stride < 1)
      return broken(OpKind::slice, 2, "stride ", stride, " of dim ", i);
    if (start == kDynamic || limit == kDynamic)
      result.shape[i] = kDynamic;
    else if (from[i] != kDynamic)
      result.shape[i] = resolveSlice(from[i], start, limit, stride).size;
  }
  return result;
}

Expected<TensorType> shape_rules::inferPad(const OpDesc &op,
                                           Operands operands) {
  const fb::PadAttrsT &attrs = *op.attrs.AsPadAttrs();
  const Shape &from = operands[0].shape;
  size_t rank = from.rank();
  if (attrs.low.size() != rank || attrs.high.size() != rank ||
      attrs.interior.size() != rank)
    return broken(OpKind::pad, 1, attrs.low.size(), " low, ", attrs.high.size(),
                  " high and ", attrs.interior.size(), " interior for rank ",
                  rank);
  if (!isNumber(operands[0].dtype))
    return broken(OpKind::pad, 3, "works on floats and integers, not on ",
                  operands[0].dtype);
  TensorType result = operands[0];
  for (int i = 0; i < from.rank(); ++i) {
    int64_t low = attrs.low[i], high = attrs.high[i];
    int64_t interior = attrs.interior[i], &dim = result.shape[i];
    if ((low < 0 && low != kDynamic) || (high < 0 && high != kDynamic) ||
        interior < 0)
      return broken(OpKind::pad, 2, "low ", low, ", high ", high, ", interior ",
                    interior, " of dim ", i);
    if (low == kDynamic || high == kDynamic)
      dim = kDynamic;
    if (dim == kDynamic)
      continue;
    int64_t between;
    if (__builtin_mul_overflow(std::max<int64_t>(dim - 1, 0), interior,
                               &between) ||
        __builtin_add_overflow(dim, between, &dim) ||
        __builtin_add_overflow(dim, low, &dim) ||
        __builtin_add_overflow(dim, high, &dim))
      return broken(OpKind::pad, 2, "the size of result dim ", i, " overflows");
  }
  return result;
}

Expected<TensorType> shape_rules::inferConcat(const OpDesc &op,
                                              Operands operands) {
  TensorType result = operands[0];
  int rank = result.shape.rank();
  int64_t axis = op.attrs.AsAxisAttrs()->axis;
  if (!axisInRange(axis, rank))
    return broken(OpKind::concat, 2, "axis ", axis, " of ", result);
  for (const TensorType &type : operands.subspan(1)) {
    if (type.dtype != result.dtype || type.shape.rank() != rank)
      return broken(OpKind::concat, 1, operands[0], " and ", type);
    for (int i = 0; i < rank; ++i) {
      int64_t &dim = result.shape[i];
      if (i != axis) {
        std::optional<int64_t> merged = mergeDims(dim, type.shape[i]);
        if (!merged)
          return broken(OpKind::concat, 3, "dim ", i, " is ", dim, " and ",
                        type.shape[i]);
        dim = *merged;
      } else if (dim == kDynamic || type.shape[i] == kDynamic) {
        dim = kDynamic;
      } else if (__builtin_add_overflow(dim, type.shape[i], &dim)) {
        return broken(OpKind::concat, 2, "the size of dim ", i, " overflows");
      }
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// iota, random, stop_gradient, gather
//===----------------------------------------------------------------------===//

Expected<TensorType> shape_rules::inferIota(const OpDesc &op, Operands) {
  const fb::IotaAttrsT &attrs = *op.attrs.AsIotaAttrs();
  if (!attrs.type || attrs.type->dims.size() > kMaxRank)
    return broken(OpKind::iota, 1, "no type, or one of too high a rank");
  TensorType result = fromFlat(*attrs.type);
  if (!isNumber(result.dtype))
    return broken(OpKind::iota, 1, result);
  if (!axisInRange(attrs.axis, result.shape.rank()))
    return broken(OpKind::iota, 2, "axis ", attrs.axis, " of ", result);
  return result;
}

Expected<TensorType> shape_rules::inferRandom(const OpDesc &op,
                                              Operands operands) {
  const fb::RandomAttrsT &attrs = *op.attrs.AsRandomAttrs();
  for (const TensorType &operand : operands)
    if (operand.dtype != DType::ui64 || operand.shape.rank() != 0)
      return broken(op.kind, 1, "a key or counter of type ", operand);
  if (attrs.shape.size() > kMaxRank)
    return broken(op.kind, 2, "rank ", attrs.shape.size(), " is over ",
                  kMaxRank);
  TensorType result{DType::ui32, {}};
  for (int64_t size : attrs.shape) {
    if (size < 0 && size != kDynamic)
      return broken(op.kind, 2, "size ", size, " in shape");
    result.shape.push_back(size);
  }
  return result;
}

Expected<TensorType> shape_rules::inferSameType(const OpDesc &,
                                                Operands operands) {
  return operands[0];
}

Expected<TensorType> shape_rules::inferGather(const OpDesc &op,
                                              Operands operands) {
  const Shape &from = operands[0].shape, &indices = operands[1].shape;
  DType indexType = operands[1].dtype;
  int64_t axis = op.attrs.AsGatherAttrs()->axis;
  if (indexType != DType::i32 && indexType != DType::i64)
    return broken(OpKind::gather, 1, "indices of ", indexType);
  if (!axisInRange(axis, from.rank()))
    return broken(OpKind::gather, 2, "axis ", axis, " of ", operands[0]);
  if (from.rank() - 1 + indices.rank() > kMaxRank)
    return broken(OpKind::gather, 3, "rank ", from.rank() - 1 + indices.rank());
  int dim = static_cast<int>(axis);
  bool noIndices =
      std::find(indices.begin(), indices.end(), 0) != indices.end();
  if (from[dim] == 0 && !noIndices)
    return broken(OpKind::gather, 4, "dim ", dim, " of ", operands[0],
                  " is empty");
  TensorType result{operands[0].dtype, {}};
  for (int i = 0; i < dim; ++i)
    result.shape.push_back(from[i]);
  for (int64_t size : indices)
    result.shape.push_back(size);
  for (int i = dim + 1; i < from.rank(); ++i)
    result.shape.push_back(from[i]);
  return result;
}
