//===- OpDispatch.h - Running one step ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_OPDISPATCH_H
#define TANDEM_RUNTIME_EXEC_OPDISPATCH_H

#include "Frame.h"

#include <deque>

namespace tandem::exec {

/// What all steps of an executor share.
struct DispatchContext {
  const Program &program;
  ProviderList providers;
  Stream &stream;
  /// The stream's allocator.
  Allocator &allocator;
  /// The device whose memory its tensors are in, as in Tensor::device.
  const Device *memory;
  bool dispatchOnly;
};

/// Runs an op step: applies the shape rule, allocates the results and runs a
/// provider's prepared op. `index` is the step's number.
Status runOp(const DispatchContext &context, const StepPlan &plan,
             PreparedCache &cache, size_t index, Frame &frame);

/// Runs a kernel step: allocates the results and launches the kernel.
Status runKernel(const DispatchContext &context, const StepPlan &plan,
                 Frame &frame);

/// Runs step `index` and keeps what it reads.
Status runStep(const DispatchContext &context, const StepPlan &plan,
               PreparedCache &cache, size_t index, Frame &frame);

/// Runs the steps of `context.program` according to `plans`, except for the
/// steps i with `(*skipped)[i]`; `skipped` may be null or empty. `observer`,
/// which may be null, is called between any two steps.
Status runSteps(const DispatchContext &context, std::span<const StepPlan> plans,
                std::deque<PreparedCache> &caches, Frame &frame,
                const StepObserver *observer = nullptr,
                const std::vector<bool> *skipped = nullptr);

/// Checks that the declared type of a result agrees with its actual type.
Status checkWritten(const Program &program, uint32_t slot,
                    const TensorType &actual);

/// Makes the tensor of a slot: at its place in the arena, in its host slot's
/// memory (which is allocated if need be), or in memory of its own.
Expected<Tensor> makeResult(const DispatchContext &context, uint32_t slot,
                            const TensorType &type, Frame &frame);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_OPDISPATCH_H
