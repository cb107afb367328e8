//===- Calibrate.cpp - The description of this machine, measured ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Compiler/Calibrate.h"

#include "Calibration/CalibrateShares.h"
#include "Calibration/CalibrateTransposes.h"

#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Measure/Rates.h"
#include "tandem/Measure/Statistics.h"
#include "tandem/Measure/WorkerPlaces.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Support/RoundToStep.h"

#include <algorithm>
#include <bit>

namespace tandem {
namespace {

using measure::Best;

/// Steps in which shares are told apart: see kRateSteps.
constexpr double kShareSteps = 8;
/// Sizes are powers of two.
constexpr double kSizeSteps = 1;
/// How often convolutions are timed, all of them each time.
constexpr int kRounds = 5;
/// Where a cache holds less, memory is measured on four times as much.
constexpr int64_t kMaxBytes = 256 << 20;

/// Fills in a model, figure by figure.
class Calibrator {
public:
  explicit Calibrator(const CalibrateOptions &options) : options(options) {
    calibration.model = detectedDeviceModel();
  }
  Expected<Calibration> run();

private:
  /// A rate's value: what is measured, if it is steady, or what was detected.
  double take(const std::string &key, double detected, double factor, Best best,
              double steps);
  /// The factor by which one core is faster alone than beside the others.
  /// `alone` is the rate of one core, and `all` that of all cores together.
  double takeFactor(const std::string &key, Best alone, Best all);
  Status checkCancelled() const;

  void measurePeak();
  void measureCaches();
  void measureMemory();
  void measureStreaming();
  Status measureAcross();
  Status measureLibraryCall();
  /// `exactModel` describes the threads that are timed. `reference` runs on the
  /// same core.
  Status measureShares(std::span<const Share> shares,
                       const SpeedReference &reference, DeviceModel exactModel);
  Status measureOneThread();
  Status measureAllThreads();

  /// What convolutions are timed by.
  Expected<SpeedReference> makeReference();

  /// The number of bytes on which a cache level is measured with one core: half
  /// of the core's share or, for a cache that cores share, a few times the size
  /// of the level before.
  size_t bytesFor(size_t level) const;

  const CalibrateOptions &options;
  Calibration calibration;
  DeviceModel &model = calibration.model;
};

double Calibrator::take(const std::string &key, double detected, double factor,
                        Best best, double steps) {
  CalibratedFigure figure{key, detected, detected, best.spread};
  figure.isMeasured = best.isSteady() && best.value > 0;
  if (figure.isMeasured)
    figure.value = roundToStep(best.value * factor, steps);
  calibration.figures.push_back(figure);
  return figure.value;
}

double Calibrator::takeFactor(const std::string &key, Best alone, Best all) {
  auto cores = static_cast<double>(model.cores);
  // Cores that share what they need are not faster together.
  Best factor{std::clamp(alone.value * cores / all.value, 1.0, cores),
              std::max(alone.spread, all.spread)};
  return take(key, 1, 1, factor, kRateSteps);
}

Status Calibrator::checkCancelled() const {
  if (options.isCancelled && options.isCancelled())
    return fail("calibrate", "it was cancelled");
  return {};
}

void Calibrator::measurePeak() {
  Best one = measure::measureFlops(model.vectorBits);
  // Some processors compute a wide vector in two halves.
  if (model.vectorBits > 128) {
    Best half = measure::measureFlops(model.vectorBits / 2);
    Best units{one.value / half.value > 1.4 ? 2.0 : 1.0,
               std::max(one.spread, half.spread)};
    model.fmasPerClock =
        take("fmas_per_clock", model.fmasPerClock, 1, units, kRateSteps);
  }
  if (model.hasBF16Pairs) {
    Best pairs = measure::measureFlops(512, DType::bf16);
    Best perFma{pairs.value / one.value / 2,
                std::max(one.spread, pairs.spread)};
    model.pairsPerFma =
        take("bf16_pairs_per_fma", model.pairsPerFma, 1, perFma, kRateSteps);
  }
  if (options.wholeMachine && model.cores > 1)
    model.aloneFactor = takeFactor("alone_factor", measure::measureFlops(512),
                                   measure::measureFlopsOfAll());
  double f64Share = model.f64FlopsPerNs / model.f32FlopsPerNs;
  double halfShare = model.halfFlopsPerNs / model.f32FlopsPerNs;
  model.f32FlopsPerNs =
      take("f32_flops_per_ns", model.f32FlopsPerNs,
           double(model.cores) / model.aloneFactor, one, kRateSteps);
  model.f64FlopsPerNs = f64Share * model.f32FlopsPerNs;
  model.halfFlopsPerNs = halfShare * model.f32FlopsPerNs;
}

size_t Calibrator::bytesFor(size_t level) const {
  bool isShared = level > 0 && level + 1 == model.caches.size();
  int64_t bytes = model.caches[level].bytes / 2 / model.cores;
  if (isShared)
    bytes = std::min(model.caches[level].bytes / 2,
                     4 * model.caches[level - 1].bytes / model.cores);
  return static_cast<size_t>(bytes);
}

void Calibrator::measureCaches() {
  double factor = double(model.cores) / model.aloneFactor;
  for (size_t level = 0; level < model.caches.size(); ++level) {
    double &rate = model.caches[level].bytesPerNs;
    rate = take("caches[" + std::to_string(level) + "]", rate, factor,
                measure::measureTriad(bytesFor(level)), kRateSteps);
  }
}

/// Beside a cache that holds most of what is read and written, memory would
/// seem faster than it is.
void Calibrator::measureMemory() {
  int64_t cached = model.caches.empty() ? 0 : model.caches.back().bytes;
  int64_t bytes = std::min(4 * cached, kMaxBytes);
  if (!options.wholeMachine || bytes < 2 * cached)
    return;
  Best one = measure::measureTriad(static_cast<size_t>(bytes));
  double factor = double(model.cores);
  if (model.cores > 1) {
    Best all =
        measure::measureTriadOfAll(static_cast<size_t>(bytes / model.cores));
    model.aloneMemoryFactor = takeFactor("alone_memory_factor", one, all);
    factor /= model.aloneMemoryFactor;
  }
  model.memoryBytesPerNs = take("memory_bytes_per_ns", model.memoryBytesPerNs,
                                factor, one, kRateSteps);
}

/// The least of sizes from `most` on, and of at least `least` bytes, from which
/// results are surely faster stored past the caches; 0 if none is.
static double findStreamedBytes(size_t least, size_t most) {
  // What is stored past a cache that would have held it is twice as slow. The
  // gain is of the lower quartile, about.
  constexpr double kSureGain = 1.05;
  double found = 0;
  for (size_t bytes = most; bytes > least; bytes /= 2) {
    Best gain = measure::measureStreaming(bytes);
    if (gain.value < kSureGain + gain.spread / 2)
      break;
    found = double(bytes);
  }
  return found;
}

/// Starts with results that exceed the caches. If other processes use a shared
/// cache, it seems to hold less, so the largest of several measurements counts.
void Calibrator::measureStreaming() {
  constexpr int kTimes = 3;
  if (!options.wholeMachine || model.caches.empty())
    return;
  auto cached = static_cast<uint64_t>(2 * model.caches.back().bytes);
  size_t most = std::min(std::bit_ceil(cached), uint64_t(kMaxBytes / 2));
  Best least;
  for (int i = 0; i < kTimes; ++i)
    least.value =
        std::max(least.value,
                 findStreamedBytes(size_t(model.caches.front().bytes), most));
  model.streamedBytes = int64_t(take(
      "streamed_bytes", double(model.streamedBytes), 1, least, kSizeSteps));
}

Status Calibrator::measureAcross() {
  TANDEM_ASSIGN_OR_RETURN(
      Best factor, measureAcrossFactor([this] { return checkCancelled(); }));
  model.acrossFactor =
      take("across_factor", model.acrossFactor, 1, factor, kShareSteps);
  return {};
}

/// Measures the cost of a library call with an op of hardly any operations. The
/// library and generated code are called alike.
Status Calibrator::measureLibraryCall() {
  auto findLeast = [&](ContractionWay way) -> Expected<Best> {
    TANDEM_RETURN_IF_ERROR(checkCancelled());
    TANDEM_ASSIGN_OR_RETURN(
        auto probe, ConvProbe::create("f32 nhwc ic16ih1oc16oh1kh1ph0", way));
    return measure::findLeast([&] { return probe->run().value_or(0); });
  };
  TANDEM_ASSIGN_OR_RETURN(Best called, findLeast(ContractionWay::Library));
  TANDEM_ASSIGN_OR_RETURN(Best generated, findLeast(ContractionWay::Tiles));
  Best library{called.value - generated.value,
               std::max(called.spread, generated.spread)};
  model.libraryCallNs =
      take("library_call_ns", model.libraryCallNs, 1, library, kRateSteps);
  return {};
}

/// The reference is a kernel that uses arithmetic units and caches as other
/// kernels do, so that a disturbance slows it as much as it slows these and the
/// library.
Expected<SpeedReference> Calibrator::makeReference() {
  TANDEM_ASSIGN_OR_RETURN(std::shared_ptr<ConvProbe> probe,
                          ConvProbe::create("f32 nhwc ic64ih14oc64oh14kh3ph1",
                                            ContractionWay::Tiles));
  SpeedReference registers = makeFlopsReference(model.vectorBits);
  std::vector<double> rounds(kRounds);
  for (double &flops : rounds) {
    TANDEM_RETURN_IF_ERROR(checkCancelled());
    TANDEM_ASSIGN_OR_RETURN(flops, probe->measure(registers));
  }
  std::sort(rounds.begin(), rounds.end());
  return SpeedReference{[=] { return probe->run().value_or(0); },
                        measure::quantile(rounds, 0.5)};
}

Status Calibrator::measureShares(std::span<const Share> shares,
                                 const SpeedReference &reference,
                                 DeviceModel exactModel) {
  CPUDevice device(model), exact(exactModel);
  std::vector<std::pair<const Share *, ShareTrial>> trials;
  for (const Share &share : shares) {
    TANDEM_RETURN_IF_ERROR(checkCancelled());
    bool isAbsent = &share.field(device) == &device.shares.library.matrixUnit &&
                    model.matrixFlopsPerClock == 0;
    if (!isAbsent)
      trials.emplace_back(&share, ShareTrial(share));
  }
  for (int round = 0; round < kRounds; ++round)
    for (auto &[share, trial] : trials) {
      TANDEM_RETURN_IF_ERROR(checkCancelled());
      trial.measure(reference);
    }
  // Each share is fitted with the exact values of the other shares, not with
  // the rounded ones: if choices compare two shares, their quotient is then
  // steadier than either share.
  for (auto &[share, trial] : trials) {
    double &value = share->field(device);
    Best best = trial.fit(exact).value_or(Best());
    value = take(share->key, value, 1, best, kShareSteps);
    share->field(exact) =
        calibration.figures.back().isMeasured ? best.value : value;
  }
  model = device.toModel();
  return {};
}

Status Calibrator::measureOneThread() {
  TANDEM_RETURN_IF_ERROR(measureAcross());
  TANDEM_RETURN_IF_ERROR(measureLibraryCall());
  TANDEM_ASSIGN_OR_RETURN(SpeedReference reference, makeReference());
  return measureShares(sharesOfOneThread(), reference, model.withThreads(1));
}

/// The reference is multiply-adds of one core, because a kernel would run on
/// all cores.
Status Calibrator::measureAllThreads() {
  if (!options.wholeMachine || model.cores == 1)
    return {};
  SpeedReference registers = makeFlopsReference(model.vectorBits);
  SpeedReference reference{[=] {
                             measure::keepWorkersAway();
                             return registers.run();
                           },
                           registers.flops};
  return measureShares(sharesOfAllThreads(), reference, model);
}

Expected<Calibration> Calibrator::run() {
  TANDEM_RETURN_IF_ERROR(checkHostProcessor());
  measurePeak();
  TANDEM_RETURN_IF_ERROR(checkCancelled());
  measureCaches();
  TANDEM_RETURN_IF_ERROR(checkCancelled());
  measureMemory();
  measureStreaming();
  Status status;
  runOnOneThread([&] { status = measureOneThread(); });
  TANDEM_RETURN_IF_ERROR(status);
  TANDEM_RETURN_IF_ERROR(measureAllThreads());
  return std::move(calibration);
}

} // namespace

Expected<Calibration> calibrateHost(const CalibrateOptions &options) {
  return Calibrator(options).run();
}

} // namespace tandem
