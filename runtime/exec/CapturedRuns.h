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

/// Runs a compiled program as captured work: the first run is as of any other
/// program, so that libraries have loaded what they need; later ones are
/// captured, once for every set of addresses of inputs and outputs, and
/// launched as one piece.
///
/// The arena, and whatever else a run needs beside its outputs, belongs to the
/// executor and is shared by all captured runs: each frame's are launched on
/// the executor's one stream, one after the other. Runs that are not captured
/// are enqueued step by step, between the steps of others, so they have memory
/// of their own.
///
/// Thread-safe, as each thread has a frame. No lock is held during a run.
class CapturedRuns {
public:
  /// Enqueues all steps of the program on a stream.
  using RunSteps = std::function<Status(Stream &, Frame &)>;
  /// `context` and `plans` must outlive this.
  CapturedRuns(const DispatchContext &context,
               const std::vector<StepPlan> &plans, RunSteps runSteps);

  /// Runs the program on the inputs that are set in `frame`. `*heldBytes`: what
  /// the run uses beside the memory that it allocates.
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
  /// Changes the arguments of kernels, where no other step has an address that
  /// differs.
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
  /// Slots with memory of their own: those that the caller gets the memory of,
  /// and others.
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
