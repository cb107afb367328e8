//===- CalibrateTransposes.cpp - What reading across costs ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/CalibrateTransposes.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tandem {
namespace {

/// Channels and positions of images that change between channels first and
/// last, in networks from the first blocks to the last.
constexpr std::pair<int64_t, int64_t> kImages[] = {
    {64, 3136}, {128, 784}, {256, 196}};
constexpr int kTransposePairs = 24;

/// A compiled graph of one op, and its buffers.
struct Kernel {
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs, outputs;

  Expected<double> run() {
    auto start = std::chrono::steady_clock::now();
    TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
    return measure::nsSince(start);
  }
};

/// A kernel of the graph of one op: `op` with its attributes, and its types.
Expected<Kernel> makeKernel(const std::string &op, const TensorType &in,
                            const TensorType &out, const std::string &types) {
  TANDEM_ASSIGN_OR_RETURN(
      auto graph,
      Graph::parseString("func.func @main(%x: " + in.str() + ") -> " +
                         out.str() + " {\n  %0 = " + op + " : " + types +
                         "\n  return %0 : " + out.str() + "\n}\n"));
  CompileOptions options;
  options.diskCache = false;
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler(options));
  TANDEM_ASSIGN_OR_RETURN(PreparedTier compiled,
                          compileTier(*compiler, {&in, 1}));
  Kernel kernel{std::move(compiled.executor), {}, {}};
  TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(in));
  fillRandom(input, /*seed=*/1);
  TANDEM_ASSIGN_OR_RETURN(kernel.inputs,
                          copyToDevice({&input, 1}, kernel.executor->stream()));
  TANDEM_RETURN_IF_ERROR(kernel.run());
  return std::move(kernel);
}

/// The writes are the same: of a transpose that takes r times as long as a
/// copy, the reads take 2 r - 1 times as long.
Expected<measure::Best> measureImage(int64_t channels, int64_t positions) {
  TensorType in{DType::f32, {channels, positions}};
  TensorType out{DType::f32, {positions, channels}};
  TANDEM_ASSIGN_OR_RETURN(Kernel transpose,
                          makeKernel("tandem.transpose %x permutation = [1, 0]",
                                     in, out,
                                     "(" + in.str() + ") -> " + out.str()));
  TANDEM_ASSIGN_OR_RETURN(Kernel copy,
                          makeKernel("tandem.neg %x", in, in, in.str()));
  std::vector<double> factors;
  for (int i = 0; i < kTransposePairs; ++i) {
    TANDEM_ASSIGN_OR_RETURN(double copyNs, copy.run());
    TANDEM_ASSIGN_OR_RETURN(double transposeNs, transpose.run());
    factors.push_back(std::max(1.0, 2 * transposeNs / copyNs - 1));
  }
  return measure::medianOf(std::move(factors));
}

} // namespace

Expected<measure::Best>
measureAcrossFactor(const std::function<Status()> &checkCancelled) {
  double logs = 0, spread = 0;
  for (auto [channels, positions] : kImages) {
    TANDEM_RETURN_IF_ERROR(checkCancelled());
    TANDEM_ASSIGN_OR_RETURN(measure::Best image,
                            measureImage(channels, positions));
    logs += std::log(image.value);
    spread = std::max(spread, image.spread);
  }
  return measure::Best{std::exp(logs / std::size(kImages)), spread};
}

} // namespace tandem
