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

/// C1 to C4.
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
  return layout;
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
    std::optional<int64_t> out =
        windowResult(dim, {attrs.window[i], attrs.strides[i], attrs.pad_low[i],
                           attrs.pad_high[i], attrs.dilations[i]});
    if (!out)
      return broken(op.kind, 5, "a window of ", attrs.window[i],
                    " with dilation ", attrs.dilations[i],
                    " does not fit into ", dimText(dim), " elements padded by ",
                    attrs.pad_low[i], " and ", attrs.pad_high[i]);
    dim = *out;
  }
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

//===----------------------------------------------------------------------===//
// batch_norm, softmax
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
