//===- CapturedRuns.h - Runs of a program as captured work ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_CAPTUREDRUNS_H
#define TANDEM_RUNTIME_EXEC_CAPTUREDRUNS_H

#include "OpDispatch.h"

#include <atomic>

namespace tandem::exec {

/// Runs a compiled program as captured work. The first run is executed step by
/// step, so that libraries load what they need. Later runs are captured, once
/// for each set of addresses of inputs and outputs, and each captured run is
/// launched as one unit.
///
/// The arena, and all other memory that a run needs besides its outputs,
/// belongs to the executor and is shared by all captured runs. All captured
/// runs are launched on the executor's one stream, one after the other. Runs
/// that are not captured are enqueued step by step, and other runs may be
/// enqueued between their steps, so they have memory of their own.
///
/// Thread-safe, because each thread has its own frame. No lock is held during a
/// run.
class CapturedRuns {
public:
  /// Enqueues all steps of the program on a stream.
  using RunSteps = std::function<Status(Stream &, Frame &)>;
  /// `context` and `plans` must outlive this.
  CapturedRuns(const DispatchContext &context,
               const std::vector<StepPlan> &plans, RunSteps runSteps);

  /// Runs the program on the inputs that are set in `frame`. Sets `*heldBytes`
  /// to the memory that the run uses besides the memory that it allocates.
  Status run(Frame &frame, int64_t *heldBytes);

  /// What a run holds beside inputs and constants, in bytes.
  int64_t peakBytes() const;
  CaptureCounts counts() const;
  std::optional<Error> failure() const;

private:
  enum class State {
    cold,    ///< Nothing has run.
    warming, ///< The first run is being enqueued.
    warm,
    refused, ///< What was captured failed: see `reason`.
  };

  void classifySlots();
  /// Places what the executor holds; an Error where memory runs out.
  Status hold(Frame &frame);
  Status allocateResults(Frame &frame) const;
  Status runFirst(Frame &frame);
  Status runStepByStep(Frame &frame);
  Status runCaptured(Frame &frame, int64_t *heldBytes);

  /// By slot, where its value is in the run of `frame`.
  std::vector<void *> findAddresses(const Frame &frame) const;
  /// The captured run for the addresses of `frame`, found or made; null where
  /// this run is not to be captured.
  CapturedRun *obtain(Frame &frame);
  CapturedRun *add(Frame &frame);
  CapturedRun *replace(Frame &frame, CapturedRun &run);
  /// Changes the arguments of kernels to `addresses`, if no other kind of step
  /// has an address that differs. Returns whether it did.
  bool patch(CapturedRun &run, std::vector<void *> addresses);
  bool capture(Frame &frame, CapturedRun &run);
  void refuse(Error error);
  /// The values that are other values' bytes.
  void makeViews(Frame &frame) const;

  const DispatchContext &context;
  const std::vector<StepPlan> &plans;
  const RunSteps runSteps;
  struct TypedSlot {
    uint32_t slot;
    TensorType type;
  };
  /// Slots with memory of their own: those whose memory is given to the caller,
  /// and all others.
  std::vector<TypedSlot> results, kept;
  /// The same memory under another type, of `slot`, for the caller; in order.
  struct View : TypedSlot {
    uint32_t operand;
  };
  std::vector<View> views;
  int64_t workspaceBytes = 0, resultBytes = 0, keptBytes = 0;

  std::atomic<State> state{State::cold};
  // Written by the thread that is warming, before the state says warm.
  Tensor arena, workspace;
  std::vector<Tensor> keptTensors;

  std::atomic<uint64_t> launches{0}, captures{0}, patches{0}, recaptures{0},
      stepByStep{0};
  mutable std::mutex mutex; // guards reason; held for a copy
  std::optional<Error> reason;
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_CAPTUREDRUNS_H
