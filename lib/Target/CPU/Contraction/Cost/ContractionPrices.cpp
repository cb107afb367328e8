//===- ContractionPrices.cpp - What each way to compute takes -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel takes the cycles that its strategy estimates (ContractionStrategy.h)
// on the cores among which its tasks can be shared, or what its bytes take. All
// rates and shares are the DeviceModel's.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionPrices.h"

#include "Contraction/Cost/ContractionSchedule.h"
#include "Contraction/Cost/PriceProblem.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/FusionPlan.h"
#include "tandem/Fusion/LoopEfficiency.h"
#include "tandem/Runtime/Grain.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Winograd.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

bool isDataChannelsLast(const Contraction &contraction) {
  return (contraction.inputChannels == 1 || contraction.inputDataStride == 1) &&
         (contraction.groups == 1 ||
          contraction.groupDataStride == contraction.inputChannels);
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

/// Without F16C, which came with AVX or soon after, a call converts each
/// element of f16 that a kernel loads or stores: at least all of them, at some
/// 10 cycles.
static double getCallCycles(const PriceProblem &problem) {
  constexpr double kCallCycles = 10, kBytes = 2;
  bool isF16 = getElementTypeOrSelf(problem.op->getResult(0)).isF16();
  return isF16 && problem.machine.vectorBits < 256
             ? kCallCycles * double(problem.cost.bytes) / kBytes
             : 0;
}

ContractionPrice getPrice(ContractionWay way, const PriceProblem &problem,
                          double cycles, int64_t workers, double balance) {
  const DeviceModel &device = problem.device;
  DeviceModel used = device.withThreads(workers);
  ContractionPrice price;
  price.way = way;
  price.startNs = workers > 1 ? device.launchNs : device.callNs;
  if (way != ContractionWay::Library)
    cycles += getCallCycles(problem);
  bool isF64 = getElementTypeOrSelf(problem.op->getResult(0)).isF64();
  price.computeNs =
      cycles * getFlopsPerCycle(problem.machine) /
      ((isF64 ? used.f64FlopsPerNs : used.f32FlopsPerNs) * balance);
  // A level holds what a call reads and writes where something else fits in it,
  // too: these operands are not the only ones of a program.
  price.memoryNs = double(problem.cost.bytes) /
                   used.bytesPerNs(2 * double(problem.cost.bytes));
  return price;
}

namespace {

/// More input channels lie too far apart (KernelShares::farChannelsTime).
constexpr int64_t kFewChannels = 16;

/// The time of products of `width` lanes beside that of whole vectors' cycles:
/// a machine that starts fewer than two of the latter a clock catches up.
double getNarrowFactor(const DeviceModel &device, int64_t width) {
  double lanes = double(device.vectorBits) / 32;
  return device.fmasPerClock /
         std::min(std::max(2.0, device.fmasPerClock),
                  device.fmasPerClock * lanes / double(width));
}

/// What `tasks` on `workers` cores keep these busy.
double getBalance(int64_t tasks, int64_t workers) {
  int64_t rounds = llvm::divideCeilSigned(tasks, workers);
  return double(tasks) / double(rounds * workers);
}

ContractionPrice priceWinograd(const PriceProblem &problem,
                               const WinogradPlan &plan) {
  int64_t workers = std::clamp<int64_t>(plan.tasks, 1, problem.device.cores);
  return getPrice(ContractionWay::Winograd, problem,
                  plan.cycles / problem.device.kernels.tiles, workers,
                  getBalance(plan.tasks, workers));
}

/// What fetching the data adds, in units of a tile's time.
double getFetchTime(const PriceProblem &problem, const Contraction &contraction,
                    ContractionLanes lanes) {
  const KernelShares &shares = problem.device.kernels;
  double pieces = shares.pieceTime * double(contraction.inputChannels) /
                  double(contraction.getReduction());
  bool isFar = isa<ir::ConvOp>(problem.op) &&
               lanes == ContractionLanes::Outputs &&
               contraction.inputChannels > kFewChannels &&
               !isDataChannelsLast(contraction);
  if (isFar)
    return pieces + shares.farChannelsTime;
  return lanes == ContractionLanes::Positions ? pieces : 0;
}

/// A kernel of register tiles or dot products, as `contraction` says.
ContractionPrice priceKernel(ContractionWay way, const PriceProblem &problem,
                             const Contraction &contraction) {
  ContractionSchedule schedule =
      scheduleContraction(contraction, problem.machine);
  // Each takes a grain at least.
  int64_t workers =
      std::min(problem.device.cores,
               llvm::divideCeilSigned(schedule.extent, schedule.grain));
  int64_t width = way == ContractionWay::Dots ? schedule.tile.sumWidth
                                              : schedule.tile.width;
  double time = 1 / problem.device.kernels.tiles +
                getFetchTime(problem, contraction, schedule.tile.lanes);
  double cycles = schedule.tile.cycles * time * getShareInside(contraction) *
                  getNarrowFactor(problem.device, width);
  return getPrice(way, problem, cycles, workers,
                  getBalance(schedule.extent, workers));
}

ContractionPrice priceTiles(const PriceProblem &problem,
                            const Contraction &contraction) {
  ContractionPrice price =
      priceKernel(ContractionWay::Tiles, problem, contraction);
  if (!problem.isConstant && problem.packedBlock) {
    double bytes = 2.0 * double(contraction.getReduction()) *
                   double(contraction.getFormat().bytes) *
                   double(contraction.outputChannels * contraction.groups);
    price.startNs += estimateNs(problem.device, {0, bytes});
  }
  return price;
}

/// Element by element, as fusion would lower it.
ContractionPrice priceLoop(const PriceProblem &problem,
                           const Contraction &contraction) {
  double flops = double(problem.cost.flops);
  double cycles = flops / getFlopsPerCycle(problem.machine) /
                  getLoopEfficiency(problem.device, contraction);
  double ns = cycles * getFlopsPerCycle(problem.machine) /
              problem.device.withThreads(1).f32FlopsPerNs;
  int64_t workers =
      std::clamp<int64_t>(int64_t(ns / kGrainNs), 1, problem.device.cores);
  return getPrice(ContractionWay::Loop, problem, cycles, workers, 1);
}

} // namespace

static SmallVector<ContractionPrice, 4>
priceContraction(Operation *op, Expected<Contraction> given, bool isConstant,
                 const DeviceModel &device, bool useWinograd) {
  FailureOr<OpCost> cost = cast<ir::TandemOpInterface>(op).getCost();
  if (failed(cost))
    return {};
  PriceProblem problem{op, isConstant, device, *cost, getMachine(device)};
  SmallVector<ContractionPrice, 4> prices;
  if (given && cost->reads <= FusionOptions().maxReads)
    prices.push_back(priceLoop(problem, *given));
  if (!given || !isComputedInF32(given->result.getElementType())) {
    prices.push_back(priceLibrary(problem, nullptr));
    return prices;
  }
  Contraction packed = assumePacked(*given);
  problem.packedBlock = getPackedBlock(op, *given, isConstant, problem.machine);
  bool isPacked = problem.packedBlock.has_value();
  flattenPositions(packed);
  flattenPositions(*given);
  const Contraction *tiled = getContractionLanes(packed) ? &packed : nullptr;
  if (!isPacked && getContractionLanes(*given) == ContractionLanes::Reduction)
    prices.push_back(priceKernel(ContractionWay::Dots, problem, *given));
  else if (tiled && (isPacked || getContractionLanes(*given)))
    prices.push_back(priceTiles(problem, isPacked ? packed : *given));
  if (useWinograd && isConstant)
    if (std::optional<WinogradPlan> plan = chooseWinograd(op, problem.machine))
      prices.push_back(priceWinograd(problem, *plan));
  prices.push_back(priceLibrary(problem, &packed));
  return prices;
}

SmallVector<ContractionPrice, 4> priceContraction(Operation *op,
                                                  bool isConstant,
                                                  const DeviceModel &device,
                                                  bool useWinograd) {
  return priceContraction(op, describeContraction(op), isConstant, device,
                          useWinograd);
}

std::optional<ContractionPrices>
compareWithLibrary(Operation *op, const DeviceModel &device, bool useWinograd) {
  Expected<Contraction> contraction = describeContraction(op);
  if (!contraction)
    return std::nullopt;
  bool isConstant = matchPattern(contraction->weights, m_Constant());
  SmallVector<ContractionPrice, 4> prices =
      priceContraction(op, contraction, isConstant, device, useWinograd);
  if (prices.size() < 2)
    return std::nullopt;
  double generated = std::numeric_limits<double>::max();
  for (const ContractionPrice &price : ArrayRef(prices).drop_back())
    generated = std::min(generated, price.getNs());
  return ContractionPrices{generated, prices.back().getNs()};
}

double getLeftoverNs(Operation *op, const DeviceModel &device) {
  Value result = op->getResult(0);
  if (!result.hasOneUse() ||
      !isa<ir::ElementwiseOpInterface>(*result.getUsers().begin()))
    return 0;
  auto type = ir::toTandemType(cast<RankedTensorType>(result.getType()));
  return estimateNs(device, {0, 2 * double(type.bytes())});
}

bool prefersLibrary(const ContractionPrices &prices) {
  constexpr double kMargin = 1.08; // By `tandem-bench conv`.
  return prices.libraryNs * kMargin < prices.generatedNs;
}

} // namespace tandem
