//===- OneDNN.cpp - The oneDNN provider -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
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
static bool isCandidate(const OpDesc &op, std::span<const TensorType> operands,
                        std::span<const TensorType> results) {
  const DType dtype = results[0].dtype;
  return builderOf(op.kind) && (dtype == DType::f32 || dtype == DType::bf16) &&
         !isEmpty(results[0]) &&
         std::none_of(operands.begin(), operands.end(), isEmpty);
}

/// About what one thread does in 10 us.
static bool isSmall(const OpDesc &op, std::span<const TensorType> operands,
                    const TensorType &result) {
  const OpCost price = cost(op, operands, result);
  return price.flops < 1'000'000 && price.bytes < 128 * 1024;
}

static Expected<std::unique_ptr<Plan>>
build(const OpDesc &op, std::span<const TensorType> operands,
      std::span<const TensorType> results,
      std::span<const Tensor> constants = {}) try {
  // Of primitives that oneDNN 2.6 creates on two threads at a time, about one
  // in ten thousand computes garbage ever after (found by random graphs).
  static std::mutex creation;
  const std::lock_guard<std::mutex> lock(creation);
  const bool small = isSmall(op, operands, results[0]);
  const OneThread oneThread(small);
  auto plan = std::make_unique<Plan>(small);
  builderOf(op.kind)({op, operands, results[0], constants}, *plan);
  return plan;
} catch (const dnnl::error &error) {
  return fail("execute", "oneDNN cannot prepare " + std::string(name(op.kind)) +
                             ": " + error.what());
}

namespace {
struct OneDNNProvider final : Provider {
  std::string_view name() const override { return "onednn"; }

  /// What the library has depends on the host, so this builds the plan: the
  /// primitives stay in the library's cache for `prepare`.
  bool supports(const OpDesc &op, std::span<const TensorType> operands,
                std::span<const TensorType> results) const override {
    return isCandidate(op, operands, results) &&
           build(op, operands, results).has_value();
  }

  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpDesc &op, std::span<const TensorType> operands,
          std::span<const TensorType> results) const override {
    return build(op, operands, results);
  }

  Expected<std::unique_ptr<PreparedOp>>
  prepareWithConstants(const OpDesc &op, std::span<const TensorType> operands,
                       std::span<const TensorType> results,
                       std::span<const Tensor> constants) const override {
    return build(op, operands, results, constants);
  }
};
} // namespace

const Provider &tandem::oneDNNProvider() {
  static const OneDNNProvider provider;
  return provider;
}
