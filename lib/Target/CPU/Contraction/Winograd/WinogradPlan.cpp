//===- WinogradPlan.cpp - How convolutions of fewer products run ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Winograd.h"

#include "HostMachine.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

using namespace winograd;

/// The measured cycles, as ContractionStrategy.cpp counts them, to transform a
/// vector of inputs or outputs of a tile, including loads and stores.
static constexpr double kCyclesPerData = 180, kCyclesPerResult = 125;
/// The share of the last-level cache that transformed weights may take to be
/// read at the speed of this cache.
static constexpr double kNearShare = 0.75;
/// Winograd's method is worth its larger error only if the direct method takes
/// at least this many times as long.
static constexpr double kWorthwhile = 1.15;
/// The number of tasks to aim for, and the least number of tiles of a task.
/// With fewer tiles, each weight is used too few times.
static constexpr int64_t kWantedTasks = 16, kMinTiles = 14;
/// The largest number of outputs in the provisional block of weights that are
/// not transformed yet.
static constexpr int64_t kOutputs = 64;
/// With fewer inputs than kMinInputs, sums are small relative to the errors of
/// the transforms. With more inputs than kMaxInputs, the workspace has no room
/// for even one tile.
static constexpr int64_t kMinInputs = 8, kMaxInputs = 4096;

bool canUseWinograd(const Contraction &contraction) {
  auto isPlain = [](const Contraction::SpatialDim &dim) {
    return dim.taps == kTaps && dim.stride == 1 && dim.dilation == 1;
  };
  return contraction.spatial.size() == 2 && contraction.batch.size() == 1 &&
         llvm::all_of(contraction.spatial, isPlain) &&
         contraction.groups == 1 && contraction.inputChannels >= kMinInputs &&
         contraction.inputChannels <= kMaxInputs &&
         contraction.outputChannels > 1 && contraction.inputDataStride == 1 &&
         contraction.outputDim == contraction.result.getRank() - 1 &&
         contraction.result.getElementType().isF32();
}

cpu::WinogradKernelOp findWinogradKernel(Operation *hero) {
  auto conv = dyn_cast<ir::ConvOp>(hero);
  if (!conv || conv.getLayout().getKernel() != "HWIO")
    return nullptr;
  return conv.getKernel().getDefiningOp<cpu::WinogradKernelOp>();
}

Expected<TransformedConv> describeTransformed(Operation *hero) {
  cpu::WinogradKernelOp kernel = findWinogradKernel(hero);
  TANDEM_ASSIGN_OR_RETURN(Contraction conv,
                          describeContraction(hero, kernel.getTransformed()));
  return TransformedConv{conv, kernel.getLargestData().convertToFloat()};
}

int64_t WinogradPlan::getDataElements() const {
  return kPositions * slots * rowStride;
}

int64_t WinogradPlan::getProductElements() const {
  return kPositions * slots * block;
}

/// Describes the products [position][tile][output] of one task. The outputs are
/// rounded up to whole blocks.
static Contraction describeProducts(const Contraction &conv,
                                    const WinogradPlan &plan,
                                    bool isTransformed) {
  Contraction products;
  products.result = RankedTensorType::get(
      {kPositions, plan.tilesPerTask, conv.outputChannels},
      conv.result.getElementType());
  products.batch.push_back({0, kPositions, 0, conv.spatial[1].weightsStride});
  products.spatial.push_back(
      {1, plan.tilesPerTask, plan.tilesPerTask, 1, 1, 1, 0, plan.rowStride, 0});
  products.inputChannels = conv.inputChannels;
  products.inputDataStride = 1;
  products.inputWeightsStride = conv.inputWeightsStride;
  products.outputChannels =
      llvm::divideCeilSigned(conv.outputChannels, plan.block) * plan.block;
  products.outputDim = 2;
  products.outputStride = 1;
  products.outputBlock = isTransformed ? plan.block : products.outputChannels;
  products.outputBlockStride = conv.outputBlockStride;
  return products;
}

/// Returns the tile that has as many vectors as a block of weights.
static ContractionStrategy getTile(const WinogradPlan &plan, int64_t width,
                                   const CoreModel &core) {
  ContractionStrategy tile;
  tile.width = std::min(width, plan.block);
  tile.vectors = plan.block / tile.width;
  int64_t most = std::max<int64_t>(1, core.getMostRows(tile.vectors));
  tile.rows = getEvenShare(plan.tilesPerTask, most);
  return tile;
}

/// Returns the number of tiles of a task. It divides all tiles among
/// kWantedTasks tasks, but a task has at least kMinTiles tiles or, if these are
/// fewer, half of all tiles. The size of the workspace limits the number.
static int64_t getTilesPerTask(const WinogradPlan &plan) {
  int64_t bytes = kPositions * (plan.rowStride + plan.block) * 4;
  int64_t most = std::max<int64_t>(1, kWinogradBytes / bytes);
  int64_t wanted =
      std::max(std::min(kMinTiles, llvm::divideCeilSigned(plan.tiles, 2)),
               llvm::divideCeilSigned(plan.tiles, kWantedTasks));
  return getEvenShare(plan.tiles, std::min(most, wanted));
}

static double estimateCycles(const WinogradPlan &plan, const Contraction &conv,
                             const CoreModel &core) {
  double tasks = double(plan.tasks), tiles = double(plan.tiles);
  double bytes = 4.0 * double(kPositions * conv.inputChannels) *
                 double(conv.outputChannels);
  bool isNear = bytes <= kNearShare * double(core.lastLevelBytes);
  double stream =
      bytes / (isNear ? core.lastLevelBytesPerCycle : core.memoryBytesPerCycle);
  double width = double(plan.tile.width);
  return tasks * std::max(plan.tile.cycles, stream) +
         tiles * std::ceil(double(conv.inputChannels) / width) *
             kCyclesPerData +
         tiles * std::ceil(double(conv.outputChannels) / width) *
             kCyclesPerResult;
}

/// Makes the plan for weights that have been transformed (`isTransformed`) or
/// will be.
static WinogradPlan makePlan(const Contraction &conv, CoreModel core,
                             bool isTransformed) {
  int64_t width = core.vectorBits / 32;
  WinogradPlan plan;
  plan.tileRows = llvm::divideCeilSigned(conv.spatial[0].size, kTile);
  plan.tileColumns = llvm::divideCeilSigned(conv.spatial[1].size, kTile);
  plan.tiles = conv.batch[0].size * plan.tileRows * plan.tileColumns;
  // A row consists of whole vectors. An additional vector keeps rows from
  // competing for the same set of the cache.
  plan.rowStride =
      llvm::divideCeilSigned(conv.inputChannels, width) * width + width;
  // The block of plain weights is provisional until the tile is known.
  plan.block =
      isTransformed
          ? conv.inputWeightsStride
          : std::min(llvm::divideCeilSigned(conv.outputChannels, width) * width,
                     kOutputs);
  plan.tilesPerTask = getTilesPerTask(plan);
  plan.tasks = llvm::divideCeilSigned(plan.tiles, plan.tilesPerTask);
  plan.products = describeProducts(conv, plan, isTransformed);
  plan.tile = isTransformed ? getTile(plan, width, core)
                            : chooseContractionStrategy(plan.products, core,
                                                        /*mayCopy=*/false);
  plan.block = plan.tile.getLanes();
  plan.slots = llvm::divideCeilSigned(plan.tilesPerTask, plan.tile.rows) *
               plan.tile.rows;
  plan.products.batch[0].dataStride = plan.slots * plan.rowStride;
  plan.cycles = estimateCycles(plan, conv, core);
  return plan;
}

WinogradPlan planWinograd(const Contraction &conv, CoreModel core) {
  return makePlan(conv, core, /*isTransformed=*/false);
}

WinogradPlan planWinograd(const TransformedConv &transformed, CoreModel core) {
  return makePlan(transformed.conv, core, /*isTransformed=*/true);
}

std::optional<WinogradPlan> chooseWinograd(Operation *hero, CoreModel core) {
  if (findWinogradKernel(hero))
    return std::nullopt;
  Expected<Contraction> conv = describeContraction(hero);
  if (!conv || !canUseWinograd(*conv))
    return std::nullopt;
  double direct = chooseContractionStrategy(assumePacked(*conv), core).cycles;
  WinogradPlan plan = planWinograd(*conv, core);
  if (plan.cycles * kWorthwhile > direct)
    return std::nullopt;
  return plan;
}

} // namespace tandem
