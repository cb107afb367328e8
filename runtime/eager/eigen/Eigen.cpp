//===- Eigen.cpp - The Eigen provider ---------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::eager;

using Prepare = Prepared (*)(const Signature &);

static Prepare preparerOf(OpKind kind) {
  switch (kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
  case OpKind::cast:
  case OpKind::compare:
  case OpKind::select:
  case OpKind::clamp:
    return prepareElementwise;
  case OpKind::bitcast: // The bytes stay.
  case OpKind::reshape:
  case OpKind::stop_gradient:
    return prepareReshape;
  case OpKind::transpose:
    return prepareTranspose;
  case OpKind::broadcast:
    return prepareBroadcast;
  case OpKind::slice:
    return prepareSlice;
  case OpKind::pad:
    return preparePad;
  case OpKind::concat:
    return prepareConcat;
  case OpKind::iota:
    return prepareIota;
  case OpKind::gather:
    return prepareGather;
  case OpKind::scatter:
    return prepareScatter;
  case OpKind::topk:
  case OpKind::sort:
    return prepareOrder;
  case OpKind::scan:
    return prepareScan;
  case OpKind::fft:
    return prepareFFT;
  case OpKind::reduce:
    return prepareReduce;
  case OpKind::batch_norm:
    return prepareBatchNorm;
  case OpKind::softmax:
    return prepareSoftmax;
  case OpKind::softmax_backward:
    return prepareSoftmaxBackward;
  case OpKind::matmul:
    return prepareMatmul;
  case OpKind::max_pool:
    return prepareMaxPool;
  case OpKind::max_pool_with_index:
    return prepareMaxPoolWithIndex;
  case OpKind::max_pool_backward:
  case OpKind::avg_pool_backward:
    return preparePoolBackward;
  case OpKind::moments:
    return prepareMoments;
  case OpKind::layer_norm:
    return prepareLayerNorm;
  case OpKind::layer_norm_backward:
    return prepareLayerNormBackward;
  case OpKind::random:
    return prepareRandom;
  case OpKind::resize:
    return prepareResize;
  case OpKind::conv:
    return prepareByteConv;
  case OpKind::conv_backward_data:
  case OpKind::conv_backward_weights:
  case OpKind::avg_pool:
  case OpKind::custom_call:
    return nullptr;
  }
  return nullptr;
}

bool eager::goesThroughFloat(const Signature &signature) {
  const OpFamily family = getOpInfo(signature.op.kind).family;
  return signature.op.kind != OpKind::custom_call &&
         signature.op.kind != OpKind::resize &&
         family != OpFamily::elementwise && family != OpFamily::shape &&
         family != OpFamily::indexing &&
         (signature.operands[0].dtype == DType::f16 ||
          signature.operands[0].dtype == DType::bf16);
}

namespace {
/// An op without any elements to write.
struct EmptyOp final : PreparedOp {
  Status run(const StepContext &, std::span<const Tensor>,
             std::span<Tensor>) const override {
    return {};
  }
};
} // namespace

namespace {
struct EigenProvider final : Provider {
  std::string_view name() const override { return "eigen"; }

  Expected<Prepared> prepare(const Signature &signature) const override {
    if (signature.op.kind == OpKind::custom_call)
      return nullptr;
    if (!signature.hasElements())
      return std::make_unique<EmptyOp>();
    if (goesThroughFloat(signature))
      return nullptr;
    const Prepare prepare = preparerOf(signature.op.kind);
    return prepare ? prepare(signature) : nullptr;
  }
};
} // namespace

const Provider &tandem::eigenProvider() {
  static const EigenProvider provider;
  return provider;
}
