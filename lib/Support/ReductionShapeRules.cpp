//===- ReductionShapeRules.cpp - Windows and reductions -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   max_pool, avg_pool
//               C1  the layout names N, C and one to three spatial dims; its
//                   rank is the operand's
//               C2  the element type is a float (max_pool: or an integer)
//               C3  one window size, stride, pad and dilation per spatial dim;
//                   windows, strides and dilations are >= 1, pads >= 0
//               C4  pads are smaller than the dilated window
//               C5  the window fits into the padded operand
//   max_pool_with_index, max_pool_backward
//               C6  the window has at most 256 elements
//   max_pool_backward, avg_pool_backward
//               C7  one input size per spatial dim, which is >= 0, and the pool
//                   of an input of this size has the operand's size
//   max_pool_backward
//               C8  the index is of type ui8 and has the shape of the gradient
//   moments     C1  dims are dims of the operand, none twice
//               C2  the element type is a float
//   reduce      C1  dims are dims of the operand, none twice
//               C2  the element type is not i1 (mean: is a float)
//               C3  argmax has one dim
//               C4  max, min and argmax reduce no empty dim
//   batch_norm  C1  operands have one element type, a float
//               C2  axis is a dim of the operand
//               C3  scale, offset, mean and variance are 1-D, of that dim
//               C4  epsilon is >= 0
//   softmax     C1  the element type is a float
//               C2  axis is a dim of the operand
//   softmax_backward
//               C1  the operands have one element type, a float
//               C2  axis is a dim of the operands
//               C3  the operands have one shape
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

namespace {

/// C3 and C4 for spatial dim i.
Status checkWindow(OpKind kind, const fb::PoolAttrsT &attrs, size_t i) {
  int64_t window = attrs.window[i], dilation = attrs.dilations[i];
  int64_t low = attrs.pad_low[i], high = attrs.pad_high[i], reach;
  if (window < 1 || attrs.strides[i] < 1 || dilation < 1 || low < 0 || high < 0)
    return broken(kind, 3, "window ", window, ", stride ", attrs.strides[i],
                  ", dilation ", dilation, ", pads ", low, " and ", high,
                  " of spatial dim ", i);
  // A window of padding alone would have no mean and no maximum.
  if (!__builtin_mul_overflow(window - 1, dilation, &reach) &&
      (low > reach || high > reach))
    return broken(kind, 4, "pads ", low, " and ", high, " of spatial dim ", i,
                  " for a window of ", window, " with dilation ", dilation);
  return {};
}

/// C6: a number of a tap has eight bits.
Status checkTaps(OpKind kind, const fb::PoolAttrsT &attrs) {
  int64_t taps = 1;
  for (int64_t window : attrs.window)
    if (__builtin_mul_overflow(taps, window, &taps) || taps > kMaxIndexedTaps)
      return broken(kind, 6, "a window of more than ", kMaxIndexedTaps,
                    " elements, whose numbers do not fit into ui8");
  return {};
}

/// C1 to C4, and C6.
Expected<LayoutDims> checkPool(OpKind kind, const fb::PoolAttrsT &attrs,
                               const TensorType &operand) {
  Expected<LayoutDims> layout = parseLayout(attrs.layout, false);
  if (!layout)
    return broken(kind, 1, layout.error().message);
  if (operand.shape.rank() != layout->numSpatial + 2)
    return broken(kind, 1, "layout ", attrs.layout, " for ", operand);
  if (!isFloat(operand.dtype) &&
      !(kind == OpKind::max_pool && isInteger(operand.dtype)))
    return broken(kind, 2, "does not work on ", operand.dtype);
  size_t count = layout->numSpatial;
  if (attrs.window.size() != count || attrs.strides.size() != count ||
      attrs.pad_low.size() != count || attrs.pad_high.size() != count ||
      attrs.dilations.size() != count)
    return broken(kind, 3, "window, strides, pads and dilations must have ",
                  count, " entries each");
  for (size_t i = 0; i < count; ++i)
    TANDEM_RETURN_IF_ERROR(checkWindow(kind, attrs, i));
  if (kind == OpKind::max_pool_with_index || kind == OpKind::max_pool_backward)
    TANDEM_RETURN_IF_ERROR(checkTaps(kind, attrs));
  return layout;
}

/// The size of the result along spatial dim i; an error for C5.
Expected<int64_t> pooledSize(OpKind kind, const fb::PoolAttrsT &attrs, int i,
                             int64_t dim) {
  std::optional<int64_t> out =
      windowResult(dim, {attrs.window[i], attrs.strides[i], attrs.pad_low[i],
                         attrs.pad_high[i], attrs.dilations[i]});
  if (!out)
    return broken(kind, 5, "a window of ", attrs.window[i], " with dilation ",
                  attrs.dilations[i], " does not fit into ", dimText(dim),
                  " elements padded by ", attrs.pad_low[i], " and ",
                  attrs.pad_high[i]);
  return *out;
}

} // namespace

Expected<TensorType> shape_rules::inferPool(const OpDesc &op,
                                            Operands operands) {
  const fb::PoolAttrsT &attrs = *op.attrs.AsPoolAttrs();
  TANDEM_ASSIGN_OR_RETURN(LayoutDims layout,
                          checkPool(op.kind, attrs, operands[0]));
  TensorType result = operands[0];
  for (int i = 0; i < layout.numSpatial; ++i) {
    int64_t &dim = result.shape[layout.spatial[i]];
    TANDEM_ASSIGN_OR_RETURN(dim, pooledSize(op.kind, attrs, i, dim));
  }
  return result;
}

Expected<TensorType> shape_rules::inferPoolBackward(const OpDesc &op,
                                                    Operands operands) {
  const fb::PoolAttrsT &attrs = *op.attrs.AsPoolAttrs();
  TANDEM_ASSIGN_OR_RETURN(LayoutDims layout,
                          checkPool(op.kind, attrs, operands[0]));
  TensorType result = operands[0];
  if (attrs.input_sizes.size() != static_cast<size_t>(layout.numSpatial))
    return broken(op.kind, 7, attrs.input_sizes.size(), " input sizes for ",
                  layout.numSpatial, " spatial dims");
  for (int i = 0; i < layout.numSpatial; ++i) {
    const int64_t size = attrs.input_sizes[i];
    int64_t &dim = result.shape[layout.spatial[i]];
    if (size < 0)
      return broken(op.kind, 7, "input size ", size);
    TANDEM_ASSIGN_OR_RETURN(const int64_t pooled,
                            pooledSize(op.kind, attrs, i, size));
    if (dim != kDynamic && dim != pooled)
      return broken(op.kind, 7, "a pool of ", size, " elements has ", pooled,
                    " windows, and the gradient has ", dim);
    dim = size;
  }
  if (operands.size() < 2)
    return result;
  const TensorType &index = operands[1];
  bool isEqual = index.dtype == DType::ui8 &&
                 index.shape.rank() == operands[0].shape.rank();
  for (int i = 0; isEqual && i < index.shape.rank(); ++i)
    isEqual = mergeDims(index.shape[i], operands[0].shape[i]).has_value();
  if (!isEqual)
    return broken(op.kind, 8, "an index of type ", index,
                  " for a gradient of type ", operands[0]);
  return result;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// C1 to C4; the reduced dims as a mask.
static Expected<uint32_t> checkReduce(const fb::ReduceAttrsT &attrs,
                                      const TensorType &operand) {
  using fb::ReduceKind;
  bool isArgmax = attrs.kind == ReduceKind::argmax;
  bool needsElements = isArgmax || attrs.kind == ReduceKind::max ||
                       attrs.kind == ReduceKind::min;
  if (!isNumber(operand.dtype) ||
      (attrs.kind == ReduceKind::mean && !isFloat(operand.dtype)))
    return broken(OpKind::reduce, 2, fb::EnumNameReduceKind(attrs.kind),
                  " does not work on ", operand.dtype);
  uint32_t mask = 0;
  for (int64_t dim : attrs.dims) {
    if (!axisInRange(dim, operand.shape.rank()) || (mask & 1u << dim))
      return broken(OpKind::reduce, 1, "dim ", dim,
                    " is out of range or named twice");
    mask |= 1u << dim;
    if (needsElements && operand.shape[static_cast<int>(dim)] == 0)
      return broken(OpKind::reduce, 4, fb::EnumNameReduceKind(attrs.kind),
                    " over dim ", dim, " of ", operand, ", which is empty");
  }
  if (isArgmax && attrs.dims.size() != 1)
    return broken(OpKind::reduce, 3, "argmax has ", attrs.dims.size(), " dims");
  return mask;
}

Expected<TensorType> shape_rules::inferReduce(const OpDesc &op,
                                              Operands operands) {
  const fb::ReduceAttrsT &attrs = *op.attrs.AsReduceAttrs();
  TANDEM_ASSIGN_OR_RETURN(uint32_t mask, checkReduce(attrs, operands[0]));
  bool isArgmax = attrs.kind == fb::ReduceKind::argmax;
  TensorType result{isArgmax ? DType::i64 : operands[0].dtype, {}};
  for (int i = 0; i < operands[0].shape.rank(); ++i) {
    if (!(mask & 1u << i))
      result.shape.push_back(operands[0].shape[i]);
    else if (attrs.keep_dims)
      result.shape.push_back(1);
  }
  return result;
}

Expected<TensorType> shape_rules::inferMoments(const OpDesc &op,
                                               Operands operands) {
  const fb::MomentsAttrsT &attrs = *op.attrs.AsMomentsAttrs();
  const TensorType &operand = operands[0];
  if (!isFloat(operand.dtype))
    return broken(op.kind, 2, "does not work on ", operand.dtype);
  uint32_t mask = 0;
  for (int64_t dim : attrs.dims) {
    if (!axisInRange(dim, operand.shape.rank()) || (mask & 1u << dim))
      return broken(op.kind, 1, "dim ", dim, " is out of range or named twice");
    mask |= 1u << dim;
  }
  TensorType result{operand.dtype, {}};
  for (int i = 0; i < operand.shape.rank(); ++i) {
    if (!(mask & 1u << i))
      result.shape.push_back(operand.shape[i]);
    else if (attrs.keep_dims)
      result.shape.push_back(1);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// batch_norm, softmax, softmax_backward
//===----------------------------------------------------------------------===//

Expected<TensorType> shape_rules::inferBatchNorm(const OpDesc &op,
                                                 Operands operands) {
  const fb::BatchNormAttrsT &attrs = *op.attrs.AsBatchNormAttrs();
  for (const TensorType &type : operands)
    if (!isFloat(type.dtype) || type.dtype != operands[0].dtype)
      return broken(op.kind, 1, operands[0].dtype, " and ", type.dtype);
  TensorType result = operands[0];
  if (!axisInRange(attrs.axis, result.shape.rank()))
    return broken(op.kind, 2, "axis ", attrs.axis, " of ", result);
  int64_t &channels = result.shape[static_cast<int>(attrs.axis)];
  for (const TensorType &type : operands.subspan(1)) {
    std::optional<int64_t> merged = type.shape.rank() == 1
                                        ? mergeDims(channels, type.shape[0])
                                        : std::nullopt;
    if (!merged)
      return broken(op.kind, 3, type, " for ", dimText(channels), " channels");
    channels = *merged;
  }
  if (!(attrs.epsilon >= 0))
    return broken(op.kind, 4, "epsilon is ", attrs.epsilon);
  return result;
}

Expected<TensorType> shape_rules::inferSoftmax(const OpDesc &op,
                                               Operands operands) {
  int64_t axis = op.attrs.AsAxisAttrs()->axis;
  if (!isFloat(operands[0].dtype))
    return broken(op.kind, 1, "does not work on ", operands[0].dtype);
  if (!axisInRange(axis, operands[0].shape.rank()))
    return broken(op.kind, 2, "axis ", axis, " of ", operands[0]);
  return operands[0];
}

Expected<TensorType> shape_rules::inferSoftmaxBackward(const OpDesc &op,
                                                       Operands operands) {
  const int64_t axis = op.attrs.AsAxisAttrs()->axis;
  TensorType result = operands[0];
  if (!isFloat(result.dtype) || operands[1].dtype != result.dtype)
    return broken(op.kind, 1, result.dtype, " and ", operands[1].dtype);
  if (!axisInRange(axis, result.shape.rank()))
    return broken(op.kind, 2, "axis ", axis, " of ", result);
  bool isEqual = operands[1].shape.rank() == result.shape.rank();
  for (int i = 0; isEqual && i < result.shape.rank(); ++i) {
    const auto merged = mergeDims(result.shape[i], operands[1].shape[i]);
    isEqual = merged.has_value();
    result.shape[i] = merged.value_or(0);
  }
  if (!isEqual)
    return broken(op.kind, 3, operands[0], " and ", operands[1]);
  return result;
}
