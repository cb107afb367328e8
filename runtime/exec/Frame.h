//===- Frame.h - The state of one run -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_FRAME_H
#define TANDEM_RUNTIME_EXEC_FRAME_H

#include "StepPlan.h"

namespace tandem::exec {

/// The values of one run, and buffers that runs reuse so that dispatch does not
/// allocate. Used by one thread at a time.
struct Frame {
  Frame(const Program &program, std::span<const Tensor> constants);

  /// Where each slot's value is: an input of the caller, a constant of the
  /// executor, or `owned`.
  std::vector<const Tensor *> values;
  std::vector<Tensor> owned;
  /// The block of the slots that have an offset, for this run.
  Tensor arena;

  /// Operands and results of the step at hand, contiguous.
  std::vector<TensorType> operandTypes;
  std::vector<Tensor> operands;
  std::vector<Tensor> results;
  std::vector<void *> args;
  /// What each step ran last: the inline cache of dispatch.
  std::vector<PreparedRef> last;
  /// Input types that were found right.
  std::vector<TensorType> checkedInputs;

  /// Frees all values of the run.
  void clear();
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_FRAME_H
