//===- PlanIndexing.cpp - Scattering and sorting on a GPU -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AxisView.h"
#include "LaunchPlan.h"

using namespace tandem;
using namespace tandem::cuda;
using eager::AxisView;

/// A copy of the input, into which updates go.
Planned cuda::planScatter(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsScatterAttrs();
  const TensorType &result = signature.result(),
                   &indices = signature.operands[1];
  const AxisView lines(result.shape, attrs.axis);
  const int64_t count = indices.shape.numElements();
  OpPlan plan;
  plan.steps.push_back(CopyPlan{0, 0, 0, result.bytes()});
  if (count == 0)
    return plan;
  LaunchPlan launch{KernelFamily::indexing, result.dtype, "scatter_",
                    blocksFor(lines.outer * lines.inner)};
  launch.kernel += fb::EnumNameScatterKind(attrs.kind);
  launch.kernel += "_" + std::string(tandem::name(indices.dtype));
  launch.pointers = {1, 2, kResult};
  launch.values = {Indices{lines.outer, lines.size, lines.inner, count}};
  plan.steps.push_back(launch);
  return plan;
}

Planned cuda::planOrder(const OpSignature &signature) {
  const TensorType &operand = signature.operands[0];
  const LineOrder order = LineOrder::of(signature.op, operand);
  const AxisView lines(operand.shape, order.axis);
  LaunchPlan plan{KernelFamily::indexing, operand.dtype, "order_lines",
                  blocksFor(operand.shape.numElements())};
  plan.pointers = {0, kResult, kSecondResult};
  plan.values = {Indices{lines.outer, lines.size, lines.inner, order.k,
                         order.isAscending ? 1 : 0}};
  return OpPlan{{plan}, {}};
}
