//===- Profile.cpp - The times of the steps of a program ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Profile.h"

#include "tandem/Runtime/PhaseTimes.h"

using namespace tandem;

namespace {

constexpr int kWarmUpRuns = 3;

/// Runs the program once. Returns when it began and when each step was done.
Expected<std::vector<double>> runStamped(Executor &executor,
                                         std::span<const Tensor> inputs) {
  Stream &stream = executor.stream();
  std::vector<std::unique_ptr<Event>> events;
  events.reserve(executor.program().steps.size() + 1);
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(executor.runObserved(
      inputs, outputs, [&](size_t, std::span<const Tensor *const>) -> Status {
        TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Event> event, stream.record());
        events.push_back(std::move(event));
        return {};
      }));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  std::vector<double> stamps;
  for (const std::unique_ptr<Event> &event : events)
    stamps.push_back(event->ns());
  return stamps;
}

/// Runs the program once. Returns the time, in nanoseconds.
Expected<double> runTimed(Executor &executor, std::span<const Tensor> inputs,
                          std::vector<Tensor> &outputs) {
  const Stopwatch watch;
  TANDEM_RETURN_IF_ERROR(executor.run(inputs, outputs));
  TANDEM_RETURN_IF_ERROR(executor.stream().synchronize());
  return watch.ns();
}

/// Runs the program once, and returns the peak memory of the run in bytes.
/// Runs in place, with copies of the inputs that the program updates.
Expected<int64_t> measurePeakBytes(Executor &executor,
                                   std::span<const Tensor> inputs) {
  Stream &stream = executor.stream();
  std::vector<Tensor> copied(inputs.begin(), inputs.end());
  for (const fb::Update &update : executor.program().updates) {
    const Tensor &input = inputs[update.input()];
    TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                            Tensor::allocate(input.type(), stream.allocator()));
    TANDEM_RETURN_IF_ERROR(stream.copy(input, copy));
    copied[update.input()] = copy;
  }
  std::vector<Tensor> outputs;
  int64_t peakBytes = 0;
  TANDEM_RETURN_IF_ERROR(executor.runInPlace(copied, outputs, &peakBytes));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return peakBytes;
}

/// The times of one step in all runs.
TimeSummary timesOf(size_t step, const std::vector<std::vector<double>> &runs) {
  std::vector<double> samples;
  for (const std::vector<double> &stamps : runs)
    samples.push_back(stamps[step + 1] - stamps[step]);
  return summarize(std::move(samples));
}

} // namespace

double Profile::stepNs() const {
  double sum = 0;
  for (const ProfiledStep &step : steps)
    sum += step.time.median;
  return sum;
}

Expected<Profile> tandem::profileRuns(const PreparedTier &prepared, Tier tier,
                                      std::span<const Tensor> inputs,
                                      int runs) {
  if (tier == Tier::captured)
    return fail("argument", "the steps of captured work cannot be timed",
                "the compiled tier has the same steps");
  if (runs < 1)
    return fail("argument", "a profile needs at least one run, not " +
                                std::to_string(runs));
  Executor &executor = *prepared.executor;
  const std::vector<TensorType> types = typesOf(inputs);
  TANDEM_ASSIGN_OR_RETURN(std::vector<StepInfo> steps,
                          describeSteps(executor, types));
  Profile profile;
  profile.tier = tier;
  std::vector<Tensor> outputs;
  std::vector<double> calls;
  for (int i = -kWarmUpRuns; i < runs; ++i) {
    TANDEM_ASSIGN_OR_RETURN(double ns, runTimed(executor, inputs, outputs));
    TANDEM_ASSIGN_OR_RETURN(std::vector<double> stamps,
                            runStamped(executor, inputs));
    if (i < 0)
      continue;
    calls.push_back(ns);
    profile.stamps.push_back(std::move(stamps));
  }
  for (size_t i = 0; i < steps.size(); ++i)
    profile.steps.push_back({std::move(steps[i]), timesOf(i, profile.stamps)});
  profile.call = summarize(std::move(calls));
  TANDEM_ASSIGN_OR_RETURN(profile.peakBytes,
                          measurePeakBytes(executor, inputs));
  return profile;
}
