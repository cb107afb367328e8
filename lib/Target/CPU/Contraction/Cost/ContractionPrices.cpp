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
// and reaches a share of their speed that depends on the kind of convolution
// (LibraryShares). All rates and shares are the DeviceModel's.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionPrices.h"

#include "Contraction/Cost/ContractionSchedule.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/FusionPlan.h"
#include "tandem/Fusion/LoopEfficiency.h"
#include "tandem/Runtime/Grain.h"
#include "tandem/Runtime/LibraryFormats.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Winograd.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

/// More input channels lie too far apart (KernelShares::farChannelsTime).
constexpr int64_t kFewChannels = 16;
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
double getLibraryShare(const LibraryShares &shares,
                       const Contraction &contraction, ContractionLanes lanes) {
  double products = double(contraction.getReduction());
  switch (lanes) {
  case ContractionLanes::Groups:
    return contraction.spatial.size() == 2 ? shares.depthwise : shares.generic;
  case ContractionLanes::Positions:
    return shares.tiles * products / (products + shares.tileProducts);
  default:
    return shares.tiles;
  }
}

bool isChannelsLast(const Contraction &contraction) {
  return contraction.outputDim == contraction.result.getRank() - 1;
}

bool isDataChannelsLast(const Contraction &contraction) {
  return (contraction.inputChannels == 1 || contraction.inputDataStride == 1) &&
         (contraction.groups == 1 ||
          contraction.groupDataStride == contraction.inputChannels);
}

/// `contraction` on data that has been reordered.
Contraction withChannelsLast(Contraction contraction) {
  contraction.inputDataStride = 1;
  contraction.groupDataStride = contraction.inputChannels;
  int64_t stride = contraction.groups * contraction.inputChannels;
  for (Contraction::SpatialDim &dim : llvm::reverse(contraction.spatial)) {
    dim.dataStride = stride;
    stride *= dim.dataSize;
  }
  return contraction;
}

/// What the library computes channels first: of each group the product of two
/// matrices, in whose columns are the data of all taps.
Contraction getMatrixProduct(Contraction contraction) {
  Contraction::SpatialDim positions = contraction.spatial.back();
  positions.size = 1;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    positions.size *= dim.size;
  positions.dataSize = positions.size;
  positions.taps = positions.stride = positions.dilation = 1;
  positions.dataStride = 1;
  positions.padLow = 0;
  contraction.inputChannels = contraction.getReduction();
  contraction.inputDataStride = positions.size;
  contraction.spatial = {positions};
  return contraction;
}

/// The cycles in which it copies data into these columns, where data is no
/// matrix as it is.
double getColumnCycles(const Problem &problem, const Contraction &contraction) {
  if (llvm::all_of(contraction.spatial, [](const Contraction::SpatialDim &dim) {
        return dim.taps == 1 && !dim.isPadded();
      }))
    return 0;
  return problem.device.library.columnCycles *
         double(contraction.getPositions()) *
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

/// Without F16C, which came with AVX or soon after, a call converts each
/// element of f16 that a kernel loads or stores: at least all of them, at some
/// 10 cycles.
double getCallCycles(const Problem &problem) {
  constexpr double kCallCycles = 10, kBytes = 2;
  bool isF16 = getElementTypeOrSelf(problem.op->getResult(0)).isF16();
  return isF16 && problem.machine.vectorBits < 256
             ? kCallCycles * double(problem.cost.bytes) / kBytes
             : 0;
}

/// Of what runs on one core in `cycles` and moves `bytes`, by `workers` cores.
ContractionPrice getPrice(ContractionWay way, const Problem &problem,
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

/// What `tasks` on `workers` cores keep these busy.
double getBalance(int64_t tasks, int64_t workers) {
  int64_t rounds = llvm::divideCeilSigned(tasks, workers);
  return double(tasks) / double(rounds * workers);
}

ContractionPrice priceWinograd(const Problem &problem,
                               const WinogradPlan &plan) {
  int64_t workers = std::clamp<int64_t>(plan.tasks, 1, problem.device.cores);
  return getPrice(ContractionWay::Winograd, problem,
                  plan.cycles / problem.device.kernels.tiles, workers,
                  getBalance(plan.tasks, workers));
}

/// What fetching the data adds, in units of a tile's time.
double getFetchTime(const Problem &problem, const Contraction &contraction,
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
ContractionPrice priceKernel(ContractionWay way, const Problem &problem,
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

ContractionPrice priceTiles(const Problem &problem,
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

double getLibraryCycles(const Problem &problem,
                        const Contraction &contraction) {
  ContractionStrategy tile =
      chooseContractionStrategy(contraction, problem.machine);
  return tile.cycles * getShareInside(contraction) /
         (problem.device.kernels.tiles *
          getLibraryShare(problem.device.library, contraction, tile.lanes));
}

/// Whether the library computes it on the matrix unit: bf16, but for what it
/// is given in f32 (computeType in runtime/eager/onednn/{Conv,Matmul}.cpp).
bool usesMatrixUnit(const Problem &problem, const Contraction &contraction) {
  bool isConv = isa<ir::ConvOp>(problem.op);
  bool isInF32 = contraction.inputChannels % 2 != 0 ||
                 (isConv && contraction.inputChannels <= 4) ||
                 (contraction.groups > 1 && contraction.inputChannels == 16);
  return problem.device.matrixFlopsPerClock > 0 &&
         contraction.getFormat().memory.isBF16() && !isInF32;
}

/// In whole tiles.
double getMatrixUnitCycles(const Problem &problem,
                           const Contraction &contraction) {
  constexpr int64_t kSide = 16, kInner = 32;
  constexpr double kTileFlops = 2 * kSide * kSide * kInner;
  double tiles =
      double(llvm::divideCeilSigned(contraction.getPositions(), kSide)) *
      double(llvm::divideCeilSigned(contraction.outputChannels, kSide)) *
      double(llvm::divideCeilSigned(contraction.inputChannels, kInner)) *
      double(contraction.getReduction() / contraction.inputChannels) *
      double(contraction.groups);
  return tiles * kTileFlops /
         (problem.device.matrixFlopsPerClock *
          problem.device.library.matrixUnit);
}

double getLibraryCycles(const Problem &problem,
                        const Contraction *contraction) {
  if (contraction && usesMatrixUnit(problem, *contraction))
    return getMatrixUnitCycles(problem, *contraction);
  if (contraction && !isChannelsLast(*contraction))
    return getLibraryCycles(problem, getMatrixProduct(*contraction)) +
           getColumnCycles(problem, *contraction);
  if (contraction && getContractionLanes(*contraction))
    return getLibraryCycles(problem, *contraction);
  return double(problem.cost.flops) / getFlopsPerCycle(problem.machine) /
         problem.device.library.other;
}

/// To lay out weights for the matrix unit, where they are not constant.
double getMatrixWeightsNs(const Problem &problem,
                          const Contraction &contraction) {
  if (problem.isConstant || !usesMatrixUnit(problem, contraction))
    return 0;
  auto type = cast<RankedTensorType>(contraction.weights.getType());
  double bytes =
      double(type.getNumElements()) * double(contraction.getFormat().bytes);
  const DeviceModel &device = problem.device;
  return device.acrossFactor * estimateMemoryNs(device, {0, 2 * bytes});
}

/// To turn both images, at the speed of the level that holds them in both
/// formats (see getPrice); those of one dim element by element, like columns.
double getTurnNs(const Problem &problem, const Contraction &contraction) {
  const DeviceModel &device = problem.device;
  auto data = cast<RankedTensorType>(contraction.data.getType());
  double moved = 2 * double(ir::toTandemType(data).bytes() +
                            ir::toTandemType(contraction.result).bytes());
  double ns = device.library.turnFactor * moved / device.bytesPerNs(2 * moved);
  if (data.getRank() > 3)
    return ns;
  double elements =
      double(data.getNumElements() + contraction.result.getNumElements());
  double cyclesPerNs = problem.machine.cyclesPerNs * double(device.cores);
  return std::max(ns, device.library.columnCycles * elements / cyclesPerNs);
}

/// `contraction` as the library computes it, and what changing the formats of
/// its images takes: both, unless both have their channels last, or both first
/// and the library takes them so. It has nothing of its own for one of each.
Contraction withLibraryImages(const Problem &problem, Contraction contraction,
                              double &changeNs) {
  changeNs = 0;
  bool isResultLast = isChannelsLast(contraction);
  bool isLast = isResultLast && isDataChannelsLast(contraction);
  bool isFirst = !isResultLast && contraction.spatial.back().dataStride == 1 &&
                 !changesImageFormats(contraction.groups,
                                      contraction.getReduction() /
                                          contraction.inputChannels,
                                      contraction.inputChannels);
  if (!isa<ir::ConvOp>(problem.op) || isLast || isFirst)
    return contraction;
  changeNs = getTurnNs(problem, contraction);
  contraction = withChannelsLast(contraction);
  contraction.outputDim = contraction.result.getRank() - 1;
  return assumePacked(contraction);
}

/// f16 is none of the library's types: copies of all operands are widened for
/// it, and its result is rounded from one (eager's ThroughFloat).
bool isThroughF32(const Problem &problem) {
  return getElementTypeOrSelf(problem.op->getResult(0)).isF16();
}

/// To make these copies, for which larger ones get new memory at each call.
double getThroughF32Ns(const Problem &problem) {
  if (!isThroughF32(problem))
    return 0;
  const DeviceModel &device = problem.device;
  double bytes = double(problem.cost.bytes), copies = 2 * bytes;
  return double(problem.op->getNumOperands() + 1) * device.callNs +
         bytes / device.bytesPerNs(bytes + copies) +
         copies / (copies > double(device.nearBytes())
                       ? device.memoryBytesPerNs
                       : device.bytesPerNs(bytes + copies));
}

/// What the library computes of `contraction`: f16 in f32.
Contraction withLibraryFormat(const Problem &problem, Contraction contraction) {
  if (isThroughF32(problem))
    contraction.result =
        contraction.result.clone(contraction.getFormat().compute);
  return contraction;
}

/// `contraction` has its weights packed; null where none describes the op.
ContractionPrice priceLibrary(Problem problem, const Contraction *contraction) {
  std::optional<Contraction> turned;
  double changeNs = getThroughF32Ns(problem);
  if (isThroughF32(problem))
    problem.cost.bytes *= 2;
  if (contraction) {
    double imagesNs = 0;
    turned = withLibraryImages(
        problem, withLibraryFormat(problem, *contraction), imagesNs);
    changeNs += imagesNs + getMatrixWeightsNs(problem, *contraction);
  }
  double flops = double(problem.cost.flops);
  double cycles = getLibraryCycles(problem, turned ? &*turned : nullptr);
  int64_t workers = flops < kLibraryThreadFlops ? 1 : problem.device.cores;
  ContractionPrice price =
      getPrice(ContractionWay::Library, problem, cycles, workers, 1);
  price.startNs += changeNs + problem.device.libraryCallNs +
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
  if (succeeded(given) && cost->reads <= FusionOptions().maxReads)
    prices.push_back(priceLoop(problem, *given));
  if (failed(given) || !isComputedInF32(given->result.getElementType())) {
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
  std::string why;
  return priceContraction(op, describeContraction(op, why), isConstant, device,
                          useWinograd);
}

std::optional<ContractionPrices>
compareWithLibrary(Operation *op, const DeviceModel &device, bool useWinograd) {
  std::string why;
  FailureOr<Contraction> contraction = describeContraction(op, why);
  if (failed(contraction))
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
