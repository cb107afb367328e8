//===- CostFeatures.cpp - What compile costs are predicted from -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Compiler/CostFeatures.h"

#include "Prediction/FusionSketch.h"

#include "tandem/Support/ShapeRules.h"

#include <algorithm>
#include <optional>

namespace tandem {
namespace {

using F = CostFeature;

/// Bytes from which on work is shared out to several threads.
constexpr double kWideBytes = 65536;

/// The code of a window is unrolled up to this many taps; the code of a larger
/// window is a loop.
constexpr double kMaxTaps = 256;
/// The number of f32 elements of a 512-bit vector. A row whose size is not a
/// multiple of this needs code for a partial vector.
constexpr int64_t kVector = 16;

bool isRagged(int64_t size) { return size % kVector != 0; }
double toDouble(int64_t value) { return static_cast<double>(value); }

/// The features of one tier's calls.
struct CallFeatures {
  F calls, contractions, multiThreaded, memory, move, function, simple, matmul,
      conv, lowReuseConv, window, half;
};
constexpr CallFeatures kEager = {F::eagerOps,           F::eagerContractions,
                                 F::eagerMultiThreaded, F::eagerMemoryNs,
                                 F::eagerMoveNs,        F::eagerFunctionNs,
                                 F::eagerSimpleNs,      F::eagerMatmulNs,
                                 F::eagerConvNs,        F::eagerLowReuseConvNs,
                                 F::eagerWindowNs,      F::eagerHalfNs};
constexpr CallFeatures kCompiled = {
    F::compiledKernels,       F::compiledContractions,
    F::compiledMultiThreaded, F::compiledMemoryNs,
    F::compiledMoveNs,        F::compiledFunctionNs,
    F::compiledSimpleNs,      F::compiledMatmulNs,
    F::compiledConvNs,        F::compiledLowReuseConvNs,
    F::compiledWindowNs,      F::compiledHalfNs};

/// Whether a convolution has few products for each element of its result.
bool isLowReuseConv(const SketchedOp &op) {
  return op.step->op->attrs.AsConvAttrs()->groups > 1 || op.cost.reads < 32;
}

/// The peak speed for the arithmetic of `op`. Depthwise convolutions of 8-bit
/// integers are computed in f32.
double getFlopsPerNs(const DeviceModel &device, const SketchedOp &op) {
  const bool multipliesBytes =
      op.info().family == OpFamily::contraction &&
      byteWidth(op.operands[0].dtype) == 1 &&
      (op.step->op->kind == OpKind::matmul || !isLowReuseConv(op));
  return multipliesBytes ? device.byteFlopsPerNs()
                         : device.flopsPerNs(byteWidth(op.result.dtype));
}

/// The feature of an elementwise op's code.
F codeFeature(CodeSize code) {
  switch (code) {
  case CodeSize::simple:
    return F::simpleOps;
  case CodeSize::function:
    return F::functions;
  case CodeSize::large:
    return F::longFunctions;
  }
  __builtin_unreachable();
}

int64_t innermost(const TensorType &type) {
  const int rank = type.shape.rank();
  return rank == 0 ? 1 : type.shape[rank - 1];
}

class Describer {
public:
  Describer(const FusionSketch &sketch, const DeviceModel &device,
            CostFeatures &result)
      : sketch(sketch), device(device), result(result) {}

  /// Calls that move so many bytes each.
  void addCall(const CallFeatures &to, int64_t bytes, double times);
  /// What an op takes within it.
  void addWork(const CallFeatures &to, const SketchedOp &op);
  void addCode(const SketchedKernel &kernel);

private:
  /// The feature of the arithmetic.
  static std::optional<F> workOf(const CallFeatures &to, const SketchedOp &op);
  void addLayerNormCode(const SketchedOp &op);
  void addCode(const SketchedOp &op);
  void addContractionCode(const SketchedOp &op);
  double moveNs(int64_t bytes) const {
    return toDouble(bytes) / device.bytesPerNs(toDouble(bytes));
  }
  void count(F feature, bool isIt = true) { result[feature] += isIt; }

  const FusionSketch &sketch;
  const DeviceModel &device;
  CostFeatures &result;
};

void Describer::addCall(const CallFeatures &to, int64_t bytes, double times) {
  result[to.calls] += times;
  if (toDouble(bytes) > kWideBytes)
    result[to.multiThreaded] += times;
  result[to.memory] += times * moveNs(bytes);
}

std::optional<F> Describer::workOf(const CallFeatures &to,
                                   const SketchedOp &op) {
  switch (op.info().family) {
  case OpFamily::elementwise:
    return op.info().isTranscendental() ? to.function : to.simple;
  case OpFamily::contraction:
    if (op.step->op->kind == OpKind::matmul)
      return to.matmul;
    return isLowReuseConv(op) ? to.lowReuseConv : to.conv;
  case OpFamily::window:
  case OpFamily::reduction:
    return to.window;
  case OpFamily::normalization:
    return op.step->op->kind == OpKind::softmax ? to.function : to.simple;
  case OpFamily::indexing:
  case OpFamily::line:
    return op.info().flops >= kTranscendentalFlops ? to.function : to.simple;
  case OpFamily::shape:
  case OpFamily::structure:
    return std::nullopt;
  }
  return std::nullopt;
}

void Describer::addWork(const CallFeatures &to, const SketchedOp &op) {
  const int64_t width = byteWidth(op.result.dtype);
  const double ns =
      op.times * toDouble(op.cost.flops) / getFlopsPerNs(device, op);
  if (std::optional<F> feature = workOf(to, op))
    result[*feature] += ns;
  if (width == 2)
    result[to.half] += ns;
  if (op.info().family == OpFamily::shape)
    result[to.move] += op.times * moveNs(op.cost.bytes);
  if (op.info().family == OpFamily::contraction)
    result[to.contractions] += op.times;
}

void Describer::addContractionCode(const SketchedOp &op) {
  if (op.step->op->kind == OpKind::matmul)
    return count(F::matmuls);
  count(isLowReuseConv(op) ? F::lowReuseConvs : F::convs);
  count(F::partialVectorConvs, isRagged(innermost(op.result)));
  result[F::taps] += std::min(toDouble(op.cost.reads), kMaxTaps);
}

/// Counts the ops that tandem-decompose-layer-norm builds.
void Describer::addLayerNormCode(const SketchedOp &op) {
  const bool isBackward = op.step->op->kind == OpKind::layer_norm_backward;
  result[F::reductions] += isBackward ? 4 : 2;
  result[F::columnReductions] += isBackward ? 2 : 0;
  result[F::simpleOps] += isBackward ? 9 : 7;
}

void Describer::addCode(const SketchedOp &op) {
  const OpKind kind = op.step->op->kind;
  count(F::halfOps, byteWidth(op.result.dtype) == 2);
  switch (op.info().family) {
  case OpFamily::elementwise:
    return count(codeFeature(op.info().code));
  case OpFamily::shape:
    count(kind == OpKind::transpose ? F::transposes : F::moves);
    return count(F::partialVectorTransposes,
                 kind == OpKind::transpose &&
                     (isRagged(innermost(op.result)) ||
                      isRagged(innermost(op.operands[0]))));
  case OpFamily::contraction:
    return addContractionCode(op);
  case OpFamily::window:
    count(F::partialVectorWindows, isRagged(innermost(op.result)));
    result[F::taps] += std::min(toDouble(op.cost.reads), kMaxTaps);
    return;
  case OpFamily::reduction: {
    const auto &dims = op.step->op->attrs.AsReduceAttrs()->dims;
    count(F::reductions);
    return count(F::columnReductions,
                 std::find(dims.begin(), dims.end(),
                           op.operands[0].shape.rank() - 1) == dims.end());
  }
  case OpFamily::normalization:
    if (kind == OpKind::layer_norm || kind == OpKind::layer_norm_backward)
      return addLayerNormCode(op);
    return count(kind == OpKind::softmax ? F::softmaxes : F::simpleOps);
  case OpFamily::indexing: // No code is generated.
  case OpFamily::line:
  case OpFamily::structure:
    return;
  }
}

void Describer::addCode(const SketchedKernel &kernel) {
  bool isLoop = true;
  for (size_t i : kernel.ops) {
    const SketchedOp &op = sketch.ops[i];
    addCode(op);
    isLoop &= op.info().isElementwise() || op.info().family == OpFamily::shape;
  }
  count(F::loops, isLoop);
}

} // namespace

CostFeatures describeCosts(const FusionSketch &sketch, const Program &program,
                           const DeviceModel &device,
                           const std::unordered_set<uint64_t> &known) {
  CostFeatures result;
  Describer describer(sketch, device, result);
  result[F::one] = 1;
  result[F::ops] = static_cast<double>(sketch.ops.size());
  result[F::kernels] = static_cast<double>(sketch.kernels.size());
  for (const Constant &constant : program.constants)
    result[F::constantBytes] += toDouble(constant.data.bytes());
  for (const SketchedOp &op : sketch.ops) {
    describer.addCall(kEager, op.cost.bytes, op.times);
    describer.addWork(kEager, op);
    if (op.kernel >= 0)
      describer.addWork(kCompiled, op);
  }
  std::unordered_set<uint64_t> seen;
  for (const SketchedKernel &kernel : sketch.kernels) {
    describer.addCall(kCompiled, kernel.bytes, kernel.times);
    if (!known.contains(kernel.key) && seen.insert(kernel.key).second)
      describer.addCode(kernel);
  }
  return result;
}

Expected<CostFeatures> describeCosts(const Program &program,
                                     std::span<const TensorType> inputs,
                                     const DeviceModel &device) {
  TANDEM_ASSIGN_OR_RETURN(FusionSketch sketch, sketchFusion(program, inputs));
  return describeCosts(sketch, program, device, {});
}

//===----------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------===//

namespace {
#define TANDEM_COST_FACTOR(name, value) constexpr double name = value;
#include "Prediction/CostCoefficients.def"
} // namespace

double CostPrediction::firstNs() const {
  return firstOnceNs + firstFactor * warmNs();
}

CostPrediction predictCosts(const CostFeatures &features) {
  CostPrediction prediction;
#define TANDEM_COST_COEFFICIENT(figure, feature, value)                        \
  prediction.figure += value * features[F::feature];
#include "Prediction/CostCoefficients.def"
  return prediction;
}

void predictCallsByModel(const FusionSketch &sketch, const DeviceModel &device,
                         CostPrediction &prediction) {
  const auto memoryNs = [&](int64_t bytes) {
    return toDouble(bytes) / device.bytesPerNs(toDouble(bytes));
  };
  const auto arithmeticNs = [&](const SketchedOp &op) {
    return toDouble(op.cost.flops) /
           device.flopsPerNs(byteWidth(op.result.dtype));
  };
  prediction.eagerNs = prediction.compiledNs = 0;
  for (const SketchedOp &op : sketch.ops)
    if (op.kernel >= 0)
      prediction.eagerNs +=
          op.times * (device.launchNs +
                      std::max(memoryNs(op.cost.bytes), arithmeticNs(op)));
  for (const SketchedKernel &kernel : sketch.kernels) {
    double arithmetic = 0;
    for (size_t i : kernel.ops)
      arithmetic += arithmeticNs(sketch.ops[i]);
    prediction.compiledNs +=
        kernel.times *
        (device.launchNs + std::max(memoryNs(kernel.bytes), arithmetic));
  }
}

} // namespace tandem
