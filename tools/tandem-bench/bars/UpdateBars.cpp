//===- UpdateBars.cpp - Bars of inputs that are updated -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/Bars.h"
#include "sweep/BenchmarkGraph.h"

#include <cmath>

namespace tandem::bench {
namespace {

using measure::Summary;

/// A step of Adam over 10^7 parameters. `t` is the number of the step.
constexpr const char *kAdam = R"(
func.func @main(%g: tensor<10000000xf32>, %w: tensor<10000000xf32>,
                %m: tensor<10000000xf32>, %v: tensor<10000000xf32>,
                %t: tensor<f32>)
    -> (tensor<10000000xf32> {tandem.updates = 1},
        tensor<10000000xf32> {tandem.updates = 2},
        tensor<10000000xf32> {tandem.updates = 3}) {
  %beta1 = tandem.constant dense<0.9> : tensor<f32>
  %beta2 = tandem.constant dense<0.999> : tensor<f32>
  %alpha1 = tandem.constant dense<0.1> : tensor<f32>
  %alpha2 = tandem.constant dense<0.001> : tensor<f32>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %rate = tandem.constant dense<0.001> : tensor<f32>
  %epsilon = tandem.constant dense<1.0e-08> : tensor<f32>
  %0 = tandem.mul %m, %beta1
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %1 = tandem.mul %g, %alpha1
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %next_m = tandem.add %0, %1 : tensor<10000000xf32>
  %2 = tandem.mul %v, %beta2
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %3 = tandem.mul %g, %g : tensor<10000000xf32>
  %4 = tandem.mul %3, %alpha2
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %next_v = tandem.add %2, %4 : tensor<10000000xf32>
  %5 = tandem.pow %beta1, %t : tensor<f32>
  %6 = tandem.sub %one, %5 : tensor<f32>
  %7 = tandem.pow %beta2, %t : tensor<f32>
  %8 = tandem.sub %one, %7 : tensor<f32>
  %9 = tandem.div %next_m, %6
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %10 = tandem.div %next_v, %8
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %11 = tandem.sqrt %10 : tensor<10000000xf32>
  %12 = tandem.add %11, %epsilon
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %13 = tandem.div %9, %12 : tensor<10000000xf32>
  %14 = tandem.mul %13, %rate
      : (tensor<10000000xf32>, tensor<f32>) -> tensor<10000000xf32>
  %next_w = tandem.sub %w, %14 : tensor<10000000xf32>
  return %next_w, %next_m, %next_v
      : tensor<10000000xf32>, tensor<10000000xf32>, tensor<10000000xf32>
}
)";

/// The inputs of a step: variances are not negative, and it is the first step.
std::vector<Tensor> makeState(BenchmarkGraph &benchmark) {
  std::vector<Tensor> inputs = benchmark.inputs[0];
  float *variances = inputs[3].as<float>();
  for (int64_t i = 0; i < inputs[3].shape().numElements(); ++i)
    variances[i] = std::fabs(variances[i]);
  inputs[4].as<float>()[0] = 1;
  return inputs;
}

} // namespace

Status addUpdateBars(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(kAdam));
  TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                          makeBenchmarkGraph(options, std::move(graph), {}));
  const std::vector<Tensor> inputs = makeState(benchmark);
  const std::vector<Tensor> given = {inputs[1], inputs[2], inputs[3]};
  std::vector<Tensor> outputs;
  Executor &executor = *benchmark.compiled->executor;
  int64_t peakBytes = 0;
  TANDEM_RETURN_IF_ERROR(
      executor.runInto(inputs, given, outputs, &peakBytes));
  if (peakBytes != executor.plannedPeakBytes())
    return fail("bars", "the step of Adam held " + std::to_string(peakBytes) +
                            " bytes at its peak, which was not planned");
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("compiled", [&](size_t) {
    return executor.runInto(inputs, given, outputs);
  });
  // Reads the gradient and the state, and writes the state.
  Targets targets;
  const int64_t bytes = 7 * inputs[0].bytes();
  TANDEM_ASSIGN_OR_RETURN(MoveSeries copy,
                          addCopySeries(sampler, benchmark, bytes, targets));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(
      ratioBar("Adam over 10^7 parameters, in place: compiled / copy of its "
               "bytes",
               {"compiled", times[0]}, copy.faster(times), 1.15, true));
  return {};
}

} // namespace tandem::bench
