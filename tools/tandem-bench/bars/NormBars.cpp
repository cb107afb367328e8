//===- NormBars.cpp - Reductions beside copies of their bytes -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

namespace tandem::bench {
namespace {

using measure::Summary;

/// (x - mean) * rsqrt(variance + epsilon) * scale + offset along the last dim;
/// 64 MB.
constexpr const char *kLayerNorm = R"(
func.func @main(%x: tensor<16384x1024xf32>, %scale: tensor<1024xf32>,
                %offset: tensor<1024xf32>) -> tensor<16384x1024xf32> {
  %epsilon = tandem.constant dense<1.0e-05> : tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [1] keep_dims
      : (tensor<16384x1024xf32>) -> tensor<16384x1xf32>
  %0 = tandem.sub %x, %mean
      : (tensor<16384x1024xf32>, tensor<16384x1xf32>) -> tensor<16384x1024xf32>
  %1 = tandem.mul %0, %0 : tensor<16384x1024xf32>
  %variance = tandem.reduce %1 kind = mean dims = [1] keep_dims
      : (tensor<16384x1024xf32>) -> tensor<16384x1xf32>
  %2 = tandem.add %variance, %epsilon
      : (tensor<16384x1xf32>, tensor<f32>) -> tensor<16384x1xf32>
  %3 = tandem.rsqrt %2 : tensor<16384x1xf32>
  %4 = tandem.mul %0, %3
      : (tensor<16384x1024xf32>, tensor<16384x1xf32>) -> tensor<16384x1024xf32>
  %5 = tandem.mul %4, %scale
      : (tensor<16384x1024xf32>, tensor<1024xf32>) -> tensor<16384x1024xf32>
  %6 = tandem.add %5, %offset
      : (tensor<16384x1024xf32>, tensor<1024xf32>) -> tensor<16384x1024xf32>
  return %6 : tensor<16384x1024xf32>
}
)";

constexpr const char *kSoftmax = R"(
func.func @main(%x: tensor<16384x1024xf32>) -> tensor<16384x1024xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<16384x1024xf32>
  return %0 : tensor<16384x1024xf32>
}
)";

/// Mean and mean of squares per channel: what training's batch norm needs.
constexpr const char *kBatchStatistics = R"(
func.func @main(%x: tensor<64x64x64x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %mean = tandem.reduce %x kind = mean dims = [0, 1, 2]
      : (tensor<64x64x64x64xf32>) -> tensor<64xf32>
  %0 = tandem.mul %x, %x : tensor<64x64x64x64xf32>
  %1 = tandem.reduce %0 kind = mean dims = [0, 1, 2]
      : (tensor<64x64x64x64xf32>) -> tensor<64xf32>
  %2 = tandem.mul %mean, %mean : tensor<64xf32>
  %variance = tandem.sub %1, %2 : tensor<64xf32>
  return %mean, %variance : tensor<64xf32>, tensor<64xf32>
}
)";

/// Inference: one scale and offset per channel.
constexpr const char *kBatchNorm = R"(
func.func @main(%x: tensor<64x64x64x64xf32>, %scale: tensor<64xf32>,
                %offset: tensor<64xf32>, %mean: tensor<64xf32>,
                %square: tensor<64xf32>) -> tensor<64x64x64x64xf32> {
  %variance = tandem.abs %square : tensor<64xf32>
  %0 = tandem.batch_norm %x, %scale, %offset, %mean, %variance
      epsilon = 1.0e-05 axis = 3
      : (tensor<64x64x64x64xf32>, tensor<64xf32>, tensor<64xf32>,
      tensor<64xf32>, tensor<64xf32>) -> tensor<64x64x64x64xf32>
  return %0 : tensor<64x64x64x64xf32>
}
)";

struct Norm {
  const char *name, *source;
  /// How often as many bytes as the input has must be read or written: once
  /// where the result is small, twice where it is as large.
  int moves;
  double bar;
};

constexpr Norm kNorms[] = {
    {"layer norm of 64 MB", kLayerNorm, 2, 1.2},
    {"batch norm of 64 MB", kBatchNorm, 2, 1.2},
    {"batch norm's statistics of 64 MB", kBatchStatistics, 1, 1.2},
    {"softmax of 64 MB", kSoftmax, 2, 1.5},
};

Status addNormBar(const BarsOptions &options, const std::string &name,
                  BenchmarkGraph benchmark, int moves, double bar, Bars &bars) {
  measure::Sampler sampler(samplerOptions(options));
  Targets targets;
  const int64_t bytes = benchmark.inputs[0][0].bytes() * moves;
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  TANDEM_ASSIGN_OR_RETURN(MoveSeries copy,
                          addCopySeries(sampler, benchmark, bytes, targets));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(ratioBar(name + ": compiled / copy of its bytes",
                          {"compiled", times[0]}, copy.faster(times), bar,
                          true));
  return {};
}

/// Adds the bar of a norm as in training: the operand is read for its
/// statistics, read again, and written normalized.
Status addTrainingBar(const BarsOptions &options, int64_t size,
                      int64_t channels, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, loadBarGraph("batch_norm_stats"));
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      makeBenchmarkGraph(
          options, std::move(graph),
          {{"N", 64}, {"H", size}, {"W", size}, {"C", channels}}));
  return addNormBar(options,
                    "batch norm with its statistics of 64 MB, " +
                        std::to_string(channels) + " channels",
                    std::move(benchmark), /*moves=*/3, 1.2, bars);
}

} // namespace

Status addNormBars(const BarsOptions &options, Bars &bars) {
  for (const Norm &norm : kNorms) {
    TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(norm.source));
    TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                            makeBenchmarkGraph(options, std::move(graph), {}));
    TANDEM_RETURN_IF_ERROR(addNormBar(options, norm.name, std::move(benchmark),
                                      norm.moves, norm.bar, bars));
  }
  TANDEM_RETURN_IF_ERROR(addTrainingBar(options, 64, 64, bars));
  return addTrainingBar(options, 32, 256, bars);
}

} // namespace tandem::bench
