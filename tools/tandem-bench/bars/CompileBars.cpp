//===- CompileBars.cpp - What compiling costs, and how it grows -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/CompileScaling.h"
#include "sweep/BenchmarkGraph.h"

#include <algorithm>

namespace tandem::bench {
namespace {

/// Compilations of each graph whose growth is measured.
constexpr int kGrowthRuns = 3;

Bar timeBar(std::string what, double ns, double bar, const CompileCost &cost) {
  return {std::move(what), ns, bar, true, "ns", cost.phases};
}

/// C, warm, in this process.
Status addCostBar(const BarsOptions &options, const std::string &name,
                  const Graph &graph, const measure::DimSizes &dims,
                  double barNs, Bars &bars) {
  const Program &program = *graph.eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(InputSets inputs,
                          InputSets::create(program, types, 0));
  CompileOptions compile;
  compile.kernelCache = false;
  TANDEM_ASSIGN_OR_RETURN(
      CompileCost cost,
      measureWarm(graph, compile, inputs[0], options.seconds * 1e9, 3, 50));
  bars.push_back(
      timeBar("warm compile of " + name, cost.total.median, barNs, cost));
  return {};
}

Status addGraphBar(const BarsOptions &options, const std::string &name,
                   const measure::DimSizes &dims, double barNs, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph(name));
  return addCostBar(options, name, *graph, dims, barNs, bars);
}

/// One convolution of ResNet-50, weights given: its kernel alone.
constexpr const char *kConv = R"(
func.func @main(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>)
    -> tensor<1x56x56x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
      -> tensor<1x56x56x64xf32>
  %1 = tandem.relu %0 : tensor<1x56x56x64xf32>
  return %1 : tensor<1x56x56x64xf32>
}
)";

Status addConvKernelBar(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseString(kConv));
  return addCostBar(options, "a 3x3 conv of 56x56x64", *graph, {}, 25e6, bars);
}

/// The cost of a kernel in graphs of 10, 100 and 1,000 ops.
Status addGrowthBars(Bars &bars) {
  Bar curve{"compile time of a kernel, graph of 1,000 ops / of 100",
            0,
            1.25,
            true,
            "x",
            {}};
  double hundred = 0;
  for (int ops : {10, 100, 1000}) {
    TANDEM_ASSIGN_OR_RETURN(ScalingPoint point,
                            measureScaling(ops, kGrowthRuns));
    const double perKernel =
        point.total.median / std::max(1.0, static_cast<double>(point.kernels));
    curve.from.push_back({std::to_string(ops) + " ops, a kernel",
                          {perKernel, perKernel, perKernel, 1}});
    if (ops == 100)
      hundred = perKernel;
    curve.measured = perKernel / std::max(hundred, 1.0);
    if (ops == 1000)
      bars.push_back(timeBar("fusing, per 100 ops of 1,000",
                             point.phaseNs("fuse") / 10, 1e6, CompileCost()));
  }
  bars.push_back(std::move(curve));
  return {};
}

} // namespace

Status addCompileBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(
      addGraphBar(options, "chain8", {{"n", 1 << 20}}, 15e6, bars));
  TANDEM_RETURN_IF_ERROR(addGraphBar(options, "conv1d_relu",
                                     {{"N", 1000}, {"L", 100}}, 25e6, bars));
  TANDEM_RETURN_IF_ERROR(addConvKernelBar(options, bars));
  TANDEM_RETURN_IF_ERROR(
      addGraphBar(options, "resnet_block", {{"N", 1}}, 150e6, bars));
  return addGrowthBars(bars);
}

} // namespace tandem::bench
