//===- Profile.h - The times of the steps of a program ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROFILE_H
#define TANDEM_RUNTIME_PROFILE_H

#include "tandem/Runtime/Tier.h"
#include "tandem/Runtime/TimeSummary.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The ways to execute a step, ordered from generated code to no execution.
enum class StepKind {
  kernel,    ///< Generated code.
  library,   ///< A library, or a prebuilt kernel.
  reference, ///< The plain loops of the reference provider.
  view,      ///< Nothing is executed: the same bytes with another type.
};
/// Returns the name of the enumerator.
std::string_view name(StepKind kind);

/// A step of a program for inputs of certain types.
struct StepInfo {
  /// The name of the kernel or of the op, followed by the ops of the epilogue,
  /// e.g. "kernel_3" or "conv+relu". A loop is called "loop".
  std::string name;
  /// A loop has the kind of one of the steps in its body: the kind that
  /// StepKind declares last.
  StepKind kind = StepKind::kernel;
  /// The name of the provider that executes an op step, e.g. "onednn". Empty
  /// for kernels and views.
  std::string provider;
  /// The locations of all ops of the graph that were fused into the step. In a
  /// program that was read from the disk cache (Compiled::isStored), these may
  /// be the locations of an equal graph in another file.
  std::vector<std::string> sources;
  /// The numbers of bytes that one run reads and writes, and the number of
  /// operations, where a multiply-add counts as two. For a loop, the sums over
  /// all iterations. All are 0 if `runsOnce`.
  int64_t bytesRead = 0, bytesWritten = 0, flops = 0;
  /// The size of an element of the result, in bytes.
  int64_t elementBytes = 4;
  /// True if the step ran when the executor was created, and not in each run.
  bool runsOnce = false;
};

/// Describes the steps of the executor's program, in order, for inputs of these
/// static types.
Expected<std::vector<StepInfo>>
describeSteps(const Executor &executor, std::span<const TensorType> inputs);

/// A step and its time.
struct ProfiledStep : StepInfo {
  /// The time of the step, in nanoseconds.
  TimeSummary time;
};

/// The times of all steps of a program.
struct Profile {
  Tier tier = Tier::eager;
  /// The steps, in execution order.
  std::vector<ProfiledStep> steps;
  /// The time, in nanoseconds, of a call that is timed as a whole.
  TimeSummary call;
  /// The peak memory of a call, in bytes: the largest number of bytes that the
  /// call holds at any time, not counting inputs and constants. Outputs that
  /// update inputs take no memory of their own.
  int64_t peakBytes = 0;
  /// For each run with timed steps, one timestamp for the beginning of the run
  /// and one for the end of each step, in nanoseconds of the same clock.
  std::vector<std::vector<double>> stamps;

  /// The sum of the median times of the steps, in nanoseconds.
  double stepNs() const;
};

/// Makes 2 × `runs` runs of a program after a warm-up, in turn with each step
/// timed and with the call timed as a whole. `inputs` must be in the memory of
/// the executor's device. Fails in the captured tier, whose steps cannot be
/// timed.
Expected<Profile> profileRuns(const PreparedTier &prepared, Tier tier,
                              std::span<const Tensor> inputs, int runs);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROFILE_H
