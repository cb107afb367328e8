//===- Unfused.cpp - Contractions and their epilogues, op by op -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Memory/AlignedBytes.h"

#include <algorithm>

using namespace tandem;

namespace {

using Prepared = std::unique_ptr<PreparedOp>;

/// A contraction, then the ops of its epilogue. Each writes to the result or to
/// a tensor in the workspace, in turn, so that the last writes to the result.
class UnfusedOp final : public PreparedOp {
public:
  static Expected<Prepared> create(ProviderList providers,
                                   const FusedContraction &fused);

  int64_t workspaceBytes() const override { return valueBytes + scratchBytes; }
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  /// An op of the epilogue, ready to run.
  struct Step {
    Prepared op;
    std::optional<size_t> operand;
  };

  Status prepareEpilogue(ProviderList providers, const FusedContraction &fused);
  void count(const PreparedOp &op) {
    scratchBytes = std::max(scratchBytes, op.workspaceBytes());
  }

  TensorType type;
  size_t numOperands = 0;
  Prepared contraction;
  std::vector<Step> steps;
  /// The size of the tensor in the workspace, and the most that an op needs for
  /// itself, in bytes.
  int64_t valueBytes = 0, scratchBytes = 0;
};

Status UnfusedOp::prepareEpilogue(ProviderList providers,
                                  const FusedContraction &fused) {
  const OpSignature &all = fused.contraction;
  for (const EpilogueOp &next :
       epilogueOps(all.op.kind, all.operands.size(), fused.hasResidual,
                   fused.activation)) {
    std::vector<TensorType> types = {type};
    if (next.operand)
      types.push_back(all.operands[*next.operand]);
    TANDEM_ASSIGN_OR_RETURN(Prepared op,
                            prepareOp(providers, {next.op, types, {&type, 1}}));
    count(*op);
    steps.push_back({std::move(op), next.operand});
  }
  return {};
}

Expected<Prepared> UnfusedOp::create(ProviderList providers,
                                     const FusedContraction &fused) {
  const OpSignature &all = fused.contraction;
  auto op = std::make_unique<UnfusedOp>();
  op->type = all.result();
  op->numOperands = numContractionOperands(all.op.kind, all.operands.size(),
                                           fused.hasResidual);
  const auto own = [&](auto span) {
    return span.first(std::min(span.size(), op->numOperands));
  };
  TANDEM_ASSIGN_OR_RETURN(
      op->contraction, prepareOp(providers, {all.op, own(all.operands),
                                             all.results, own(all.constants)}));
  op->count(*op->contraction);
  TANDEM_RETURN_IF_ERROR(op->prepareEpilogue(providers, fused));
  if (!op->steps.empty())
    op->valueBytes = alignedBytes(op->type.bytes());
  return op;
}

Status UnfusedOp::run(const StepContext &context,
                      std::span<const Tensor> operands,
                      std::span<Tensor> results) const {
  Tensor value =
      Tensor::borrow(type, context.workspace.data(), results[0].device());
  const StepContext scratch{context.stream,
                            context.workspace.subspan(size_t(valueBytes)),
                            context.step};
  // Returns the tensor that an op writes to if `left` ops follow it.
  auto target = [&](size_t left) -> Tensor & {
    return left % 2 == 0 ? results[0] : value;
  };
  size_t left = steps.size();
  TANDEM_RETURN_IF_ERROR(contraction->run(scratch, operands.first(numOperands),
                                          {&target(left), 1}));
  for (const Step &step : steps) {
    std::vector<Tensor> inputs = {target(left)};
    if (step.operand)
      inputs.push_back(operands[*step.operand]);
    TANDEM_RETURN_IF_ERROR(step.op->run(scratch, inputs, {&target(--left), 1}));
  }
  return {};
}

} // namespace

Expected<std::unique_ptr<PreparedOp>>
tandem::prepareFused(ProviderList providers, const FusedContraction &fused) {
  for (const Provider *provider : providers) {
    TANDEM_ASSIGN_OR_RETURN(Prepared op, provider->prepareFused(fused));
    if (op)
      return op;
  }
  return UnfusedOp::create(providers, fused);
}
