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

/// A run of a program that was captured.
struct CapturedRun {
  /// The addresses of inputs and of outputs that it works on.
  std::vector<void *> key;
  /// By slot, the address of its value.
  std::vector<void *> addresses;
  std::unique_ptr<CapturedWork> work;
  /// Frame::clock at its last launch.
  uint64_t lastUse = 0;
};

struct LoopFrame;

/// The values of one run of a program, and buffers that later runs reuse so
/// that dispatch does not allocate. Used by one thread at a time.
struct Frame {
  Frame(const Program &program, std::span<const Constant> constants);
  ~Frame();

  /// By slot, where its value is: an input of the caller, a constant of the
  /// executor, or an element of `owned`.
  std::vector<const Tensor *> values;
  std::vector<Tensor> owned;
  /// The memory of all slots that have an offset in the arena, for this run.
  Tensor arena;

  /// The sizes that expressions of the program refer to (symbolSizes).
  std::vector<int64_t> symbols;

  /// Operands and results of the present step, in contiguous arrays.
  std::vector<TensorType> operandTypes;
  std::vector<Tensor> operands;
  std::vector<Tensor> results;
  std::vector<void *> args;
  /// By step, the prepared op that it ran last: the inline cache of dispatch.
  std::vector<PreparedRef> last;
  /// By step, what its loop works on; null before it has run, and for others.
  std::vector<std::unique_ptr<LoopFrame>> loops;
  /// The input types that were last found to fit the program.
  std::vector<TensorType> checkedInputs;

  // The following members are for an executor that captures:
  std::vector<CapturedRun> captured;
  /// The addresses of this run, as in CapturedRun::key, and those for which no
  /// run was captured lately.
  std::vector<void *> key;
  std::vector<std::vector<void *>> missed;
  uint64_t clock = 0;

  /// Memory of the caller that the next run writes slots into
  /// (OutputPlan::place).
  std::vector<Constant> placed;
  /// Sets the slots of `placed`.
  void place();

  /// How many steps of the present run have begun; one more once its outputs
  /// are copied to the caller's memory.
  size_t begun = 0;

  /// Frees all values of the run.
  void clear();
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_FRAME_H
