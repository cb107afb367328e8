//===- CompileBars.cpp - What compiling costs, and how it grows -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarSubject.h"
#include "CompileScaling.h"

#include <algorithm>

namespace tandem::bench {
namespace {

/// A compilation's cost and the kernels of its program.
struct Compilation {
  CompileCost cost;
  size_t kernels = 0;
};

/// Warm, in this process.
Expected<Compilation> compileWarm(const BarsOptions &options,
                                  const Graph &graph,
                                  const measure::DimSizes &dims) {
  const Program &program = *graph.eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(InputSets inputs,
                          InputSets::create(program, types, 0));
  CompileJob job{"", "main", "cpu", options.threads, types};
  Compilation result;
  TANDEM_ASSIGN_OR_RETURN(
      result.cost,
      measureWarm(graph, job, inputs[0], options.seconds * 1e9, 3, 50));
  TANDEM_ASSIGN_OR_RETURN(tools::PreparedTier compiled,
                          prepareTier(graph, tools::Tier::compiled, types));
  result.kernels = compiled.program->kernels.size();
  return result;
}

/// The compiler's phases together, in one thread's time.
double compilerNs(const CompileCost &cost) {
  double ns = 0;
  for (const auto &[name, summary] : cost.phases)
    if (name != "first run")
      ns += summary.median;
  return ns;
}

double phaseNs(const CompileCost &cost, const std::string &phase) {
  for (const auto &[name, summary] : cost.phases)
    if (name == phase)
      return summary.median;
  return 0;
}

Bar timeBar(std::string what, double ns, double bar, const CompileCost &cost) {
  return {std::move(what), ns, bar, true, "ns", cost.phases};
}

Status addGraphBar(const BarsOptions &options, const std::string &name,
                   const measure::DimSizes &dims, double barNs, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph(name));
  TANDEM_ASSIGN_OR_RETURN(Compilation compilation,
                          compileWarm(options, *graph, dims));
  bars.push_back(timeBar("warm compile of " + name,
                         compilerNs(compilation.cost), barNs,
                         compilation.cost));
  return {};
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
  TANDEM_ASSIGN_OR_RETURN(Compilation compilation,
                          compileWarm(options, *graph, {}));
  bars.push_back(timeBar("warm compile of a 3x3 conv of 56x56x64",
                         compilerNs(compilation.cost), 25e6, compilation.cost));
  return {};
}

/// The cost of a kernel in graphs of 10, 100 and 1,000 ops.
Status addGrowthBars(const BarsOptions &options, Bars &bars) {
  Bar curve{"compile time of a kernel, graph of 1,000 ops / of 100",
            0,
            1.25,
            true,
            "x",
            {}};
  double hundred = 0;
  for (int ops : {10, 100, 1000}) {
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                            Graph::parseString(makeScalingGraph(ops)));
    TANDEM_ASSIGN_OR_RETURN(Compilation compilation,
                            compileWarm(options, *graph, {}));
    const double perKernel =
        compilerNs(compilation.cost) / std::max<double>(1, compilation.kernels);
    curve.from.push_back({std::to_string(ops) + " ops, a kernel",
                          {perKernel, perKernel, perKernel, 1}});
    if (ops == 100)
      hundred = perKernel;
    curve.measured = perKernel / std::max(hundred, 1.0);
    if (ops == 1000)
      bars.push_back(timeBar("fusing, per 100 ops of 1,000",
                             phaseNs(compilation.cost, "fuse") / 10, 1e6,
                             CompileCost()));
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
  return addGrowthBars(options, bars);
}

} // namespace tandem::bench
