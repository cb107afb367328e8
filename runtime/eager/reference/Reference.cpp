//===- Reference.cpp - The reference provider -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "tandem/Runtime/Provider.h"

using namespace tandem;
using namespace tandem::reference;

using Evaluate = void (*)(const OpDesc &, Operands, std::span<Tensor>);

/// A function of an op with one result.
template <void (*evaluate)(const OpDesc &, Operands, Tensor &)>
static void one(const OpDesc &op, Operands operands,
                std::span<Tensor> results) {
  evaluate(op, operands, results[0]);
}

static Evaluate evaluatorOf(OpKind kind) {
  switch (kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return one<evaluateUnary>;
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return one<evaluateBinary>;
  case OpKind::cast:
    return one<evaluateCast>;
  case OpKind::compare:
    return one<evaluateCompare>;
  case OpKind::select:
    return one<evaluateSelect>;
  case OpKind::clamp:
    return one<evaluateClamp>;
  case OpKind::reshape:
  case OpKind::bitcast: // The bytes stay.
  case OpKind::stop_gradient:
    return one<evaluateReshape>;
  case OpKind::transpose:
    return one<evaluateTranspose>;
  case OpKind::broadcast:
    return one<evaluateBroadcast>;
  case OpKind::slice:
    return one<evaluateSlice>;
  case OpKind::pad:
    return one<evaluatePad>;
  case OpKind::concat:
    return one<evaluateConcat>;
  case OpKind::iota:
    return one<evaluateIota>;
  case OpKind::random:
    return one<evaluateRandom>;
  case OpKind::gather:
    return one<evaluateGather>;
  case OpKind::scatter:
    return one<evaluateScatter>;
  case OpKind::topk:
  case OpKind::sort:
    return evaluateOrder;
  case OpKind::scan:
    return one<evaluateScan>;
  case OpKind::fft:
    return one<evaluateFFT>;
  case OpKind::conv:
    return one<evaluateConv>;
  case OpKind::conv_backward_data:
    return one<evaluateConvBackwardData>;
  case OpKind::conv_backward_weights:
    return one<evaluateConvBackwardWeights>;
  case OpKind::matmul:
    return one<evaluateMatmul>;
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return one<evaluatePool>;
  case OpKind::max_pool_with_index:
    return evaluatePoolWithIndex;
  case OpKind::max_pool_backward:
  case OpKind::avg_pool_backward:
    return one<evaluatePoolBackward>;
  case OpKind::moments:
    return evaluateMoments;
  case OpKind::resize:
    return one<evaluateResize>;
  case OpKind::reduce:
    return one<evaluateReduce>;
  case OpKind::batch_norm:
    return one<evaluateBatchNorm>;
  case OpKind::softmax:
    return one<evaluateSoftmax>;
  case OpKind::softmax_backward:
    return one<evaluateSoftmaxBackward>;
  case OpKind::layer_norm:
    return evaluateLayerNorm;
  case OpKind::layer_norm_backward:
    return evaluateLayerNormBackward;
  case OpKind::custom_call:
    return nullptr;
  }
  return nullptr;
}

namespace {
struct ReferenceOp final : PreparedOp {
  ReferenceOp(Evaluate evaluate, const OpDesc &op)
      : evaluate(evaluate), op(op) {}

  Status run(const StepContext &, Operands operands,
             std::span<Tensor> results) const override {
    evaluate(op, operands, results);
    return {};
  }

  Evaluate evaluate;
  OpDesc op;
};

struct ReferenceProvider final : Provider {
  std::string_view name() const override { return "reference"; }

  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    const Evaluate evaluate = evaluatorOf(signature.op.kind);
    return evaluate ? std::make_unique<ReferenceOp>(evaluate, signature.op)
                    : nullptr;
  }
};
} // namespace

const Provider &tandem::referenceProvider() {
  static const ReferenceProvider provider;
  return provider;
}

Status tandem::evaluateByReference(const OpDesc &op, Operands operands,
                                   std::span<Tensor> results) {
  const Evaluate evaluate = evaluatorOf(op.kind);
  if (!evaluate)
    return fail("execute",
                "the reference has no " + std::string(name(op.kind)));
  evaluate(op, operands, results);
  return {};
}
