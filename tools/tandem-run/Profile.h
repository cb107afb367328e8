//===- Profile.h - Where the time of a tier goes ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_PROFILE_H
#define TANDEM_TOOLS_TANDEM_RUN_PROFILE_H

#include "StepInfo.h"

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Executor.h"

#include <nlohmann/json.hpp>

namespace tandem::tools {

/// The times of all steps of a tier.
struct Profile {
  std::vector<StepInfo> steps;
  /// The time of each step, in nanoseconds.
  std::vector<measure::Summary> times;
  /// The time of a call whose steps are not timed, in nanoseconds.
  measure::Summary call;
  /// The times when each run began and when each of its steps was done, in
  /// nanoseconds.
  std::vector<std::vector<double>> stamps;
  /// The machine, with the threads that programs run on.
  DeviceModel device;
};

/// How many runs are timed where the user does not say.
inline constexpr int kProfiledRuns = 50;

/// Runs a tier, after a warm-up, `runs` times with its steps timed and as many
/// times without, in alternation. `steps` are those of its program, `inputs` in
/// the memory of its device, whose name is `device`.
Expected<Profile> profile(Executor &executor, std::vector<StepInfo> steps,
                          std::span<const Tensor> inputs, int runs,
                          const std::string &device);

/// The least time that the device needs for a step, in nanoseconds, as its
/// model says: for its operations or for the bytes it moves, whichever is more.
struct StepLimit {
  double ns = 0;
  bool isMemory = false;
};
StepLimit limitOf(const StepInfo &step, const DeviceModel &device);

/// The table: the steps that take the most, and the sum of the others. `file`
/// is left out of the nodes' names.
std::string formatProfile(const Profile &profile, const std::string &file);
/// An array with an object for each step, in order.
nlohmann::ordered_json toJson(const Profile &profile, const std::string &file);
/// The runs as a trace that https://ui.perfetto.dev and chrome://tracing show.
nlohmann::ordered_json traceOf(const Profile &profile, const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_PROFILE_H
