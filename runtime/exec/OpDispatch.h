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

namespace tandem::exec {

/// What every step of an executor shares.
struct DispatchContext {
  const Program &program;
  ProviderList providers;
  Stream &stream;
  /// The stream's.
  Allocator &allocator;
  /// Where its tensors are (Tensor::device).
  const Device *memory;
  bool dispatchOnly;
};

/// Applies the shape rule, allocates the results and runs a primitive.
Status runOp(const DispatchContext &context, const StepPlan &plan,
             PreparedCache &cache, size_t index, Frame &frame);

/// Allocates the results and launches generated code.
Status runKernel(const DispatchContext &context, const StepPlan &plan,
                 Frame &frame);

/// Memory for a slot: at its place in the arena or in its host (which is
/// allocated if need be), or of its own.
Expected<Tensor> makeResult(const DispatchContext &context, uint32_t slot,
                            const TensorType &type, Frame &frame);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_OPDISPATCH_H
