//===- KernelLaunch.cpp - Running a kernel step ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDispatch.h"

#include <oneapi/tbb/parallel_for.h>

using namespace tandem;
using namespace tandem::exec;

static void launch(const StepPlan &plan, void *const *args) {
  KernelFn function = plan.function;
  int64_t extent = plan.kernel->extent, grain = plan.kernel->grain;
  if (extent <= grain || numThreads() == 1) {
    function(args, 0, extent);
    return;
  }
  using Range = tbb::blocked_range<int64_t>;
  tbb::parallel_for(Range(0, extent, grain), [=](const Range &range) {
    function(args, range.begin(), range.end());
  });
}

Status exec::runKernel(const DispatchContext &context, const StepPlan &plan,
                       Frame &frame) {
  const fb::StepT &step = *plan.step;
  frame.args.clear();
  for (uint32_t slot : step.operands)
    frame.args.push_back(frame.values[slot]->data());
  for (size_t i = 0; i < step.results.size(); ++i) {
    uint32_t slot = step.results[i];
    TANDEM_ASSIGN_OR_RETURN(
        frame.owned[slot],
        makeResult(context, slot, plan.resultTypes[i], frame));
    frame.args.push_back(frame.owned[slot].data());
  }
  if (!context.dispatchOnly)
    launch(plan, frame.args.data());
  return {};
}
