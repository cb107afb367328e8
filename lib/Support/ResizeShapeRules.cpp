//===- ResizeShapeRules.cpp - Resizing ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   resize     C1  the element type is a number type, or i1 with mode nearest
//              C2  dims are dims of the input in increasing order
//              C3  there are sizes or scales; each list has one entry per
//                  resized dim, and only tf_crop_and_resize has a region
//              C4  sizes are positive; scales are positive and finite
//              C5  the region and cubic_coeff_a are numbers in range
//              C6  no resized dim of the input is empty
//              C7  the table of each dim has at most kMaxResizeTable entries
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

#include "tandem/Support/Resize.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::shape_rules;

namespace {

Status checkDims(const fb::ResizeAttrsT &attrs, const TensorType &input) {
  int64_t previous = -1;
  for (int64_t dim : attrs.dims) {
    if (dim <= previous || dim >= input.shape.rank())
      return broken(OpKind::resize, 2, "dim ", dim, " of ", input,
                    dim <= previous ? "; dims must increase" : "");
    previous = dim;
  }
  return {};
}

Status checkLists(const fb::ResizeAttrsT &attrs) {
  const size_t count = attrs.dims.size();
  const bool isCropped =
      attrs.coordinates == fb::ResizeCoordinates::tf_crop_and_resize;
  auto isMissing = [&](size_t size) { return size != 0 && size != count; };
  if (isMissing(attrs.sizes.size()) || isMissing(attrs.scales.size()) ||
      (count != 0 && attrs.sizes.empty() && attrs.scales.empty()))
    return broken(OpKind::resize, 3, attrs.sizes.size(), " sizes and ",
                  attrs.scales.size(), " scales for ", count, " dims");
  const size_t region = isCropped ? count : 0;
  if (attrs.starts.size() != region || attrs.ends.size() != region)
    return broken(OpKind::resize, 3, attrs.starts.size(), " starts and ",
                  attrs.ends.size(), " ends, not ", region);
  return {};
}

Status checkNumbers(const fb::ResizeAttrsT &attrs) {
  for (int64_t size : attrs.sizes)
    if (size < 1)
      return broken(OpKind::resize, 4, "size ", size);
  for (double scale : attrs.scales)
    if (!(scale > 0 && std::isfinite(scale)))
      return broken(OpKind::resize, 4, "scale ", scale);
  for (const std::vector<double> *list : {&attrs.starts, &attrs.ends})
    for (double number : *list)
      if (!(std::fabs(number) < 0x1p31))
        return broken(OpKind::resize, 5, "a region from or to ", number);
  if (!(std::fabs(attrs.cubic_coeff_a) < 0x1p31))
    return broken(OpKind::resize, 5, "cubic_coeff_a is ", attrs.cubic_coeff_a);
  return {};
}

/// The size of the result along the i-th resized dim.
Expected<int64_t> resizedSize(const fb::ResizeAttrsT &attrs, size_t i,
                              int64_t from) {
  const int64_t dim = attrs.dims[i];
  if (from == 0)
    return broken(OpKind::resize, 6, "dim ", dim, " is empty");
  int64_t to = attrs.sizes.empty() ? kDynamic : attrs.sizes[i];
  if (from == kDynamic)
    return to;
  if (to == kDynamic)
    to = scaledSize(from, attrs.scales[i]);
  const double entries = to < 0 ? static_cast<double>(from) * attrs.scales[i]
                                : maxTapsOf(resizeDim(attrs, i, from, to)) *
                                      static_cast<double>(to);
  if (!(entries <= static_cast<double>(kMaxResizeTable)))
    return broken(OpKind::resize, 7, "dim ", dim, " needs a table of ",
                  static_cast<int64_t>(std::min(entries, 0x1p62)),
                  " elements; at most ", kMaxResizeTable, " are supported");
  return to;
}

} // namespace

Expected<TensorType> shape_rules::inferResize(const OpDesc &op,
                                              Operands operands) {
  const fb::ResizeAttrsT &attrs = *op.attrs.AsResizeAttrs();
  TensorType result = operands[0];
  if (!isNumber(result.dtype) && attrs.mode != fb::ResizeMode::nearest)
    return broken(OpKind::resize, 1, "interpolates numbers, not ",
                  result.dtype);
  TANDEM_RETURN_IF_ERROR(checkDims(attrs, result));
  TANDEM_RETURN_IF_ERROR(checkLists(attrs));
  TANDEM_RETURN_IF_ERROR(checkNumbers(attrs));
  for (size_t i = 0; i < attrs.dims.size(); ++i) {
    int64_t &size = result.shape[static_cast<int>(attrs.dims[i])];
    TANDEM_ASSIGN_OR_RETURN(size, resizedSize(attrs, i, size));
  }
  return result;
}
