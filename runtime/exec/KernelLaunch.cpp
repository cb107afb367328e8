//===- KernelLaunch.cpp - Running a kernel step ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDispatch.h"
#include "WorkerPool.h"

#include "tandem/Runtime/Grain.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::exec;

/// What a kernel takes on one core at least: the clock is not asked, as it only
/// matters whether that is less than waking a thread.
static double estimateNs(const fb::KernelT &kernel) {
  constexpr double kFlopsPerNs = 128, kBytesPerNs = 64;
  auto extent = static_cast<double>(kernel.extent);
  return std::max({static_cast<double>(kernel.flops) / kFlopsPerNs,
                   static_cast<double>(kernel.bytes) / kBytesPerNs,
                   extent / static_cast<double>(kernel.grain) * kGrainNs});
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
    WorkerPool::get().run({plan.function, frame.args.data(),
                           plan.kernel->extent, plan.kernel->grain,
                           estimateNs(*plan.kernel)},
                          numThreads());
  return {};
}
