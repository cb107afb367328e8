//===- PlanReduction.cpp - Reductions and normalizations on a GPU ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::cuda;

namespace {

/// Some of a tensor's dims, as few as they can be walked as.
struct Walk {
  Shape dims;
  std::array<Strides, 1> strides{};

  void add(int64_t size, int64_t stride) {
    strides[0][dims.rank()] = stride;
    dims.push_back(size);
  }
  void merge() { mergeDims(dims, strides); }
  /// Whether its elements lie side by side.
  bool isContiguous() const {
    return dims.rank() > 0 && strides[0][dims.rank() - 1] == 1;
  }
};

template <typename Number> std::vector<std::byte> bytesOf(Number number) {
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

} // namespace

/// A kernel for the lines of a softmax or of its gradient.
static LaunchPlan planLines(const OpSignature &signature, std::string kernel) {
  const TensorType &type = signature.result();
  const auto axis = static_cast<int>(signature.op.attrs.AsAxisAttrs()->axis);
  const int64_t size = type.shape[axis];
  const int64_t stride = rowMajorStrides(type.shape)[axis];
  const int64_t lines = type.shape.numElements() / size;
  const int64_t perBlock = resultsPerBlock(lines, size, stride == 1);
  LaunchPlan plan{KernelFamily::normalization, type.dtype, std::move(kernel)};
  plan.blocks = divideUp(lines, perBlock);
  plan.pointers = {0, kResult};
  plan.values = {Indices{lines, size, stride, perBlock}};
  return plan;
}

Planned cuda::planSoftmax(const OpSignature &signature) {
  return OpPlan{{planLines(signature, "softmax")}, {}};
}

Planned cuda::planSoftmaxBackward(const OpSignature &signature) {
  LaunchPlan plan = planLines(signature, "softmax_backward");
  plan.pointers = {0, 1, kResult};
  return OpPlan{{plan}, {}};
}

/// A kernel for the lines of a layer norm, which are contiguous.
static LaunchPlan planLayerNormLines(const TensorType &type, int64_t lines,
                                     std::string kernel) {
  const int64_t size = type.shape.numElements() / std::max<int64_t>(lines, 1);
  const int64_t perBlock = resultsPerBlock(lines, size, /*areNeighbors=*/true);
  LaunchPlan plan{KernelFamily::normalization, type.dtype, std::move(kernel)};
  plan.blocks = divideUp(lines, perBlock);
  plan.values = {Indices{lines, size, /*stride=*/1, perBlock}};
  return plan;
}

Planned cuda::planLayerNorm(const OpSignature &signature) {
  LaunchPlan plan = planLayerNormLines(signature.operands[0],
                                       signature.results[1].shape.numElements(),
                                       "layer_norm");
  plan.pointers = {0, 1, 2, kResult, kSecondResult, kThirdResult};
  plan.values.push_back(
      bytesOf(signature.op.attrs.AsLayerNormAttrs()->epsilon));
  return OpPlan{{plan}, {}};
}

/// Plans two kernels. The first computes the gradient of the input line by
/// line. The second computes the gradients of the scale and of the offset
/// column by column.
Planned cuda::planLayerNormBackward(const OpSignature &signature) {
  const TensorType &type = signature.operands[1];
  const int64_t lines = signature.operands[3].shape.numElements(),
                columns = signature.operands[2].shape.numElements();
  OpPlan plan;
  if (type.shape.numElements() != 0) {
    LaunchPlan input = planLayerNormLines(type, lines, "layer_norm_backward");
    input.pointers = {0, 1, 2, 3, 4, kResult};
    plan.steps.push_back(std::move(input));
  }
  if (columns != 0) {
    const int64_t perBlock =
        resultsPerBlock(columns, lines, /*areNeighbors=*/false);
    LaunchPlan sums{KernelFamily::normalization, type.dtype,
                    "layer_norm_backward_sums", divideUp(columns, perBlock)};
    sums.pointers = {0, 1, 3, 4, kSecondResult, kThirdResult};
    sums.values = {Indices{columns, lines, perBlock}};
    plan.steps.push_back(std::move(sums));
  }
  return plan;
}

Planned cuda::planBatchNorm(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsBatchNormAttrs();
  const TensorType &type = signature.result();
  const auto axis = static_cast<int>(attrs.axis);
  const int64_t size = type.shape.numElements();
  LaunchPlan plan{KernelFamily::normalization, type.dtype, "batch_norm",
                  blocksFor(size)};
  plan.pointers = {0, 1, 2, 3, 4, kResult};
  plan.values = {
      Indices{size, type.shape[axis], rowMajorStrides(type.shape)[axis]},
      bytesOf(attrs.epsilon)};
  return OpPlan{{plan}, {}};
}

/// A kernel that reduces `dims`, one block for several results.
static LaunchPlan planOver(const TensorType &operand,
                           const std::vector<int64_t> &dims,
                           std::string kernel) {
  std::array<bool, kMaxRank> isReduced{};
  for (int64_t dim : dims)
    isReduced[dim] = true;
  const Strides own = rowMajorStrides(operand.shape);
  Walk kept, reduced;
  for (int dim = 0; dim < operand.shape.rank(); ++dim)
    (isReduced[dim] ? reduced : kept).add(operand.shape[dim], own[dim]);
  kept.merge();
  reduced.merge();
  const int64_t results = kept.dims.numElements();
  const int64_t count = reduced.dims.numElements();
  const int64_t perBlock =
      resultsPerBlock(results, count, !kept.isContiguous());
  LaunchPlan plan{KernelFamily::reduction, operand.dtype, std::move(kernel)};
  plan.blocks = divideUp(results, perBlock);
  plan.pointers = {0, kResult};
  plan.values = {Indices{results, perBlock, count}
                     .add(kept.dims)
                     .add(kept.strides[0])
                     .add(reduced.dims)
                     .add(reduced.strides[0])};
  return plan;
}

Planned cuda::planReduce(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsReduceAttrs();
  return OpPlan{
      {planOver(signature.operands[0], attrs.dims,
                std::string("reduce_") + fb::EnumNameReduceKind(attrs.kind))},
      {}};
}

Planned cuda::planMoments(const OpSignature &signature) {
  LaunchPlan plan =
      planOver(signature.operands[0], signature.op.attrs.AsMomentsAttrs()->dims,
               "moments");
  plan.pointers = {0, kResult, kSecondResult};
  return OpPlan{{plan}, {}};
}
