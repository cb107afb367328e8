//===- PlanResize.cpp - Interpolation on a GPU ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../reference/Evaluate.h"
#include "LaunchPlan.h"

#include "tandem/Support/Resize.h"

#include <cstring>

using namespace tandem;
using namespace tandem::cuda;

/// The bytes of a struct ResizeDims: one ResizeDim for each dim of a tensor.
static std::vector<std::byte> encodeDims(const fb::ResizeAttrsT &attrs,
                                         const Shape &from, const Shape &to) {
  std::array<ResizeDim, kMaxRank> dims;
  const std::vector<ResizeDim> resized = resizeDims(attrs, from, to);
  for (size_t i = 0; i < resized.size(); ++i)
    dims[attrs.dims[i]] = resized[i];
  std::vector<std::byte> bytes(sizeof dims);
  std::memcpy(bytes.data(), dims.data(), bytes.size());
  return bytes;
}

Planned cuda::planResize(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsResizeAttrs();
  const TensorType &operand = signature.operands[0],
                   &result = signature.result();
  Strides kept = rowMajorStrides(operand.shape), resized{};
  for (int64_t dim : attrs.dims)
    std::swap(kept[dim], resized[dim]);
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::resize, result.dtype,
                  attrs.mode == fb::ResizeMode::nearest ? "resize_nearest"
                                                        : "resize_interpolate",
                  blocksFor(size)};
  plan.pointers = {0, kResult};
  plan.values = {Indices{size}.add(result.shape).add(kept).add(resized),
                 encodeDims(attrs, operand.shape, result.shape),
                 reference::resizeExtrapolation(signature.op, result.dtype)};
  return OpPlan{{plan}, {}};
}
