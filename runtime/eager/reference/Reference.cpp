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

using Evaluate = void (*)(const OpDesc &, Operands, Tensor &);

static Evaluate evaluatorOf(OpKind kind) {
  switch (kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return evaluateUnary;
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return evaluateBinary;
  case OpKind::cast:
    return evaluateCast;
  case OpKind::compare:
    return evaluateCompare;
  case OpKind::select:
    return evaluateSelect;
  case OpKind::clamp:
    return evaluateClamp;
  case OpKind::reshape:
  case OpKind::bitcast: // The bytes stay.
    return evaluateReshape;
  case OpKind::transpose:
    return evaluateTranspose;
  case OpKind::broadcast:
    return evaluateBroadcast;
  case OpKind::slice:
    return evaluateSlice;
  case OpKind::pad:
    return evaluatePad;
  case OpKind::concat:
    return evaluateConcat;
  case OpKind::iota:
    return evaluateIota;
  case OpKind::gather:
    return evaluateGather;
  case OpKind::scatter:
    return evaluateScatter;
  case OpKind::argtopk:
    return evaluateArgTopK;
  case OpKind::conv:
    return evaluateConv;
  case OpKind::matmul:
    return evaluateMatmul;
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return evaluatePool;
  case OpKind::reduce:
    return evaluateReduce;
  case OpKind::batch_norm:
    return evaluateBatchNorm;
  case OpKind::softmax:
    return evaluateSoftmax;
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
    evaluate(op, operands, results[0]);
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
                                   Tensor &result) {
  const Evaluate evaluate = evaluatorOf(op.kind);
  if (!evaluate)
    return fail("execute",
                "the reference has no " + std::string(name(op.kind)));
  evaluate(op, operands, result);
  return {};
}
