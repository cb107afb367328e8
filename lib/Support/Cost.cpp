//===- Cost.cpp - What one execution of an op needs -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

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

/// Operations per element of an elementwise op.
int64_t flopsPerElement(OpKind kind) {
  switch (kind) {
  case OpKind::exp:
  case OpKind::expm1:
  case OpKind::log:
  case OpKind::log1p:
  case OpKind::sqrt:
  case OpKind::rsqrt:
  case OpKind::tanh:
  case OpKind::sigmoid:
  case OpKind::gelu:
  case OpKind::erf:
  case OpKind::sin:
  case OpKind::cos:
  case OpKind::pow:
    return kTranscendentalFlops;
  case OpKind::clamp:
    return 2;
  default:
    return 1;
  }
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

int64_t contractedSize(const fb::MatmulAttrsT &attrs, const Shape &lhs) {
  return lhs[lhs.rank() - (attrs.transpose_lhs ? 2 : 1)];
}

int64_t windowSize(const fb::PoolAttrsT &attrs) {
  int64_t size = 1;
  for (int64_t window : attrs.window)
    size = saturatingMul(size, window);
  return size;
}

int64_t flops(const OpDesc &op, Operands operands, const TensorType &result) {
  int64_t elements = result.shape.numElements();
  switch (op.kind) {
  case OpKind::conv: {
    int64_t macs = convMacs(*op.attrs.AsConvAttrs(), operands[1].shape);
    int64_t bias = operands.size() > 2 ? 1 : 0;
    // 2 * macs is even: the bias adds one.
    return saturatingMul(elements, saturatingMul(2, macs) | bias);
  }
  case OpKind::matmul:
    return saturatingMul(
        saturatingMul(2, elements),
        contractedSize(*op.attrs.AsMatmulAttrs(), operands[0].shape));
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return saturatingMul(elements, windowSize(*op.attrs.AsPoolAttrs()));
  case OpKind::reduce:
    return operands[0].shape.numElements();
  case OpKind::batch_norm:
    return saturatingMul(4, elements);
  case OpKind::softmax:
    return saturatingMul(elements, kTranscendentalFlops + 4);
  default:
    return op.kind <= OpKind::clamp
               ? saturatingMul(elements, flopsPerElement(op.kind))
               : 0;
  }
}

/// OpCost::reads.
int64_t readsPerElement(const OpDesc &op, Operands operands) {
  switch (op.kind) {
  case OpKind::conv:
    return convMacs(*op.attrs.AsConvAttrs(), operands[1].shape);
  case OpKind::matmul:
    return contractedSize(*op.attrs.AsMatmulAttrs(), operands[0].shape);
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return windowSize(*op.attrs.AsPoolAttrs());
  case OpKind::reduce: {
    int64_t size = 1;
    for (int64_t dim : op.attrs.AsReduceAttrs()->dims)
      size = saturatingMul(size, operands[0].shape[dim]);
    return size;
  }
  case OpKind::softmax:
  case OpKind::custom_call:
    return kSharedWork;
  default:
    return 1;
  }
}

} // namespace

OpCost tandem::cost(const OpDesc &op, Operands operands,
                    const TensorType &result) {
  bool takesPart = op.kind == OpKind::slice || op.kind == OpKind::gather;
  OpCost cost;
  cost.flops = flops(op, operands, result);
  cost.bytes = result.bytes();
  cost.reads = readsPerElement(op, operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t bytes = operands[i].bytes();
    if (takesPart && i == 0)
      bytes = std::min(bytes, result.bytes());
    cost.bytes += bytes;
  }
  return cost;
}
