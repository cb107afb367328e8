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
#include <limits>

using namespace mlir;

namespace tandem {
namespace {

using measure::Best;
using measure::ConvShape;

constexpr const char *kTiles[] = {"f32 nhwc ic64ih28oc64oh28kh3ph1",
                                  "f32 nhwc ic128ih14oc128oh14kh3ph1",
                                  "f32 nhwc ic128ih28oc128oh28kh1ph0"};
constexpr const char *kPieces[] = {"f32 nchw ic64ih28oc64oh28kh1ph0",
                                   "f32 nchw ic32ih56oc32oh56kh3ph1"};
constexpr const char *kDepthwise[] = {"f32 nhwc g64ic64ih28oc64oh28kh3ph1",
                                      "f32 nhwc g128ic128ih28oc128oh28kh3ph1"};
constexpr const char *kGeneric[] = {"f32 nhwc g64ic64iw512oc64ow512kw3pw1"};
constexpr const char *kMatrices[] = {"f32 nchw ic32ih28oc64oh28kh1ph0",
                                     "f32 nchw ic64ih28oc64oh28kh1ph0"};
constexpr const char *kColumns[] = {"f32 nchw ic16ih56oc32oh56kh3ph1",
                                    "f32 nchw ic32ih28oc64oh28kh3ph1"};
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
    {"library_matrix_unit",
     [](DeviceModel &m) -> double & { return m.library.matrixUnit; },
     kMatrixUnit, false},
};

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

/// Its best time on the calling thread, in ns.
Expected<Best> measureProbe(const Probe &probe, bool isGenerated) {
  TensorType type =
      measure::inputOf(probe.shape, probe.dtype, probe.isChannelsLast);
  TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(type));
  fillRandom(input, /*seed=*/2);
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          makeExecutor(probe, type, isGenerated));
  std::vector<Tensor> inputs{input}, outputs;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  Status status;
  Best best = measure::findLeast([&] {
    auto start = std::chrono::steady_clock::now();
    if (Status once = executor->run(inputs, outputs); !once)
      status = once;
    return measure::nsSince(start);
  });
  TANDEM_RETURN_IF_ERROR(status);
  return best;
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

/// The value with which `ns` is predicted, by bisection between the ends of the
/// range: predictions grow or fall with every number.
std::optional<double> solve(const Share &share, DeviceModel model,
                            Prediction &prediction, double ns) {
  double &value = share.field(model);
  double low = value / kRange, high = value * kRange;
  auto predict = [&](double at) {
    value = at;
    return prediction.getNs(model, share.isGenerated).value_or(0);
  };
  bool grows = predict(high) > predict(low);
  if (!grows)
    std::swap(low, high); // `low` has the least time.
  if (ns <= predict(low) || ns >= predict(high))
    return std::nullopt;
  for (int step = 0; step < 20; ++step) {
    double middle = std::sqrt(low * high);
    (predict(middle) < ns ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// What one convolution says; nothing where it does not run in this way.
std::optional<Best> findShareOf(const char *text, const Share &share,
                                const DeviceModel &model) {
  Expected<Probe> probe = makeProbe(text);
  if (!probe)
    return std::nullopt;
  Expected<Best> time = measureProbe(*probe, share.isGenerated);
  if (!time)
    return std::nullopt;
  Prediction prediction(*probe);
  std::optional<double> value = solve(share, model, prediction, time->value);
  return value ? std::optional(Best{*value, time->spread}) : std::nullopt;
}

std::optional<Best> findShareHere(const Share &share,
                                  const DeviceModel &model) {
  double logs = 0, spread = 0, count = 0;
  for (const char *text : share.shapes)
    if (std::optional<Best> one = findShareOf(text, share, model)) {
      logs += std::log(one->value);
      spread = std::max(spread, one->spread);
      ++count;
    }
  if (count == 0)
    return std::nullopt;
  return Best{std::exp(logs / count), spread};
}

} // namespace

std::span<const Share> allShares() { return kShares; }

std::optional<Best> findShare(const Share &share, const DeviceModel &model) {
  std::optional<Best> result;
  runOnOneThread([&] { result = findShareHere(share, model); });
  return result;
}

} // namespace tandem
