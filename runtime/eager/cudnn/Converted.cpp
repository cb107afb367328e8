//===- Converted.cpp - Conversions of layouts around an op ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converted.h"

#include "tandem/Runtime/Memory/AlignedBytes.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::cudnn;

/// The letters of a layout in the order that is wanted.
static std::string targetOf(const std::string &layout, bool isChannelsLast) {
  const bool isKernel = layout.find('O') != std::string::npos;
  const char batch = isKernel ? 'O' : 'N', channel = isKernel ? 'I' : 'C';
  std::string target(1, batch);
  if (!isChannelsLast)
    target += channel;
  for (char spatial : {'D', 'H', 'W'})
    if (layout.find(spatial) != std::string::npos)
      target += spatial;
  if (isChannelsLast)
    target += channel;
  return target;
}

static TensorType permuted(const TensorType &type, const std::string &from,
                           const std::string &to) {
  TensorType result{type.dtype, {}};
  for (char letter : to)
    result.shape.push_back(type.shape[int(from.find(letter))]);
  return result;
}

/// Null where no provider has it: they may also refuse it by an Error.
static std::unique_ptr<PreparedOp> prepareTranspose(const TensorType &fromType,
                                                    const std::string &from,
                                                    const TensorType &toType,
                                                    const std::string &to,
                                                    ProviderList providers) {
  fb::TransposeAttrsT attrs;
  for (char letter : to)
    attrs.permutation.push_back(int64_t(from.find(letter)));
  OpDesc op;
  op.kind = OpKind::transpose;
  op.attrs.Set(std::move(attrs));
  auto prepared = prepareOp(providers, {op, {&fromType, 1}, {&toType, 1}});
  return prepared ? std::move(*prepared) : nullptr;
}

bool Converted::convertOperand(size_t index, TensorType &type,
                               std::string &layout, bool isChannelsLast,
                               ProviderList providers) {
  const std::string to = targetOf(layout, isChannelsLast);
  const TensorType there = permuted(type, layout, to);
  auto transpose = prepareTranspose(type, layout, there, to, providers);
  if (!transpose)
    return false;
  operands.push_back({std::move(transpose), there, 0, index});
  type = there;
  layout = to;
  return true;
}

bool Converted::convertResult(TensorType &type, std::string &layout,
                              bool isChannelsLast, ProviderList providers) {
  const std::string from = targetOf(layout, isChannelsLast);
  const TensorType there = permuted(type, layout, from);
  auto transpose = prepareTranspose(there, from, type, layout, providers);
  if (!transpose)
    return false;
  result.emplace(Step{std::move(transpose), there});
  type = there;
  layout = from;
  return true;
}

Status Converted::convertConstants(std::span<const Tensor> constants,
                                   Allocator &allocator, Stream &stream) {
  for (Step &step : operands) {
    if (step.operand >= constants.size() || !constants[step.operand])
      continue;
    TANDEM_ASSIGN_OR_RETURN(step.kept, Tensor::allocate(step.type, allocator));
    TANDEM_RETURN_IF_ERROR(runOp(*step.transpose, {&constants[step.operand], 1},
                                 {&step.kept, 1}, stream, "weights"));
  }
  return stream.synchronize();
}

void Converted::place(Step &step) {
  if (step.kept)
    return;
  step.offset = tensorBytes;
  tensorBytes += alignedBytes(step.type.bytes());
  scratchBytes = std::max(scratchBytes, step.transpose->workspaceBytes());
}

class Converted::Op final : public PreparedOp {
public:
  Op(Converted conversions, std::unique_ptr<PreparedOp> inner)
      : conversions(std::move(conversions)), inner(std::move(inner)) {}

  int64_t workspaceBytes() const override {
    return conversions.tensorBytes +
           std::max(conversions.scratchBytes, inner->workspaceBytes());
  }
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  const Converted conversions;
  const std::unique_ptr<PreparedOp> inner;
};

Status Converted::Op::run(const StepContext &context,
                          std::span<const Tensor> operands,
                          std::span<Tensor> results) const {
  auto place = [&](const Step &step) {
    return Tensor::borrow(step.type, context.workspace.data() + step.offset,
                          results[0].device());
  };
  const StepContext scratch{context.stream,
                            context.workspace.subspan(conversions.tensorBytes),
                            context.step};
  std::vector<Tensor> converted(operands.begin(), operands.end());
  for (const Step &step : conversions.operands) {
    if (step.kept) {
      converted[step.operand] = step.kept;
      continue;
    }
    Tensor to = place(step);
    TANDEM_RETURN_IF_ERROR(
        step.transpose->run(scratch, {&operands[step.operand], 1}, {&to, 1}));
    converted[step.operand] = to;
  }
  if (!conversions.result)
    return inner->run(scratch, converted, results);
  Tensor output = place(*conversions.result);
  TANDEM_RETURN_IF_ERROR(inner->run(scratch, converted, {&output, 1}));
  return conversions.result->transpose->run(scratch, {&output, 1}, results);
}

std::unique_ptr<PreparedOp>
Converted::around(std::unique_ptr<PreparedOp> inner) && {
  for (Step &step : operands)
    place(step);
  if (result)
    place(*result);
  return std::make_unique<Op>(std::move(*this), std::move(inner));
}
