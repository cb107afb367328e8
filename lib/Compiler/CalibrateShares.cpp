//===- CalibrateShares.cpp - What contractions reach of a peak ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibrateShares.h"

#include "GraphSource.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Measure/ConvShapes.h"
#include "tandem/Measure/Peak.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"
#include "tandem/Target/CPU/ContractionPrices.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace mlir;

namespace tandem {
namespace {

using measure::Best;
using measure::ConvShape;

/// Some whose data stay in a second-level cache, and some whose do not.
constexpr const char *kTiles[] = {
    "f32 nhwc ic64ih28oc64oh28kh3ph1", "f32 nhwc ic128ih14oc128oh14kh3ph1",
    "f32 nhwc ic128ih28oc128oh28kh1ph0", "f32 nhwc ic256ih56oc64oh56kh1ph0"};
constexpr const char *kPieces[] = {"f32 nchw ic256ih14oc256oh14kh1ph0",
                                   "f32 nchw ic512ih28oc128oh28kh1ph0",
                                   "f32 nchw ic256ih56oc64oh56kh1ph0"};
constexpr const char *kMatrices[] = {"f32 nchw ic32ih28oc64oh28kh1ph0",
                                     "f32 nchw ic512ih28oc128oh28kh1ph0",
                                     "f32 nchw ic256ih56oc64oh56kh1ph0"};
constexpr const char *kDepthwise[] = {"f32 nhwc g64ic64ih28oc64oh28kh3ph1",
                                      "f32 nhwc g128ic128ih56oc128oh56kh3ph1"};
constexpr const char *kGeneric[] = {"f32 nhwc g64ic64iw512oc64ow512kw3pw1"};
constexpr const char *kColumns[] = {"f32 nchw ic3ih56oc32oh56kh3ph1",
                                    "f32 nchw ic8ih56oc32oh56kh3ph1"};
constexpr const char *kTurned[] = {"f32 nchw ic16ih56oc16oh56kh3ph1",
                                   "f32 nchw ic64ih56oc64oh56kh3ph1"};
constexpr const char *kMatrixUnit[] = {"bf16 nhwc ic64ih28oc64oh28kh3ph1",
                                       "bf16 nhwc ic128ih28oc128oh28kh1ph0"};

constexpr Share kShares[] = {
    {"kernel_tiles", [](DeviceModel &m) -> double & { return m.kernels.tiles; },
     kTiles, true},
    {"kernel_piece_time",
     [](DeviceModel &m) -> double & { return m.kernels.pieceTime; }, kPieces,
     true},
    {"library_tiles",
     [](DeviceModel &m) -> double & { return m.library.tiles; }, kTiles, false},
    {"library_depthwise",
     [](DeviceModel &m) -> double & { return m.library.depthwise; }, kDepthwise,
     false},
    {"library_generic",
     [](DeviceModel &m) -> double & { return m.library.generic; }, kGeneric,
     false},
    {"library_tile_products",
     [](DeviceModel &m) -> double & { return m.library.tileProducts; },
     kMatrices, false},
    {"library_column_cycles",
     [](DeviceModel &m) -> double & { return m.library.columnCycles; },
     kColumns, false},
    {"library_turn_factor",
     [](DeviceModel &m) -> double & { return m.library.turnFactor; }, kTurned,
     false},
    {"library_matrix_unit",
     [](DeviceModel &m) -> double & { return m.library.matrixUnit; },
     kMatrixUnit, false},
};

/// Runs of a convolution that takes some 100 us, as many of multiply-adds.
constexpr int kPairs = 40;
/// How many times less or more than what is built in a number can be.
constexpr double kRange = 16;

/// A convolution to be timed and priced.
struct Probe {
  ConvShape shape;
  DType dtype = DType::f32;
  bool isChannelsLast = true;
  std::string source;
};

Expected<Probe> makeProbe(StringRef text) {
  auto [dtype, rest] = text.split(' ');
  auto [layout, shape] = rest.split(' ');
  Probe probe;
  probe.dtype = dtype == "bf16" ? DType::bf16 : DType::f32;
  probe.isChannelsLast = layout == "nhwc";
  TANDEM_ASSIGN_OR_RETURN(
      auto shapes, measure::parseConvShapes("mb1" + shape.str(), "calibrate"));
  probe.shape = shapes.front();
  TANDEM_ASSIGN_OR_RETURN(Tensor weights,
                          Tensor::allocate(measure::kernelOf(
                              probe.shape, probe.dtype, probe.isChannelsLast)));
  fillRandom(weights, /*seed=*/1);
  std::string hex = llvm::toHex(
      ArrayRef(weights.as<uint8_t>(), static_cast<size_t>(weights.bytes())));
  probe.source =
      measure::graphOf(probe.shape, probe.dtype, probe.isChannelsLast, hex);
  return probe;
}

/// What runs it as its share says: channels first the library is called as the
/// graph has it, where the compiler would turn the data.
Expected<std::unique_ptr<Executor>>
makeExecutor(const Probe &probe, const TensorType &input, bool isGenerated) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(probe.source));
  if (!isGenerated && !probe.isChannelsLast)
    return Executor::create(graph->eagerProgram());
  CompileOptions options;
  options.contractions =
      isGenerated ? Contractions::generated : Contractions::library;
  options.winograd = Winograd::never;
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler(options));
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler->compile({&input, 1}));
  if (compiled.program->steps.size() != 1)
    return fail("calibrate", "it takes more steps than one");
  ExecutorOptions executor;
  executor.kernels = compiled.kernels;
  return Executor::create(compiled.program, executor);
}

/// Its time on the calling thread, in ns, at the peak that `model` has: each
/// run follows one of multiply-adds in registers, whose time says what the core
/// is worth at that moment. The median of the ratios, and half the distance of
/// the quartiles.
Expected<Best> measureProbe(const Probe &probe, bool isGenerated,
                            const DeviceModel &model) {
  TensorType type =
      measure::inputOf(probe.shape, probe.dtype, probe.isChannelsLast);
  TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(type));
  fillRandom(input, /*seed=*/2);
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          makeExecutor(probe, type, isGenerated));
  std::vector<Tensor> inputs{input}, outputs;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  std::vector<double> times;
  for (int i = 0; i < kPairs; ++i) {
    double share =
        measure::measurePeakOfCore(model.vectorBits) / model.f32FlopsPerNs;
    auto start = std::chrono::steady_clock::now();
    TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
    times.push_back(measure::nsSince(start) * share);
  }
  std::sort(times.begin(), times.end());
  double low = measure::quantile(times, 0.25),
         high = measure::quantile(times, 0.75);
  return Best{measure::quantile(times, 0.5), std::sqrt(high / low) - 1};
}

/// What is predicted of a probe.
class Prediction {
public:
  explicit Prediction(const Probe &probe)
      : context(graphDialects(), MLIRContext::Threading::DISABLED),
        module(parseSourceString<ModuleOp>(probe.source, &context)) {
    if (module)
      module->walk([&](ir::ConvOp found) { conv = found; });
  }

  std::optional<double> getNs(const DeviceModel &model, bool isGenerated) {
    if (!conv)
      return std::nullopt;
    for (const ContractionPrice &price : priceContraction(
             conv, /*isConstant=*/true, model, /*useWinograd=*/false)) {
      bool isLibrary = price.way == ContractionWay::Library;
      bool isTile = price.way == ContractionWay::Tiles;
      if (isGenerated ? isTile : isLibrary)
        return price.getNs();
    }
    return std::nullopt;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ir::ConvOp conv;
};

/// A convolution that has been timed.
struct Sample {
  std::unique_ptr<Prediction> prediction;
  double ns = 0;
};

/// What one convolution takes; nothing where it does not run in this way.
std::optional<Sample> takeSample(const char *text, const Share &share,
                                 const DeviceModel &model, double &spread) {
  Expected<Probe> probe = makeProbe(text);
  if (!probe)
    return std::nullopt;
  Expected<Best> time = measureProbe(*probe, share.isGenerated, model);
  if (!time)
    return std::nullopt;
  auto prediction = std::make_unique<Prediction>(*probe);
  if (!prediction->getNs(model, share.isGenerated))
    return std::nullopt;
  spread = std::max(spread, time->spread);
  return Sample{std::move(prediction), time->value};
}

/// How far predictions are off with the number `value`: the sum of the squares
/// of their logarithms.
double getError(const Share &share, DeviceModel model, double value,
                ArrayRef<Sample> samples) {
  share.field(model) = value;
  double error = 0;
  for (const Sample &sample : samples) {
    double ns = *sample.prediction->getNs(model, share.isGenerated);
    error += std::pow(std::log(ns / sample.ns), 2);
  }
  return error;
}

/// The number of least error, by golden-section search in its logarithm.
double fit(const Share &share, DeviceModel model, ArrayRef<Sample> samples) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double before = std::log(share.field(model));
  double low = before - std::log(kRange), high = before + std::log(kRange);
  auto getErrorAt = [&](double logarithm) {
    return getError(share, model, std::exp(logarithm), samples);
  };
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double errorA = getErrorAt(a), errorB = getErrorAt(b);
  while (high - low > 0.01) {
    if (errorA < errorB) {
      high = b;
      b = std::exchange(a, b - golden * (b - low));
      errorB = std::exchange(errorA, getErrorAt(a));
    } else {
      low = a;
      a = std::exchange(b, a + golden * (high - a));
      errorA = std::exchange(errorB, getErrorAt(b));
    }
  }
  return std::exp((low + high) / 2);
}

std::optional<Best> findShareHere(const Share &share,
                                  const DeviceModel &model) {
  double spread = 0;
  SmallVector<Sample> samples;
  for (const char *text : share.shapes)
    if (std::optional<Sample> sample = takeSample(text, share, model, spread))
      samples.push_back(std::move(*sample));
  if (samples.empty())
    return std::nullopt;
  return Best{fit(share, model, samples), spread};
}

} // namespace

std::span<const Share> allShares() { return kShares; }

std::optional<Best> findShare(const Share &share, const DeviceModel &model) {
  std::optional<Best> result;
  runOnOneThread([&] { result = findShareHere(share, model); });
  return result;
}

} // namespace tandem
