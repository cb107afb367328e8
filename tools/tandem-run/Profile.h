//===- Profile.h - Where the time of a tier goes ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_PROFILE_H
#define TANDEM_TOOLS_TANDEM_RUN_PROFILE_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Runtime/Profile.h"

#include <nlohmann/json.hpp>

namespace tandem::tools {

/// A profile, and the model of the device that it was measured on, with the
/// threads that programs run on.
struct TierProfile : Profile {
  DeviceModel device;
};

/// How many runs are timed where the user does not say.
inline constexpr int kProfiledRuns = 50;

/// Profiles a tier on the device with the name `device`.
Expected<TierProfile> profileTier(const PreparedTier &prepared, Tier tier,
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
std::string formatProfile(const TierProfile &profile, const std::string &file);
/// An array with an object for each step, in order.
nlohmann::ordered_json toJson(const TierProfile &profile,
                              const std::string &file);
/// The runs as a trace that https://ui.perfetto.dev and chrome://tracing show.
nlohmann::ordered_json traceOf(const TierProfile &profile,
                               const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_PROFILE_H
