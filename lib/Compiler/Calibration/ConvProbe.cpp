//===- ConvProbe.cpp - A convolution, timed and estimated -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/ConvProbe.h"

#include "Remote/SerializedGraph.h"

#include "tandem/Measure/ConvShapes.h"
#include "tandem/Measure/Peak.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Tandem.h"
#include "tandem/Target/CPU/CPUShares.h"
#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tandem {

/// Runs of what takes some 100 us, and as many of multiply-adds.
static constexpr int kConvPairs = 24;

/// A model of the host by which the compiler chooses `way` among kernels.
static Expected<std::string> makeModelThatPrefers(ContractionWay way) {
  constexpr double kHardlyAny = 1e-3;
  TANDEM_ASSIGN_OR_RETURN(DeviceModel model, hostDeviceModel());
  if (way == ContractionWay::Tiles) {
    model.loopShare = model.depthwiseLoopShare = kHardlyAny;
  } else if (way == ContractionWay::Loop) {
    CPUShares shares = CPUShares::of(model);
    shares.kernels.depthwise = kHardlyAny;
    shares.writeTo(model);
  }
  return writeDeviceModel(model);
}

/// Channels first the library is called as the graph has it, where the compiler
/// would reorder the data.
namespace {
/// What the text of a probe says.
struct ProbeText {
  DType dtype;
  bool isChannelsLast, isGradient;
  measure::ConvShape shape;
};

/// A graph of a probe, and the types of its inputs.
struct ProbeGraph {
  std::string source;
  std::vector<TensorType> inputs;
};
} // namespace

static Expected<ProbeText> readText(StringRef text) {
  auto [type, rest] = text.split(' ');
  auto [layout, list] = rest.split(' ');
  const bool isGradient = list.consume_front("weights ");
  TANDEM_ASSIGN_OR_RETURN(
      auto shapes, measure::parseConvShapes("mb1" + list.str(), "calibrate"));
  const DType dtype = type == "bf16"  ? DType::bf16
                      : type == "ui8" ? DType::ui8
                                      : DType::f32;
  return ProbeText{dtype, layout == "nhwc", isGradient, shapes.front()};
}

static Expected<Tensor> makeRandom(const TensorType &type, uint64_t seed) {
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
  fillRandom(tensor, seed);
  return tensor;
}

static Expected<ProbeGraph> makeGraph(const ProbeText &text) {
  const auto &[dtype, isChannelsLast, isGradient, shape] = text;
  const TensorType input = measure::inputOf(shape, dtype, isChannelsLast);
  if (isGradient)
    return ProbeGraph{measure::weightsGradientOf(shape, dtype, isChannelsLast),
                      {input, measure::resultOf(shape, dtype, isChannelsLast)}};
  TANDEM_ASSIGN_OR_RETURN(
      Tensor weights,
      makeRandom(measure::kernelOf(shape, dtype, isChannelsLast), /*seed=*/1));
  std::string hex = llvm::toHex(
      ArrayRef(weights.as<uint8_t>(), static_cast<size_t>(weights.bytes())));
  return ProbeGraph{measure::graphOf(shape, dtype, isChannelsLast, hex),
                    {input}};
}

static Expected<std::unique_ptr<Executor>>
makeExecutor(const ProbeGraph &source, const ProbeText &text,
             ContractionWay way) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(source.source));
  bool isGenerated = way != ContractionWay::Library;
  if (!isGenerated && (!text.isChannelsLast || text.isGradient))
    return Executor::create(graph->eagerProgram());
  CompileOptions options;
  TANDEM_ASSIGN_OR_RETURN(std::string model, makeModelThatPrefers(way));
  options.targetOptions = makeCalibrationOptions(
      isGenerated ? Contractions::generated : Contractions::library,
      std::move(model));
  options.diskCache = false;
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler(options));
  TANDEM_ASSIGN_OR_RETURN(PreparedTier compiled,
                          compileTier(*compiler, source.inputs));
  if (compiled.program->steps.size() != 1)
    return fail("calibrate", "it takes more steps than one");
  return std::move(compiled.executor);
}

ConvProbe::ConvProbe(ContractionWay way)
    : way(way), context(graphDialects(), MLIRContext::Threading::DISABLED) {}

LogicalResult ConvProbe::readGraph(const std::string &source) {
  module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return failure();
  module->walk([&](Operation *each) {
    if (isa<ir::ConvOp, ir::ConvBackwardWeightsOp>(each))
      op = each;
  });
  return success();
}

Expected<std::unique_ptr<ConvProbe>> ConvProbe::create(StringRef text,
                                                       ContractionWay way) {
  TANDEM_ASSIGN_OR_RETURN(ProbeText read, readText(text));
  TANDEM_ASSIGN_OR_RETURN(ProbeGraph graph, makeGraph(read));
  std::unique_ptr<ConvProbe> probe(new ConvProbe(way));
  if (failed(probe->readGraph(graph.source)))
    return fail("calibrate", "a convolution cannot be read");
  TANDEM_ASSIGN_OR_RETURN(probe->executor, makeExecutor(graph, read, way));
  std::vector<Tensor> inputs;
  for (const TensorType &type : graph.inputs) {
    TANDEM_ASSIGN_OR_RETURN(Tensor input, makeRandom(type, 2 + inputs.size()));
    inputs.push_back(std::move(input));
  }
  TANDEM_ASSIGN_OR_RETURN(probe->inputs,
                          copyToDevice(inputs, probe->executor->stream()));
  TANDEM_RETURN_IF_ERROR(probe->executor->run(probe->inputs, probe->outputs));
  return probe;
}

SpeedReference makeFlopsReference(int64_t vectorBits) {
  // So many operations take as many ns as one takes at their rate.
  return {[=] { return 1 / measure::measurePeakOfCore(vectorBits); }, 1};
}

Expected<double> ConvProbe::run() {
  auto start = std::chrono::steady_clock::now();
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  return measure::nsSince(start);
}

Expected<double> ConvProbe::measure(const SpeedReference &reference) {
  std::vector<double> times;
  for (int i = 0; i < kConvPairs; ++i) {
    double unit = reference.run() / reference.flops;
    TANDEM_ASSIGN_OR_RETURN(double ns, run());
    times.push_back(ns / unit);
  }
  std::sort(times.begin(), times.end());
  return measure::quantile(times, 0.5);
}

std::optional<double> ConvProbe::predictNs(const DeviceModel &model) {
  if (auto gradient = dyn_cast<ir::ConvBackwardWeightsOp>(op))
    return estimateLibraryNs(gradient, model);
  for (const ContractionCost &cost :
       estimateContractionCosts(op, /*isConstant=*/true, model))
    if (cost.way == way)
      return cost.getNs();
  return std::nullopt;
}

} // namespace tandem
