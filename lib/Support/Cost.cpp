//===- Cost.cpp - What one execution of an op needs -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

#include "tandem/Support/Resize.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

using namespace tandem;
using namespace tandem::shape_rules;

namespace {

/// Products of sizes beyond 2^63 are as large as makes no difference.
int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

/// Multiply-adds per element of the result.
int64_t convMacs(const fb::ConvAttrsT &attrs, const Shape &kernel) {
  Expected<LayoutDims> layout = parseLayout(attrs.kernel_layout, true);
  if (!layout)
    return 0;
  int64_t macs = kernel[layout->channel];
  for (int i = 0; i < layout->numSpatial; ++i)
    macs = saturatingMul(macs, kernel[layout->spatial[i]]);
  return macs;
}

/// The most taps of `window` that meet one position of the input along spatial
/// dim `i`: those that one element of the result of conv_backward_data or of
/// the gradient of a pool sums. `Attrs` is ConvAttrsT or PoolAttrsT.
template <typename Attrs>
int64_t phaseTaps(const Attrs &attrs, int64_t window, int i) {
  const int64_t stride = attrs.strides[i];
  const int64_t apart = stride / std::gcd(stride, attrs.dilations[i]);
  return window / apart + (window % apart != 0);
}

/// The most multiply-adds per element of the result of conv_backward_data.
int64_t phaseMacs(const fb::ConvAttrsT &attrs, const Shape &kernel) {
  Expected<LayoutDims> layout = parseLayout(attrs.kernel_layout, true);
  if (!layout)
    return 0;
  int64_t macs = kernel[layout->batch] / attrs.groups;
  for (int i = 0; i < layout->numSpatial; ++i)
    macs = saturatingMul(macs, phaseTaps(attrs, kernel[layout->spatial[i]], i));
  return macs;
}

/// The multiply-adds per element of the result of conv_backward_weights.
int64_t positionMacs(const fb::ConvAttrsT &attrs, const Shape &gradient) {
  Expected<LayoutDims> layout = parseLayout(attrs.output_layout, false);
  if (!layout)
    return 0;
  int64_t macs = gradient[layout->batch];
  for (int i = 0; i < layout->numSpatial; ++i)
    macs = saturatingMul(macs, gradient[layout->spatial[i]]);
  return macs;
}

int64_t contractedSize(const fb::MatmulAttrsT &attrs, const Shape &lhs) {
  return lhs[lhs.rank() - (attrs.transpose_lhs ? 2 : 1)];
}

int64_t windowSize(const fb::PoolAttrsT &attrs) {
  int64_t size = 1;
  for (int64_t window : attrs.window)
    size = saturatingMul(size, window);
  return size;
}

/// The most windows that one element of the input of a pool lies in.
int64_t countWindows(const fb::PoolAttrsT &attrs) {
  int64_t count = 1;
  for (size_t i = 0; i < attrs.window.size(); ++i)
    count = saturatingMul(
        count, phaseTaps(attrs, attrs.window[i], static_cast<int>(i)));
  return count;
}

int64_t reducedSize(const OpDesc &op, const Shape &shape) {
  const auto *moments = op.attrs.AsMomentsAttrs();
  int64_t size = 1;
  for (int64_t dim : moments ? moments->dims : op.attrs.AsReduceAttrs()->dims)
    size = saturatingMul(size, shape[dim]);
  return size;
}

/// The most elements that one element of the result of resize reads.
int64_t interpolatedSize(const fb::ResizeAttrsT &attrs, const Shape &from,
                         const Shape &to) {
  int64_t size = 1;
  for (const ResizeDim &dim : resizeDims(attrs, from, to))
    size = saturatingMul(size, static_cast<int64_t>(maxTapsOf(dim)));
  return size;
}

/// OpCost::reads.
int64_t readsPerElement(const OpDesc &op, Operands operands,
                        const TensorType &result) {
  switch (getOpInfo(op.kind).reads) {
  case Reads::one:
    return 1;
  case Reads::taps:
    return convMacs(*op.attrs.AsConvAttrs(), operands[1].shape);
  case Reads::phase:
    return phaseMacs(*op.attrs.AsConvAttrs(), operands[1].shape);
  case Reads::positions:
    return positionMacs(*op.attrs.AsConvAttrs(), operands[1].shape);
  case Reads::columns:
    return contractedSize(*op.attrs.AsMatmulAttrs(), operands[0].shape);
  case Reads::window:
    return windowSize(*op.attrs.AsPoolAttrs());
  case Reads::windows:
    return countWindows(*op.attrs.AsPoolAttrs());
  case Reads::interpolation:
    return interpolatedSize(*op.attrs.AsResizeAttrs(), operands[0].shape,
                            result.shape);
  case Reads::reduced:
    return reducedSize(op, operands[0].shape);
  case Reads::shared:
    return kSharedWork;
  }
  return kSharedWork;
}

/// The multiply-adds of conv_backward_data, ignoring what is cut off: each
/// element of the operand is multiplied by all weights of its channel.
int64_t backwardMacs(const fb::ConvAttrsT &attrs, Operands operands) {
  Expected<LayoutDims> layout = parseLayout(attrs.kernel_layout, true);
  const Shape &kernel = operands[1].shape;
  if (!layout || kernel[layout->batch] == 0)
    return 0;
  return saturatingMul(operands[0].shape.numElements(),
                       kernel.numElements() / kernel[layout->batch]);
}

/// The number of times that a fast transform of length n passes over its line:
/// log2(n), rounded up, or 1.
int64_t countPasses(const OpDesc &op, const TensorType &operand) {
  const auto length = static_cast<uint64_t>(transformLength(op, operand));
  return std::max<int64_t>(1, std::bit_width(length - 1));
}

int64_t flops(const OpDesc &op, Operands operands, int64_t elements,
              int64_t reads) {
  int64_t flops = getOpInfo(op.kind).flops;
  if (op.kind == OpKind::fft)
    flops *= countPasses(op, operands[0]);
  const bool hasBias = op.attrs.AsConvAttrs() && operands.size() > 2;
  if (getOpInfo(op.kind).reads == Reads::phase) {
    flops =
        saturatingMul(flops, backwardMacs(*op.attrs.AsConvAttrs(), operands));
    int64_t sum;
    return !hasBias || __builtin_add_overflow(flops, elements, &sum) ? flops
                                                                     : sum;
  }
  if (reads != kSharedWork)
    flops = saturatingMul(flops, reads);
  if (hasBias)
    flops |= 1; // The bias; of multiply-adds there is an even number.
  return saturatingMul(elements, flops);
}

} // namespace

OpCost tandem::cost(const OpDesc &op, Operands operands,
                    const TensorType &result) {
  assert((getOpInfo(op.kind).attrs == fb::OpAttrs::NONE ||
          (op.attrs.type == getOpInfo(op.kind).attrs && op.attrs.value)) &&
         "the op lacks its attributes");
  bool takesPart = op.kind == OpKind::slice || op.kind == OpKind::gather;
  OpCost cost;
  cost.reads = readsPerElement(op, operands, result);
  cost.flops = flops(op, operands, result.shape.numElements(), cost.reads);
  cost.bytes = 0;
  if (numResults(op.kind) == 1)
    cost.bytes = result.bytes();
  else
    for (const TensorType &type : resultTypes(op, operands, result))
      cost.bytes += type.bytes();
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t bytes = operands[i].bytes();
    if (takesPart && i == 0)
      bytes = std::min(bytes, result.bytes());
    cost.bytes += bytes;
  }
  return cost;
}
