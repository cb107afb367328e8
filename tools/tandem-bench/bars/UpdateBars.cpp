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
#include <string>
#include <string_view>

namespace tandem::bench {
namespace {

using measure::Summary;

/// The ops of a step of Adam over arrays of type $A: the parameters %w, their
/// gradients %g, and the state %m and %v. `%t` is the number of the step.
constexpr std::string_view kAdam = R"(
  %beta1 = tandem.constant dense<0.9> : tensor<f32>
  %beta2 = tandem.constant dense<0.999> : tensor<f32>
  %alpha1 = tandem.constant dense<0.1> : tensor<f32>
  %alpha2 = tandem.constant dense<0.001> : tensor<f32>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %rate = tandem.constant dense<0.001> : tensor<f32>
  %epsilon = tandem.constant dense<1.0e-08> : tensor<f32>
  %0 = tandem.mul %m, %beta1
      : ($A, tensor<f32>) -> $A
  %1 = tandem.mul %g, %alpha1
      : ($A, tensor<f32>) -> $A
  %next_m = tandem.add %0, %1 : $A
  %2 = tandem.mul %v, %beta2
      : ($A, tensor<f32>) -> $A
  %3 = tandem.mul %g, %g : $A
  %4 = tandem.mul %3, %alpha2
      : ($A, tensor<f32>) -> $A
  %next_v = tandem.add %2, %4 : $A
  %5 = tandem.pow %beta1, %t : tensor<f32>
  %6 = tandem.sub %one, %5 : tensor<f32>
  %7 = tandem.pow %beta2, %t : tensor<f32>
  %8 = tandem.sub %one, %7 : tensor<f32>
  %9 = tandem.div %next_m, %6
      : ($A, tensor<f32>) -> $A
  %10 = tandem.div %next_v, %8
      : ($A, tensor<f32>) -> $A
  %11 = tandem.sqrt %10 : $A
  %12 = tandem.add %11, %epsilon
      : ($A, tensor<f32>) -> $A
  %13 = tandem.div %9, %12 : $A
  %14 = tandem.mul %13, %rate
      : ($A, tensor<f32>) -> $A
  %next_w = tandem.sub %w, %14 : $A
  return %next_w, %next_m, %next_v : $A, $A, $A
}
)";

constexpr int64_t kParameters = 10'000'000;

std::string arrayType(int64_t size) {
  return "tensor<" + std::to_string(size) + "xf32>";
}

/// A function whose first argument is `first`, with the ops `ops` before those
/// of Adam over `size` parameters.
std::string makeStep(const std::string &first, const std::string &ops,
                     int64_t size) {
  std::string text = "func.func @main(" + first +
                     ", %w: $A, %m: $A, %v: $A, %t: tensor<f32>)\n"
                     "    -> ($A {tandem.updates = 1}, "
                     "$A {tandem.updates = 2}, $A {tandem.updates = 3}) {\n" +
                     ops + std::string(kAdam);
  for (size_t at = 0; (at = text.find("$A", at)) != std::string::npos;)
    text.replace(at, 2, arrayType(size));
  return text;
}

std::string makeAdam() { return makeStep("%g: $A", "", kParameters); }

/// A training step whose parameters are slices of one array: each slice is a
/// matrix that a product reads, whose gradient is another product, and the
/// gradients are concatenated. The products have few rows, so that most of the
/// time is that of moving the parameters.
std::string makeArena(int64_t numSlices, int64_t rows, int64_t columns) {
  const int64_t each = rows * columns;
  const std::string flat = arrayType(each),
                    matrix = "tensor<" + std::to_string(rows) + "x" +
                             std::to_string(columns) + "xf32>",
                    x = "tensor<1x" + std::to_string(rows) + "xf32>",
                    y = "tensor<1x" + std::to_string(columns) + "xf32>";
  std::string ops, gradients, types;
  for (int64_t i = 0; i < numSlices; ++i) {
    const std::string n = std::to_string(i);
    ops += "  %s" + n + " = tandem.slice %w starts = [" +
           std::to_string(i * each) + "] limits = [" +
           std::to_string((i + 1) * each) + "] strides = [1] : ($A) -> " +
           flat + "\n  %p" + n + " = tandem.reshape %s" + n + " shape = [" +
           std::to_string(rows) + ", " + std::to_string(columns) + "] : (" +
           flat + ") -> " + matrix + "\n  %y" + n + " = tandem.matmul %x, %p" +
           n + " : (" + x + ", " + matrix + ") -> " + y + "\n  %d" + n +
           " = tandem.matmul %x, %y" + n + " transpose_lhs : (" + x + ", " + y +
           ") -> " + matrix + "\n  %g" + n + " = tandem.reshape %d" + n +
           " shape = [" + std::to_string(each) + "] : (" + matrix + ") -> " +
           flat + "\n";
    gradients += (i > 0 ? ", %g" : "%g") + n;
    types += (i > 0 ? ", " : "") + flat;
  }
  ops += "  %g = tandem.concat " + gradients + " axis = 0 : (" + types +
         ") -> $A\n";
  return makeStep("%x: " + x, ops, numSlices * each);
}

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

/// Adds the time of a step that updates inputs 1 to 3, over that of a copy of
/// `arrays` arrays of their size.
static Status addStepBar(const BarsOptions &options, const std::string &text,
                         const std::string &name, int64_t arrays, double limit,
                         Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(text));
  TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                          makeBenchmarkGraph(options, std::move(graph), {}));
  const std::vector<Tensor> inputs = makeState(benchmark);
  std::vector<Tensor> outputs;
  Executor &executor = *benchmark.compiled->executor;
  int64_t peakBytes = 0;
  TANDEM_RETURN_IF_ERROR(executor.runInPlace(inputs, outputs, &peakBytes));
  if (peakBytes != executor.plannedPeakBytes())
    return fail("bars", name + ": the step held " + std::to_string(peakBytes) +
                            " bytes at its peak, which was not planned");
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("compiled",
              [&](size_t) { return executor.runInPlace(inputs, outputs); });
  Targets targets;
  TANDEM_ASSIGN_OR_RETURN(
      MoveSeries copy,
      addCopySeries(sampler, benchmark, arrays * inputs[1].bytes(), targets));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(ratioBar(name + ": compiled / copy of its bytes",
                          {"compiled", times[0]}, copy.faster(times), limit,
                          true));
  return {};
}

Status addUpdateBars(const BarsOptions &options, Bars &bars) {
  // Reads the gradient and the state, and writes the state.
  TANDEM_RETURN_IF_ERROR(addStepBar(options, makeAdam(),
                                    "Adam over 10^7 parameters, in place", 7,
                                    1.15, bars));
  // Also reads the parameters and writes the gradient.
  return addStepBar(options, makeArena(20, 512, 1024),
                    "Adam over 20 slices of 10^7 parameters, with a product "
                    "and its gradient each",
                    9, 1.25, bars);
}

} // namespace tandem::bench
