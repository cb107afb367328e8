//===- LoopPlan.h - Running a loop step -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_LOOPPLAN_H
#define TANDEM_RUNTIME_EXEC_LOOPPLAN_H

#include "OpDispatch.h"

namespace tandem::exec {

/// What an executor knows of a loop before it runs.
struct LoopPlan {
  /// `types` are those of the operands of `step`; `constants[i]` is the value
  /// of operand i where that is a constant, else an empty tensor.
  static Expected<std::shared_ptr<LoopPlan>>
  create(const fb::StepT &step, Types types, const Kernels &kernels,
         const ExecutorOptions &options, std::span<const Tensor> constants);

  /// The body. An operand that is the same in all iterations and is a constant
  /// of the whole program is a constant of the body, so that ops can be
  /// prepared for it. All other operands are inputs of the body.
  Program body;
  std::vector<StepPlan> plans;
  mutable std::deque<PreparedCache> caches;
  /// The types of the step's operands, as they are written in the program.
  Types types;
  /// Whether steps can work on slices at any address. On other devices, slices
  /// must be aligned to Allocator::kAlignment.
  bool takesAnyAddress = true;
  /// For each input of `body` the number of the step's operand.
  std::vector<size_t> operands;
  /// For each output of `body`, the slot that a step computes directly in the
  /// memory that the loop provides; if the output is a view, the slot that it
  /// views. Nothing if no step computes the output, or if an earlier output has
  /// that memory: the output is then copied.
  std::vector<std::optional<uint32_t>> targets;
};

/// The parts of LoopFrame::buffers for operands and results of the given types.
struct LoopBuffers {
  LoopBuffers(const LoopPlan &plan, const fb::LoopT &loop,
              std::span<const TensorType> operands,
              std::span<const TensorType> results);
  /// For each value that is carried, scanned or stacked, in this order: where
  /// its part begins, or that it has none.
  std::vector<int64_t> offsets;
  static constexpr int64_t kNone = -1;
  int64_t bytes = 0;
};

/// The state of a run of a loop: its body's frame and the values that it is
/// given, which the frame refers to.
struct LoopFrame {
  explicit LoopFrame(const LoopPlan &plan)
      : body(plan.body, plan.body.constants), inputs(plan.operands.size()),
        outputs(plan.targets.size()) {}

  Frame body;
  /// One for each input and each output of the body.
  std::vector<Tensor> inputs, outputs;
  /// Memory for every second value of each carried operand, and for slices
  /// whose addresses the device cannot work on.
  Tensor buffers;
};

/// Bytes that a loop of static types holds beside its operands and results.
int64_t loopBytes(const StepPlan &plan);

/// Runs all iterations of a loop step. Carried values alternate between the
/// memory of the result and a buffer, and stacked slices are computed in place,
/// so that an iteration of a compiled program allocates nothing.
Status runLoop(const DispatchContext &context, const StepPlan &plan,
               size_t index, Frame &frame);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_LOOPPLAN_H
