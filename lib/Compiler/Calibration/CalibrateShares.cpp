//===- CalibrateShares.cpp - What contractions reach of a peak ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/CalibrateShares.h"

#include "tandem/Measure/Statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem {
namespace {

/// Some whose data stay in a second-level cache, and some whose do not.
constexpr const char *kTiles[] = {
    "f32 nhwc ic64ih28oc64oh28kh3ph1", "f32 nhwc ic128ih14oc128oh14kh3ph1",
    "f32 nhwc ic128ih28oc128oh28kh1ph0", "f32 nhwc ic256ih56oc64oh56kh1ph0"};
constexpr const char *kByteTiles[] = {"ui8 nhwc ic64ih28oc64oh28kh3ph1",
                                      "ui8 nhwc ic128ih28oc128oh28kh1ph0"};
constexpr const char *kPieces[] = {"f32 nchw ic256ih14oc256oh14kh1ph0",
                                   "f32 nchw ic512ih28oc128oh28kh1ph0",
                                   "f32 nchw ic256ih56oc64oh56kh1ph0"};
/// In groups of 16 outputs, whatever the tile: pieces of 64 bytes.
constexpr const char *kWrittenPieces[] = {"f32 nhwc g8ic128ih56oc128oh56kh3ph1",
                                          "f32 nhwc g4ic128ih56oc64oh56kh1ph0"};
constexpr const char *kMatrices[] = {"f32 nchw ic32ih28oc64oh28kh1ph0",
                                     "f32 nchw ic512ih28oc128oh28kh1ph0",
                                     "f32 nchw ic256ih56oc64oh56kh1ph0"};
constexpr const char *kDepthwise[] = {"f32 nhwc g64ic64ih28oc64oh28kh3ph1",
                                      "f32 nhwc g128ic128ih56oc128oh56kh3ph1"};
/// With more weights than a loop finds in the first-level cache.
constexpr const char *kFarWeights[] = {"f32 nhwc g256ic256ih28oc256oh28kh3ph1",
                                       "f32 nhwc g512ic512ih14oc512oh14kh3ph1"};
constexpr const char *kGeneric[] = {"f32 nhwc g64ic64iw512oc64ow512kw3pw1"};
constexpr const char *kColumns[] = {"f32 nchw ic3ih56oc32oh56kh3ph1",
                                    "f32 nchw ic8ih56oc32oh56kh3ph1"};
constexpr const char *kStridedColumns[] = {
    "f32 nchw ic64ih56oc64oh28kh1sh2ph0",
    "f32 nchw ic128ih28oc128oh14kh1sh2ph0"};
constexpr const char *kReordered[] = {"f32 nchw ic16ih56oc16oh56kh3ph1",
                                      "f32 nchw ic64ih56oc64oh56kh3ph1"};
/// Gradients of weights, sums over some hundreds and some thousands of
/// positions.
constexpr const char *kWeightsGradients[] = {
    "f32 nhwc weights ic64ih56oc64oh56kh3ph1",
    "f32 nhwc weights ic128ih28oc128oh28kh3ph1",
    "f32 nhwc weights ic256ih56oc64oh56kh1ph0",
    "f32 nhwc weights ic128ih28oc512oh28kh1ph0"};
/// Beside which waking threads takes little.
constexpr const char *kLargeMatrices[] = {"f32 nchw ic256ih28oc512oh28kh1ph0",
                                          "f32 nchw ic256ih56oc64oh56kh1ph0"};
constexpr const char *kMatrixUnit[] = {"bf16 nhwc ic64ih28oc64oh28kh3ph1",
                                       "bf16 nhwc ic128ih28oc128oh28kh1ph0"};

constexpr Share kShares[] = {
    {"kernel_tiles",
     [](CPUDevice &d) -> double & { return d.shares.kernels.tiles; }, kTiles,
     ContractionWay::Tiles},
    {"kernel_byte_tiles",
     [](CPUDevice &d) -> double & { return d.shares.kernels.byteTiles; },
     kByteTiles, ContractionWay::Tiles},
    {"kernel_piece_time",
     [](CPUDevice &d) -> double & { return d.shares.kernels.pieceTime; },
     kPieces, ContractionWay::Tiles},
    {"kernel_partial_row_store_cycles",
     [](CPUDevice &d) -> double & {
       return d.shares.kernels.partialRowStoreCycles;
     },
     kWrittenPieces, ContractionWay::Tiles},
    {"kernel_loop", [](CPUDevice &d) -> double & { return d.model.loopShare; },
     kDepthwise, ContractionWay::Loop},
    {"kernel_depthwise_loop",
     [](CPUDevice &d) -> double & { return d.model.depthwiseLoopShare; },
     kFarWeights, ContractionWay::Loop},
    {"kernel_depthwise",
     [](CPUDevice &d) -> double & { return d.shares.kernels.depthwise; },
     kDepthwise, ContractionWay::Tiles},
    {"library_tiles",
     [](CPUDevice &d) -> double & { return d.shares.library.tiles; }, kTiles,
     ContractionWay::Library},
    {"library_depthwise",
     [](CPUDevice &d) -> double & { return d.shares.library.depthwise; },
     kDepthwise, ContractionWay::Library},
    {"library_generic",
     [](CPUDevice &d) -> double & { return d.shares.library.generic; },
     kGeneric, ContractionWay::Library},
    {"library_weights_gradient",
     [](CPUDevice &d) -> double & { return d.shares.library.weightsGradient; },
     kWeightsGradients, ContractionWay::Library},
    {"library_tile_products",
     [](CPUDevice &d) -> double & { return d.shares.library.tileProducts; },
     kMatrices, ContractionWay::Library},
    {"library_column_cycles",
     [](CPUDevice &d) -> double & { return d.shares.library.columnCycles; },
     kColumns, ContractionWay::Library},
    {"library_strided_column_cycles",
     [](CPUDevice &d) -> double & {
       return d.shares.library.stridedColumnCycles;
     },
     kStridedColumns, ContractionWay::Library},
    {"library_reorder_factor",
     [](CPUDevice &d) -> double & { return d.shares.library.reorderFactor; },
     kReordered, ContractionWay::Library},
    {"library_matrix_unit",
     [](CPUDevice &d) -> double & { return d.shares.library.matrixUnit; },
     kMatrixUnit, ContractionWay::Library},
};

constexpr Share kSharesOfAll[] = {
    {"library_matrix_threads",
     [](CPUDevice &d) -> double & { return d.shares.library.matrixThreads; },
     kLargeMatrices, ContractionWay::Library},
};

/// The largest factor by which a share may differ from its built-in value.
constexpr double kRange = 16;
/// kDoubt is the typical error of a built-in value on another machine, and
/// kNoise that of a measured time, both as logarithms.
constexpr double kDoubt = 0.7, kNoise = 0.1;

} // namespace

std::span<const Share> sharesOfOneThread() { return kShares; }
std::span<const Share> sharesOfAllThreads() { return kSharesOfAll; }

ShareTrial::ShareTrial(const Share &share) : share(share) {
  for (const char *text : share.shapes)
    if (auto probe = ConvProbe::create(text, share.way))
      samples.push_back({std::move(*probe), {}});
}

void ShareTrial::measure(const SpeedReference &reference) {
  for (Sample &sample : samples)
    if (Expected<double> flops = sample.probe->measure(reference)) {
      sample.rounds.push_back(*flops);
      std::sort(sample.rounds.begin(), sample.rounds.end());
    }
}

/// The error of predictions with the value `value`: the sum of the squares of
/// the logarithms of predicted over measured times. A regularization term keeps
/// shares that hardly affect the predictions at their old values, so that they
/// do not fit noise (Hoerl and Kennard, "Ridge Regression", Technometrics 12,
/// 1970).
double ShareTrial::getError(CPUDevice device, double value) const {
  const double doubt = kNoise / kDoubt;
  double error = std::pow(doubt * std::log(value / share.field(device)), 2);
  share.field(device) = value;
  const DeviceModel model = device.toModel();
  const double flopsPerNs = model.withThreads(1).f32FlopsPerNs;
  for (const Sample &sample : samples)
    if (auto ns = sample.probe->predictNs(model); ns && !sample.rounds.empty())
      error += std::pow(
          std::log(*ns * flopsPerNs / measure::quantile(sample.rounds, 0.5)),
          2);
  return error;
}

/// Golden-section search in its logarithm.
std::optional<measure::Best> ShareTrial::fit(CPUDevice device) const {
  const DeviceModel model = device.toModel();
  double spread = 0;
  size_t count = 0;
  for (const Sample &sample : samples)
    if (!sample.rounds.empty() && sample.probe->predictNs(model)) {
      spread = std::max(spread, measure::quantile(sample.rounds, 0.75) /
                                        measure::quantile(sample.rounds, 0.25) -
                                    1);
      ++count;
    }
  if (count == 0)
    return std::nullopt;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double before = std::log(share.field(device));
  double low = before - std::log(kRange), high = before + std::log(kRange);
  auto getErrorAt = [&](double at) { return getError(device, std::exp(at)); };
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double errorA = getErrorAt(a), errorB = getErrorAt(b);
  while (high - low > 0.01) {
    if (errorA < errorB) {
      high = std::exchange(b, a);
      a = high - golden * (high - low);
      errorB = std::exchange(errorA, getErrorAt(a));
    } else {
      low = std::exchange(a, b);
      b = low + golden * (high - low);
      errorA = std::exchange(errorB, getErrorAt(b));
    }
  }
  return measure::Best{std::exp((low + high) / 2), spread};
}

} // namespace tandem
