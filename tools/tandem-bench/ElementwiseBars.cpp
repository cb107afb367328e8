//===- ElementwiseBars.cpp - Fused loops beside memory's speed ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarSubject.h"

#include "Peak.h"
#include "WorkerPlaces.h"

namespace tandem::bench {
namespace {

using measure::Summary;

/// "2^20".
std::string power(int exponent) { return "2^" + std::to_string(exponent); }

/// Beside a copy of as many bytes as the graph must move: x, y and the result.
Status addCopyBar(const BarsOptions &options, const std::string &name,
                  int exponent, double bar, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      Subject subject,
      loadSubject(options, name, {{"n", int64_t(1) << exponent}}));
  measure::Sampler sampler(samplerOptions(options));
  Targets targets;
  sampler.add("compiled", callOf(subject, subject.compiled));
  TANDEM_RETURN_IF_ERROR(
      addCopySeries(sampler, subject, 3 * subject.outputs[0].bytes(), targets));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(
      ratioBar(name + " " + power(exponent) + ": compiled / copy of its bytes",
               {"compiled", times[0]}, {"copy", times[1]}, bar, true));
  return {};
}

Status addThreadsBar(const BarsOptions &options, int exponent, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      Subject subject,
      loadSubject(options, "chain8", {{"n", int64_t(1) << exponent}}));
  int threads = numThreads();
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("one thread", callOf(subject, subject.compiled),
              [] { setNumThreads(1); });
  sampler.add("all threads", callOf(subject, subject.compiled), [threads] {
    setNumThreads(threads);
    keepWorkersAway();
  });
  auto times = sampler.run();
  setNumThreads(threads);
  if (!times)
    return tl::unexpected<Error>(std::move(times.error()));
  bars.push_back(ratioBar("chain8 " + power(exponent) + ": one thread / " +
                              std::to_string(threads) + " threads",
                          {"one thread", (*times)[0]},
                          {"all threads", (*times)[1]}, 1.9, false));
  return {};
}

Status addCallTimeBar(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(Subject subject,
                          loadSubject(options, "chain8", {{"n", 1 << 10}}));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("call", callOf(subject, subject.compiled));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back({"chain8 2^10, per call",
                  times[0].median,
                  2000,
                  true,
                  "ns",
                  {{"call", times[0]}}});
  return {};
}

} // namespace

Status addElementwiseBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "axpy8", 20, 1.15, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "axpy8", 26, 1.1, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "chain8", 20, 4, bars));
  TANDEM_RETURN_IF_ERROR(addCallTimeBar(options, bars));
  TANDEM_RETURN_IF_ERROR(addThreadsBar(options, 20, bars));
  return addThreadsBar(options, 26, bars);
}

} // namespace tandem::bench
