//===- CallBars.cpp - What a call costs beside its arithmetic -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/Bars.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Kernels/HostKernel.h"

namespace tandem::bench {
namespace {

using tandem::tools::GraphTiers;
using tandem::tools::PreparedPtr;
using tandem::tools::Tier;

constexpr const char *kAdd = R"(
func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
  %0 = tandem.add %x, %y : tensor<1xf32>
  return %0 : tensor<1xf32>
}
)";

measure::SamplerOptions samplerOptionsOfCalls(const BarsOptions &options) {
  measure::SamplerOptions result;
  result.budgetNs = options.seconds * 1e9;
  result.maxSamples = 5000;
  return result;
}

Expected<std::vector<Tensor>> randomInputs(const TensorType &type,
                                           size_t count) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < count; ++i) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
    fillRandom(tensor, i);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Status addEagerBar(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseString(kAdd));
  TensorType type{DType::f32, Shape{1}};
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, randomInputs(type, 2));
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr eager, GraphTiers(*graph).prepare(
                                                 typesOf(inputs), Tier::eager));
  std::vector<Tensor> outputs;
  measure::Sampler sampler(samplerOptionsOfCalls(options));
  sampler.add("eager",
              [&](size_t) { return eager->executor->run(inputs, outputs); });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  bars.push_back({"eager add of one element, per call",
                  times[0].median,
                  500,
                  true,
                  "ns",
                  {{"call", times[0]}}});
  return {};
}

/// A call of a compiled one-kernel program beside a call of its kernel alone.
Status addKernelBar(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph("axpy8"));
  TensorType type{DType::f32, Shape{64}};
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, randomInputs(type, 3));
  Tensor result = inputs.back();
  inputs.pop_back();
  TANDEM_ASSIGN_OR_RETURN(
      PreparedPtr compiled,
      GraphTiers(*graph).prepare(typesOf(inputs), Tier::compiled));
  const Program &program = *compiled->program;
  if (program.steps.size() != 1 || program.steps[0]->kernel < 0)
    return fail("bars", "axpy8 did not compile to one kernel");
  auto index = static_cast<size_t>(program.steps[0]->kernel);
  if (program.kernels[index]->workspace > 0)
    return fail("bars", "axpy8's kernel wants a workspace");
  KernelFn kernel = functionOf(*compiled->kernels[index]);
  int64_t extent = program.kernels[index]->extent;
  std::vector<void *> arguments;
  for (uint32_t slot : program.steps[0]->operands)
    arguments.push_back(slot == program.inputs[0] ? inputs[0].data()
                                                  : inputs[1].data());
  arguments.push_back(result.data());
  std::vector<Tensor> outputs;
  measure::Sampler sampler(samplerOptionsOfCalls(options));
  sampler.add("call",
              [&](size_t) { return compiled->executor->run(inputs, outputs); });
  sampler.add("kernel", [&](size_t) -> Status {
    kernel(arguments.data(), /*sizes=*/nullptr, /*workspace=*/nullptr, 0,
           extent);
    return {};
  });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  bars.push_back({"one-kernel compiled call, beyond its kernel",
                  times[0].median - times[1].median,
                  1000,
                  true,
                  "ns",
                  {{"call", times[0]}, {"kernel", times[1]}}});
  return {};
}

/// A settled call of a Function that chooses the tier beside the executor that
/// it chooses.
Status addEngineBar(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph("axpy8"));
  TensorType type{DType::f32, Shape{64}};
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, randomInputs(type, 2));
  TieringOptions tiering;
  tiering.mode = Mode::compileNow;
  TANDEM_ASSIGN_OR_RETURN(auto function, graph->createFunction({}, tiering));
  std::vector<Tensor> outputs;
  TANDEM_ASSIGN_OR_RETURN(outputs, function->call(inputs));
  if (function->report().signatures.at(0).state != SignatureState::promoted)
    return fail("bars", "axpy8 was not promoted");
  TANDEM_ASSIGN_OR_RETURN(auto compiled, function->prepare(typesOf(inputs)));
  measure::Sampler sampler(samplerOptionsOfCalls(options));
  sampler.add("auto", [&](size_t) -> Status {
    TANDEM_ASSIGN_OR_RETURN(outputs, function->call(inputs));
    return {};
  });
  sampler.add("compiled",
              [&](size_t) { return compiled->executor->run(inputs, outputs); });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  bars.push_back({"settled call whose tier is chosen, beyond the executor's",
                  times[0].median - times[1].median,
                  300,
                  true,
                  "ns",
                  {{"auto", times[0]}, {"compiled", times[1]}}});
  return {};
}

} // namespace

Status addCallBars(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_RETURN_IF_ERROR(addEagerBar(options, bars));
  TANDEM_RETURN_IF_ERROR(addKernelBar(options, bars));
  return addEngineBar(options, bars);
}

} // namespace tandem::bench
