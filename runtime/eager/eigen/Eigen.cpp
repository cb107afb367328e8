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
#define TANDEM_ELEMENTWISE(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return prepareElementwise;
  case OpKind::reshape:
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
  case OpKind::reduce:
    return prepareReduce;
  case OpKind::batch_norm:
    return prepareBatchNorm;
  case OpKind::softmax:
    return prepareSoftmax;
  case OpKind::matmul:
    return prepareMatmul;
  case OpKind::max_pool:
    return prepareMaxPool;
  case OpKind::conv:
  case OpKind::avg_pool:
  case OpKind::custom_call:
    return nullptr;
  }
  return nullptr;
}

/// 16-bit floats are computed in f32. Elementwise kernels convert a tile at a
/// time; other ops compute on whole tensors, which are converted whole.
static bool goesThroughFloat(const Signature &signature) {
  const OpFamily family = getOpInfo(signature.op.kind).family;
  return family != OpFamily::elementwise && family != OpFamily::shape &&
         (signature.operands[0].dtype == DType::f16 ||
          signature.operands[0].dtype == DType::bf16);
}

namespace {
/// An op without any elements to write.
struct EmptyOp final : PreparedOp {
  Status run(std::span<const Tensor>, std::span<Tensor>) const override {
    return {};
  }
};
} // namespace

static Prepared prepareAny(const Signature &signature) {
  if (signature.op.kind == OpKind::custom_call)
    return nullptr;
  const Shape &shape = signature.result.shape;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return std::make_unique<EmptyOp>();
  if (goesThroughFloat(signature))
    return prepareThroughFloat(signature);
  const Prepare prepare = preparerOf(signature.op.kind);
  return prepare ? prepare(signature) : nullptr;
}

namespace {
struct EigenProvider final : Provider {
  std::string_view name() const override { return "eigen"; }

  bool supports(const OpDesc &op, std::span<const TensorType> operands,
                std::span<const TensorType> results) const override {
    return prepareAny({op, operands, results[0]}) != nullptr;
  }

  Expected<Prepared>
  prepare(const OpDesc &op, std::span<const TensorType> operands,
          std::span<const TensorType> results) const override {
    if (Prepared prepared = prepareAny({op, operands, results[0]}))
      return prepared;
    return fail("execute",
                "eigen cannot prepare " + std::string(tandem::name(op.kind)));
  }
};
} // namespace

const Provider &tandem::eigenProvider() {
  static const EigenProvider provider;
  return provider;
}
