//===- PlanElementwise.cpp - Elementwise ops on a GPU ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseFunctions.h"
#include "LaunchPlan.h"

using namespace tandem;
using namespace tandem::cuda;

namespace {

constexpr size_t kMaxOperands = 3;

std::vector<int> pointersOf(const OpSignature &signature) {
  std::vector<int> pointers;
  for (size_t i = 0; i < signature.operands.size(); ++i)
    pointers.push_back(static_cast<int>(i));
  pointers.push_back(kResult);
  return pointers;
}

/// What both forms of a kernel have in common.
LaunchPlan planKernel(const OpSignature &signature, std::string_view form) {
  std::vector<DType> operands;
  for (const TensorType &type : signature.operands)
    operands.push_back(type.dtype);
  LaunchPlan plan{familyOf(signature.op.kind), operands.back(), {}};
  plan.kernel = std::string(form) +
                functionName(signature.op, operands, signature.result().dtype);
  plan.pointers = pointersOf(signature);
  return plan;
}

/// Every operand has all elements in the result's order, or just one.
bool isDense(const OpSignature &signature) {
  const int64_t size = signature.result().shape.numElements();
  for (const TensorType &type : signature.operands)
    if (const int64_t own = type.shape.numElements(); own != size && own != 1)
      return false;
  return true;
}

LaunchPlan planDense(const OpSignature &signature) {
  LaunchPlan plan = planKernel(signature, "dense_");
  const int64_t size = signature.result().shape.numElements();
  int64_t widest = byteWidth(signature.result().dtype), repeated = 0;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    widest = std::max(widest, byteWidth(signature.operands[i].dtype));
    if (signature.operands[i].shape.numElements() != size)
      repeated |= int64_t(1) << i;
  }
  plan.blocks = blocksFor(divideUp(size, 16 / widest));
  plan.values = {Indices{size}, Indices{repeated}};
  return plan;
}

LaunchPlan planStrided(const OpSignature &signature) {
  LaunchPlan plan = planKernel(signature, "strided_");
  Shape dims = signature.result().shape;
  const int64_t size = dims.numElements();
  std::array<Strides, kMaxOperands> strides{};
  for (size_t i = 0; i < signature.operands.size(); ++i)
    strides[i] = broadcastStrides(signature.operands[i].shape, dims);
  mergeDims(dims, strides);
  plan.blocks = blocksFor(size);
  plan.values = {Indices{size}, Indices().add(dims)};
  for (size_t i = 0; i < signature.operands.size(); ++i)
    plan.values.emplace_back(Indices().add(strides[i]));
  return plan;
}

} // namespace

KernelFamily cuda::familyOf(OpKind kind) {
  switch (groupOf(kind)) {
  case FunctionGroup::unary:
    return KernelFamily::unary;
  case FunctionGroup::nary:
    return KernelFamily::nary;
  case FunctionGroup::cast:
    return KernelFamily::cast;
  case FunctionGroup::transcendental:
  case FunctionGroup::conversions:
    break;
  }
  return KernelFamily::transcendental;
}

Planned cuda::planElementwise(const OpSignature &signature) {
  const LaunchPlan strided = planStrided(signature);
  if (!isDense(signature))
    return OpPlan{{strided}, {}};
  return OpPlan{{planDense(signature)}, {strided}};
}
