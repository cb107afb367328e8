//===- ContractionPrices.cpp - What each way to compute takes -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel takes the cycles that its strategy estimates (ContractionStrategy.h)
// on the cores among which its tasks can be shared, or what its bytes take. The
// library runs on tiles of registers as well, which begin and end like ours,
// and reaches a share of their speed that depends on the kind of convolution.
// What rates there are is the DeviceModel's; the few constants here are shares
// of them, calibrated with `tandem-bench conv` on a Zen 4
// (docs/Contractions.md).
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionPrices.h"

#include "ContractionSchedule.h"

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
namespace {

/// What is reached of a tile's speed.
constexpr double kTileShare = 0.98, kLibraryShare = 0.96;
/// Depthwise in two dims, and in others, for which it has no kernel of its own.
constexpr double kLibraryDepthwiseShare = 0.7, kLibraryGenericShare = 0.1;
/// Channels first, where it multiplies matrices, and the cycles for each element
/// of data that it copies ahead into the columns of one (im2col).
constexpr double kLibraryMatrixShare = 0.8, kLibraryColumnCycles = 3;
/// Of the peak, where no tile of ours can tell how the library computes.
constexpr double kLibraryShareOfPeak = 0.6;
/// Fewer operations the library runs on one thread (runtime/eager/onednn).
constexpr double kLibraryThreadFlops = 1e6;

/// What all ways have in common.
struct Problem {
  Operation *op;
  bool isConstant;
  const DeviceModel &device;
  OpCost cost;
  ContractionMachine machine;
  /// Outputs in a block, where weights are packed.
  std::optional<int64_t> packedBlock = std::nullopt;
};

/// Of the speed of our own tiles.
double getLibraryShare(const Contraction &contraction, ContractionLanes lanes) {
  switch (lanes) {
  case ContractionLanes::Groups:
    return contraction.spatial.size() == 2 ? kLibraryDepthwiseShare
                                           : kLibraryGenericShare;
  case ContractionLanes::Positions:
    return kLibraryMatrixShare;
  default:
    return kLibraryShare;
  }
}

/// What the library takes channels first to copy data into the columns of a
/// matrix, where that is none yet.
double getColumnCycles(const Contraction &contraction) {
  bool isChannelsLast =
      contraction.outputDim == contraction.result.getRank() - 1;
  bool isMatrix = llvm::all_of(
      contraction.spatial, [](const Contraction::SpatialDim &dim) {
        return dim.taps == 1 && dim.stride == 1 && !dim.isPadded();
      });
  if (isChannelsLast || isMatrix)
    return 0;
  return kLibraryColumnCycles * double(contraction.getPositions()) *
         double(contraction.getReduction() * contraction.groups);
}

/// The share of the products that are not with padding, which both leave out.
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

/// The time of products of `width` lanes beside that of whole vectors' cycles:
/// a machine that starts fewer than two of the latter a clock catches up.
double getNarrowFactor(const DeviceModel &device, int64_t width) {
  double lanes = double(device.vectorBits) / 32;
  return device.fmasPerClock /
         std::min(std::max(2.0, device.fmasPerClock),
                  device.fmasPerClock * lanes / double(width));
}

/// Of what runs on one core in `cycles` and moves `bytes`, by `workers` cores.
ContractionPrice getPrice(ContractionWay way, const Problem &problem,
                          double cycles, int64_t workers, double balance) {
  const DeviceModel &device = problem.device;
  DeviceModel used = device.withThreads(workers);
  ContractionPrice price;
  price.way = way;
  price.startNs = workers > 1 ? device.launchNs : device.callNs;
  price.computeNs = cycles * getFlopsPerCycle(problem.machine) /
                    (used.f32FlopsPerNs * balance);
  // A level holds what a call reads and writes where something else fits in it,
  // too: these operands are not the only ones of a program.
  price.memoryNs = double(problem.cost.bytes) /
                   used.bytesPerNs(2 * double(problem.cost.bytes));
  return price;
}

/// What `tasks` on `workers` cores keep these busy.
double getBalance(int64_t tasks, int64_t workers) {
  int64_t rounds = llvm::divideCeilSigned(tasks, workers);
  return double(tasks) / double(rounds * workers);
}

ContractionPrice priceWinograd(const Problem &problem,
                               const WinogradPlan &plan) {
  int64_t workers = std::clamp<int64_t>(plan.tasks, 1, problem.device.cores);
  return getPrice(ContractionWay::Winograd, problem, plan.cycles / kTileShare,
                  workers, getBalance(plan.tasks, workers));
}

/// A kernel of register tiles or dot products, as `contraction` says.
ContractionPrice priceKernel(ContractionWay way, const Problem &problem,
                             const Contraction &contraction) {
  ContractionSchedule schedule =
      scheduleContraction(contraction, problem.machine);
  // The runtime halves the range while it is longer than a grain.
  int64_t workers = schedule.extent > schedule.grain
                        ? std::min(problem.device.cores, schedule.extent)
                        : 1;
  int64_t width = way == ContractionWay::Dots ? schedule.tile.sumWidth
                                              : schedule.tile.width;
  double cycles = schedule.tile.cycles * getShareInside(contraction) *
                  getNarrowFactor(problem.device, width) / kTileShare;
  return getPrice(way, problem, cycles, workers,
                  getBalance(schedule.extent, workers));
}

ContractionPrice priceTiles(const Problem &problem,
                            const Contraction &contraction) {
  ContractionPrice price =
      priceKernel(ContractionWay::Tiles, problem, contraction);
  if (!problem.isConstant && problem.packedBlock) {
    double bytes = 2.0 * double(contraction.getReduction()) *
                   double(contraction.getElementBytes()) *
                   double(contraction.outputs * contraction.groups);
    price.startNs += estimateNs(problem.device, {0, bytes});
  }
  return price;
}

/// Element by element, as fusion would lower it.
ContractionPrice priceLoop(const Problem &problem,
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

ContractionPrice priceLibrary(const Problem &problem,
                              const Contraction *contraction) {
  double flops = double(problem.cost.flops);
  double cycles =
      flops / getFlopsPerCycle(problem.machine) / kLibraryShareOfPeak;
  if (contraction && getContractionLanes(*contraction)) {
    ContractionStrategy tile =
        chooseContractionStrategy(*contraction, problem.machine);
    cycles = tile.cycles * getShareInside(*contraction) /
             getLibraryShare(*contraction, tile.lanes);
  }
  if (contraction)
    cycles += getColumnCycles(*contraction);
  int64_t workers = flops < kLibraryThreadFlops ? 1 : problem.device.cores;
  ContractionPrice price =
      getPrice(ContractionWay::Library, problem, cycles, workers, 1);
  price.startNs += problem.device.libraryCallNs +
                   (workers > 1 ? problem.device.libraryWakeNs : 0);
  return price;
}

} // namespace

static SmallVector<ContractionPrice, 4>
priceContraction(Operation *op, FailureOr<Contraction> given, bool isConstant,
                 const DeviceModel &device, bool useWinograd) {
  FailureOr<OpCost> cost = cast<ir::TandemOpInterface>(op).getCost();
  if (failed(cost))
    return {};
  Problem problem{op, isConstant, device, *cost, getMachine(device)};
  SmallVector<ContractionPrice, 4> prices;
  if (failed(given) || !isComputedInF32(given->result.getElementType()))
    return {priceLibrary(problem, nullptr)};

  if (cost->reads <= FusionOptions().maxReads)
    prices.push_back(priceLoop(problem, *given));
  Contraction packed = assumePacked(*given);
  problem.packedBlock = getPackedBlock(op, *given, isConstant, problem.machine);
  bool isPacked = problem.packedBlock.has_value();
  flattenPositions(packed);
  flattenPositions(*given);
  const Contraction *tiled = getContractionLanes(packed) ? &packed : nullptr;
  if (!isPacked && getContractionLanes(*given) == ContractionLanes::Reduction)
    prices.push_back(priceKernel(ContractionWay::Dots, problem, *given));
  else if (tiled && (isPacked || getContractionLanes(*given)))
    prices.push_back(priceTiles(problem, packed));
  if (useWinograd && isConstant)
    if (std::optional<WinogradPlan> plan = chooseWinograd(op))
      prices.push_back(priceWinograd(problem, *plan));
  prices.push_back(priceLibrary(problem, &packed));
  return prices;
}

SmallVector<ContractionPrice, 4> priceContraction(Operation *op,
                                                  bool isConstant,
                                                  const DeviceModel &device,
                                                  bool useWinograd) {
  std::string why;
  return priceContraction(op, describeContraction(op, why), isConstant, device,
                          useWinograd);
}

std::optional<ContractionPrices>
compareWithLibrary(Operation *op, const DeviceModel &device, bool useWinograd) {
  std::string why;
  FailureOr<Contraction> contraction = describeContraction(op, why);
  if (failed(contraction) ||
      !isComputedInF32(contraction->result.getElementType()))
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

} // namespace tandem
