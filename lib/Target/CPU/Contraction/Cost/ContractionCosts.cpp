//===- ContractionCosts.cpp - What each way to compute takes --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a kernel combines the time of the cycles that its strategy
// estimates (ContractionStrategy.h), divided among the cores that can share its
// tasks, and the time to move its bytes (ContractionCost::getNs). All rates
// come from the DeviceModel, and all shares from the CPUShares that it holds.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionCosts.h"

#include "Contraction/Cost/ContractionSchedule.h"
#include "Contraction/Cost/CostProblem.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/IR/WeightFactors.h"
#include "tandem/Fusion/FusionPlan.h"
#include "tandem/Fusion/LoopEfficiency.h"
#include "tandem/Runtime/Kernels/Grain.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Winograd.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tandem {

bool isDataChannelsLast(const Contraction &contraction) {
  return (contraction.inputChannels == 1 || contraction.inputDataStride == 1) &&
         (contraction.groups == 1 ||
          contraction.groupDataStride == contraction.inputChannels);
}

double getTileShare(const KernelShares &shares, const Contraction &contraction,
                    VectorizedDim vectorizedDim) {
  if (vectorizedDim == VectorizedDim::Group)
    return shares.depthwise;
  return contraction.getFormat().compute.isInteger() ? shares.byteTiles
                                                     : shares.tiles;
}

double getShareInside(const Contraction &contraction) {
  double share = 1;
  for (const Contraction::SpatialDim &dim : contraction.spatial) {
    int64_t inside = 0;
    for (int64_t tap = 0; tap < dim.taps; ++tap)
      for (int64_t position = 0; position < dim.size; ++position) {
        int64_t at = position * dim.stride + tap * dim.dilation - dim.padLow;
        inside += at >= 0 && at < dim.dataSize;
      }
    share *= double(inside) / double(dim.size * dim.taps);
  }
  return share;
}

/// The cycles of calls that convert f16. Without F16C, which came with AVX or
/// soon after, a call converts each element that a kernel loads or stores. The
/// estimate assumes one conversion of each element, of some 10 cycles.
static double getCallCycles(const CostProblem &problem) {
  constexpr double kCallCycles = 10, kBytes = 2;
  bool isF16 = getElementTypeOrSelf(problem.op->getResult(0)).isF16();
  return isF16 && problem.core.vectorBits < 256
             ? kCallCycles * double(problem.cost.bytes) / kBytes
             : 0;
}

ContractionCost getCostOfCycles(ContractionWay way, const CostProblem &problem,
                                double cycles, int64_t workers,
                                double balance) {
  const DeviceModel &device = problem.device;
  DeviceModel used = device.withThreads(workers);
  ContractionCost cost;
  cost.way = way;
  cost.startNs = workers > 1 ? device.launchNs : device.callNs;
  if (way != ContractionWay::Library)
    cycles += getCallCycles(problem);
  bool isF64 = getElementTypeOrSelf(problem.op->getResult(0)).isF64();
  cost.computeNs =
      cycles * getFlopsPerCycle(problem.core) /
      ((isF64 ? used.f64FlopsPerNs : used.f32FlopsPerNs) * balance);
  // A cache level is assumed to hold the operands only if it has room for twice
  // their bytes, because a program has other tensors, too.
  cost.memoryNs = double(problem.cost.bytes) /
                  used.bytesPerNs(std::max(2 * double(problem.cost.bytes),
                                           problem.weightsBetween));
  return cost;
}

namespace {

/// The largest number of input channels whose data may be far apart in memory
/// without a loss of speed (KernelShares::transposedReadTime).
constexpr int64_t kFewChannels = 16;

/// The time of products of `width` lanes relative to that of whole vectors with
/// as many cycles. A machine that starts fewer than two products of whole
/// vectors per clock may start more narrow ones.
double getNarrowFactor(const DeviceModel &device, int64_t width) {
  double lanes = double(device.vectorBits) / 32;
  return device.fmasPerClock /
         std::min(std::max(2.0, device.fmasPerClock),
                  device.fmasPerClock * lanes / double(width));
}

/// The share of the time for which `workers` cores are busy with `tasks` tasks.
double getBalance(int64_t tasks, int64_t workers) {
  int64_t rounds = llvm::divideCeilSigned(tasks, workers);
  return double(tasks) / double(rounds * workers);
}

ContractionCost estimateWinogradCost(const CostProblem &problem,
                                     const WinogradPlan &plan) {
  int64_t workers = std::clamp<int64_t>(plan.tasks, 1, problem.device.cores);
  return getCostOfCycles(ContractionWay::Winograd, problem,
                         plan.cycles / problem.shares.kernels.tiles, workers,
                         getBalance(plan.tasks, workers));
}

/// The additional time for fetching the data, in units of a tile's time.
double getFetchTime(const CostProblem &problem, const Contraction &contraction,
                    VectorizedDim vectorizedDim) {
  const KernelShares &shares = problem.shares.kernels;
  double pieces = shares.pieceTime * double(contraction.inputChannels) /
                  double(contraction.getReduction());
  bool isFar = isa<ir::ConvOp>(problem.op) &&
               vectorizedDim == VectorizedDim::OutputChannel &&
               contraction.inputChannels > kFewChannels &&
               !isDataChannelsLast(contraction);
  if (isFar)
    return pieces + shares.transposedReadTime;
  return vectorizedDim == VectorizedDim::Spatial ? pieces : 0;
}

/// The cost of a kernel of register tiles or, if inputs of `contraction` run
/// along the lanes, of dot products.
ContractionCost estimateKernelCost(ContractionWay way,
                                   const CostProblem &problem,
                                   Contraction contraction) {
  describeGroupsAsOutputs(contraction);
  ContractionSchedule schedule = scheduleContraction(contraction, problem.core);
  // Each worker takes at least one grain of tasks.
  int64_t workers =
      std::min(problem.device.cores,
               llvm::divideCeilSigned(schedule.extent, schedule.grain));
  int64_t width = way == ContractionWay::Dots ? schedule.tile.sumWidth
                                              : schedule.tile.width;
  VectorizedDim vectorizedDim = schedule.tile.vectorizedDim;
  double time =
      1 / getTileShare(problem.shares.kernels, contraction, vectorizedDim) +
      getFetchTime(problem, contraction, vectorizedDim);
  double cycles = schedule.tile.cycles * time * getShareInside(contraction) *
                  getNarrowFactor(problem.device, width);
  return getCostOfCycles(way, problem, cycles, workers,
                         getBalance(schedule.extent, workers));
}

ContractionCost estimateTilesCost(const CostProblem &problem,
                                  const Contraction &contraction) {
  ContractionCost cost =
      estimateKernelCost(ContractionWay::Tiles, problem, contraction);
  if (!problem.isConstant && problem.packedBlock) {
    double bytes = 2.0 * double(contraction.getReduction()) *
                   double(contraction.getFormat().bytes) *
                   double(contraction.outputChannels * contraction.groups);
    cost.startNs += estimateNs(problem.device, {0, bytes});
  }
  return cost;
}

/// Returns `packed` with the factors of its weights, or nothing if the weights
/// have no factors or no tiles can read them.
std::optional<Contraction>
withFactors(Contraction packed, int64_t inputsPerScale, int64_t integerBits) {
  packed.inputsPerScale = inputsPerScale;
  packed.integerBits = integerBits;
  return inputsPerScale > 0 && canScaleWeights(packed) ? std::optional(packed)
                                                       : std::nullopt;
}

/// The number of bytes of the weights of all contractions in the function that
/// contains `op`, as if none of the weights had factors.
double getProgramWeights(Operation *op) {
  double bytes = 0;
  if (auto function = op->getParentOfType<func::FuncOp>())
    function.walk([&](ir::ContractionOpInterface other) {
      if (hasStaticTypes(other))
        bytes += double(ir::toTandemType(typeOf(other.getWeights())).bytes());
    });
  return bytes;
}

/// The cost of tiles that read scaled weights, which have fewer bytes.
ContractionCost estimateScaledCost(CostProblem problem,
                                   const Contraction &contraction) {
  const double weights =
      double(contraction.getReduction()) * double(contraction.outputChannels);
  problem.cost.bytes -=
      std::llround(weights * (sizeof(float) - getScaledBytes(contraction)));
  problem.weightsBetween *= getScaledBytes(contraction) / sizeof(float);
  return estimateKernelCost(ContractionWay::ScaledTiles, problem, contraction);
}

/// The cost of a loop kernel, which computes the result element by element.
ContractionCost estimateLoopCost(const CostProblem &problem,
                                 const Contraction &contraction) {
  double flops = double(problem.cost.flops);
  double cycles = flops / getFlopsPerCycle(problem.core) /
                  getLoopEfficiency(problem.device, contraction);
  double ns = cycles * getFlopsPerCycle(problem.core) /
              problem.device.withThreads(1).f32FlopsPerNs;
  int64_t workers =
      std::clamp<int64_t>(int64_t(ns / kGrainNs), 1, problem.device.cores);
  return getCostOfCycles(ContractionWay::Loop, problem, cycles, workers, 1);
}

} // namespace

static SmallVector<ContractionCost, 4>
estimateContractionCosts(Operation *op, Expected<Contraction> given,
                         bool isConstant, const DeviceModel &device,
                         bool useWinograd, int64_t inputsPerScale,
                         int64_t integerBits = 8) {
  FailureOr<OpCost> cost = cast<ir::TandemOpInterface>(op).getCost();
  if (failed(cost))
    return {};
  CostProblem problem{op,    isConstant,           device,
                      *cost, getCoreModel(device), CPUShares::of(device)};
  SmallVector<ContractionCost, 4> costs;
  // A loop kernel would widen both factors of each product of integers, so its
  // cost is not estimated.
  if (given && cost->reads <= FusionOptions().maxReads &&
      !given->areBytesWidened())
    costs.push_back(estimateLoopCost(problem, *given));
  if (!given || !haveTiles(*given)) {
    costs.push_back(estimateLibraryCost(problem, nullptr));
    return costs;
  }
  Contraction packed = assumePacked(*given);
  problem.packedBlock = getPackedBlock(op, *given, isConstant, problem.core);
  problem.areOutputsAdjacent = given->outputStride == 1;
  problem.inputsPerScale = inputsPerScale;
  if (inputsPerScale > 0)
    problem.weightsBetween = getProgramWeights(op);
  bool isPacked = problem.packedBlock.has_value();
  flattenPositions(packed);
  flattenPositions(*given);
  const Contraction *tiled = getVectorizedDim(packed) ? &packed : nullptr;
  if (!isPacked && getVectorizedDim(*given) == VectorizedDim::InputChannel)
    costs.push_back(estimateKernelCost(ContractionWay::Dots, problem, *given));
  else if (tiled && (isPacked || getVectorizedDim(*given)))
    costs.push_back(estimateTilesCost(problem, isPacked ? packed : *given));
  if (auto scaled = withFactors(packed, problem.inputsPerScale, integerBits))
    costs.push_back(estimateScaledCost(problem, *scaled));
  if (useWinograd && isConstant)
    if (std::optional<WinogradPlan> plan = chooseWinograd(op, problem.core))
      costs.push_back(estimateWinogradCost(problem, *plan));
  // Integers are multiplied by the eager tier's own code, which is no faster
  // than f32.
  costs.push_back(estimateLibraryCost(
      problem, packed.areBytesWidened() ? nullptr : &packed));
  return costs;
}

/// The number of inputs that share a scale if the weights of `op` are a
/// constant with factors; otherwise 0.
static int64_t getInputsPerScale(Operation *op) {
  Operation *weights =
      cast<ir::ContractionOpInterface>(op).getWeights().getDefiningOp();
  const std::optional<ir::WeightFactors> factors =
      ir::getWeightFactors(weights);
  return factors ? factors->inputsPerScale : 0;
}

SmallVector<ContractionCost, 4>
estimateContractionCosts(Operation *op, bool isConstant,
                         const DeviceModel &device, bool useWinograd) {
  return estimateContractionCosts(op, describeContraction(op), isConstant,
                                  device, useWinograd, getInputsPerScale(op));
}

std::optional<ScaledBlock> getScaledBlock(Operation *op, int64_t inputsPerScale,
                                          int64_t integerBits,
                                          const DeviceModel &device,
                                          bool always) {
  Expected<Contraction> contraction = describeContraction(op);
  if (!contraction)
    return std::nullopt;
  Contraction packed = assumePacked(*contraction);
  flattenPositions(packed);
  std::optional<Contraction> scaled =
      withFactors(packed, inputsPerScale, integerBits);
  if (!scaled)
    return std::nullopt;
  constexpr double kNone = std::numeric_limits<double>::max();
  double ns = kNone, others = kNone;
  for (const ContractionCost &cost : estimateContractionCosts(
           op, contraction, /*isConstant=*/true, device, /*useWinograd=*/false,
           inputsPerScale, integerBits))
    if (cost.way == ContractionWay::ScaledTiles)
      ns = cost.getNs();
    else if (cost.way != ContractionWay::Library)
      others = std::min(others, cost.getNs());
  if (ns == kNone || (!always && ns > others))
    return std::nullopt;
  return ScaledBlock{
      chooseContractionStrategy(*scaled, getCoreModel(device)).getLanes(), ns};
}

std::optional<BackendCosts>
compareWithLibrary(Operation *op, const DeviceModel &device, bool useWinograd) {
  Expected<Contraction> contraction = describeContraction(op);
  if (!contraction)
    return std::nullopt;
  bool isConstant = matchPattern(contraction->weights, m_Constant());
  SmallVector<ContractionCost, 4> costs = estimateContractionCosts(
      op, contraction, isConstant, device, useWinograd, getInputsPerScale(op));
  if (costs.size() < 2)
    return std::nullopt;
  double generated = std::numeric_limits<double>::max();
  for (const ContractionCost &cost : ArrayRef(costs).drop_back())
    generated = std::min(generated, cost.getNs());
  double library = costs.back().getNs();
  // The library does not multiply integers of 8 bits. The eager tier's own code
  // first copies the windows and widens all factors, which tiles avoid, so it
  // is assumed not to be faster.
  if (contraction->areBytesWidened())
    library = std::max(library, generated);
  return BackendCosts{generated, library};
}

std::optional<BackendCosts> compareWithLibrary(Operation *op,
                                               const DeviceModel &device,
                                               const CPUOptions &options) {
  return compareWithLibrary(op, device, options.winograd != Winograd::never);
}

double getLeftoverNs(Operation *op, const DeviceModel &device) {
  Value result = op->getResult(0);
  if (!result.hasOneUse() ||
      !isa<ir::ElementwiseOpInterface>(*result.getUsers().begin()))
    return 0;
  auto type = ir::toTandemType(cast<RankedTensorType>(result.getType()));
  return estimateNs(device, {0, 2 * double(type.bytes())});
}

bool prefersLibrary(const BackendCosts &costs) {
  constexpr double kMargin = 1.08; // By `tandem-bench conv`.
  return costs.libraryNs * kMargin < costs.generatedNs;
}

} // namespace tandem
