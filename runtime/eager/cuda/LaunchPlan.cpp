//===- LaunchPlan.cpp - What an op launches on a GPU ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"

#include <algorithm>
#include <bit>

using namespace tandem;
using namespace tandem::cuda;

Indices &Indices::add(const Shape &dims) {
  numbers.push_back(dims.rank());
  add(dims.span());
  numbers.resize(numbers.size() + kMaxRank - dims.rank(), 1);
  return *this;
}

int64_t cuda::resultsPerBlock(int64_t results, int64_t count,
                              bool areNeighbors) {
  const auto powerAbove = [](int64_t number) {
    const auto unsignedNumber =
        static_cast<uint64_t>(std::clamp<int64_t>(number, 1, kBlockThreads));
    return static_cast<int64_t>(std::bit_ceil(unsignedNumber));
  };
  // If results lie side by side, a warp reads one element each of 32 results.
  const int64_t atLeast =
      areNeighbors ? 1 : std::min<int64_t>(powerAbove(results), 32);
  return std::max(atLeast, kBlockThreads / powerAbove(count));
}

Planner cuda::plannerOf(OpKind kind) {
  switch (kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#define TANDEM_ELEMENTWISE(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return planElementwise;
  case OpKind::reshape:
  case OpKind::stop_gradient:
    return planReshape;
  case OpKind::transpose:
    return planTranspose;
  case OpKind::broadcast:
    return planBroadcast;
  case OpKind::slice:
    return planSlice;
  case OpKind::pad:
    return planPad;
  case OpKind::concat:
    return planConcat;
  case OpKind::iota:
    return planIota;
  case OpKind::random:
    return planRandom;
  case OpKind::gather:
    return planGather;
  case OpKind::scatter:
    return planScatter;
  case OpKind::topk:
  case OpKind::sort:
    return planOrder;
  case OpKind::scan:
    return planScan;
  case OpKind::fft:
    return planFFT;
  case OpKind::conv:
    return planConv;
  case OpKind::conv_backward_data:
    return planConvBackwardData;
  case OpKind::conv_backward_weights:
    return planConvBackwardWeights;
  case OpKind::matmul:
    return planMatmul;
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return planPool;
  case OpKind::max_pool_with_index:
    return planMaxPoolWithIndex;
  case OpKind::max_pool_backward:
  case OpKind::avg_pool_backward:
    return planPoolBackward;
  case OpKind::moments:
    return planMoments;
  case OpKind::resize:
    return planResize;
  case OpKind::reduce:
    return planReduce;
  case OpKind::batch_norm:
    return planBatchNorm;
  case OpKind::softmax:
    return planSoftmax;
  case OpKind::softmax_backward:
    return planSoftmaxBackward;
  case OpKind::layer_norm:
    return planLayerNorm;
  case OpKind::layer_norm_backward:
    return planLayerNormBackward;
  case OpKind::custom_call:
    break;
  }
  return nullptr;
}

std::vector<ProgramKey> cuda::programsOf(const OpSignature &signature) {
  const DType result = signature.result().dtype;
  const auto only = [](KernelFamily family, DType dtype) {
    return std::vector<ProgramKey>{{family, dtype}};
  };
  switch (getOpInfo(signature.op.kind).family) {
  case OpFamily::elementwise:
    return only(familyOf(signature.op.kind), signature.operands.back().dtype);
  case OpFamily::shape:
    if (signature.op.kind == OpKind::transpose)
      return {{KernelFamily::shape, result}, {KernelFamily::transpose, result}};
    return only(KernelFamily::shape, result);
  case OpFamily::indexing:
    return only(KernelFamily::indexing, signature.operands[0].dtype);
  case OpFamily::line:
    return only(KernelFamily::line, result);
  case OpFamily::contraction:
    return only(KernelFamily::contraction, result);
  case OpFamily::window:
    if (signature.op.kind == OpKind::resize)
      return only(KernelFamily::resize, result);
    return only(KernelFamily::window, result);
  case OpFamily::reduction:
    return only(KernelFamily::reduction, signature.operands[0].dtype);
  case OpFamily::normalization:
    if (signature.op.kind == OpKind::moments)
      return only(KernelFamily::reduction, result);
    return only(KernelFamily::normalization, result);
  case OpFamily::structure:
    break;
  }
  return {};
}
