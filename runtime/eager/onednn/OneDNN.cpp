//===- OneDNN.cpp - The oneDNN provider -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "ByteSums.h"
#include "OneThread.h"

#include <algorithm>
#include <mutex>

using namespace tandem;
using namespace tandem::onednn;

using Builder = void (*)(const Signature &, Plan &);

/// None of an op that is left to other providers.
static Builder builderOf(OpKind kind) {
  if (kind == OpKind::conv)
    return buildConv;
  if (kind == OpKind::conv_backward_data)
    return buildDeconv;
  if (kind == OpKind::conv_backward_weights)
    return buildConvBackwardWeights;
  if (kind == OpKind::matmul)
    return buildMatmul;
  if (kind == OpKind::avg_pool) // Of max_pool, the library's drops NaNs.
    return buildAvgPool;
  return nullptr;
}

static bool isEmpty(const TensorType &type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

/// What is worth asking the library for. Empty tensors are left to others.
static bool isCandidate(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  return builderOf(signature.op.kind) &&
         (dtype == DType::f32 || dtype == DType::bf16 ||
          (sumsBytes(signature) && multipliesBytes())) &&
         !isEmpty(signature.result()) &&
         std::none_of(signature.operands.begin(), signature.operands.end(),
                      isEmpty);
}

/// About what one thread does in 10 us.
static bool isSmall(const Signature &signature) {
  const OpCost opCost =
      cost(signature.op, signature.operands, signature.result());
  return opCost.flops < 1'000'000 && opCost.bytes < kSmallBytes;
}

namespace {
struct OneDNNProvider final : Provider {
  std::string_view name() const override { return "onednn"; }

  /// What the library has depends on the host, so only making the primitives
  /// tells.
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const Signature &signature) const override {
    if (!isCandidate(signature))
      return nullptr;
    // If oneDNN 2.6 creates primitives on two threads at a time, about one
    // primitive in ten thousand computes garbage ever after (found by random
    // graphs).
    static std::mutex creation;
    const std::lock_guard<std::mutex> lock(creation);
    const bool small = isSmall(signature);
    const OneThread oneThread(small);
    auto plan = std::make_unique<Plan>(small);
    try {
      builderOf(signature.op.kind)(signature, *plan);
    } catch (const dnnl::error &error) {
      if (error.status != dnnl_out_of_memory)
        return nullptr;
      return fail("execute", std::string("oneDNN cannot prepare ") +
                                 std::string(tandem::name(signature.op.kind)) +
                                 ": " + error.what());
    }
    if (sumsBytes(signature) && !areByteSumsExact(signature, *plan))
      return nullptr;
    return plan;
  }
};
} // namespace

const Provider &tandem::oneDNNProvider() {
  static const OneDNNProvider provider;
  return provider;
}
