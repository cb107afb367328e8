//===- LibraryCost.cpp - What the library takes for a contraction ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library also computes register tiles, with the same overhead at their
// beginning and end as our kernels have. It reaches a share of the speed of our
// tiles that depends on the kind of convolution (LibraryShares).
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/CostProblem.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Runtime/Kernels/LibraryFormats.h"

using namespace mlir;

namespace tandem {
namespace {

/// The library runs an op with fewer operations than this on one thread
/// (runtime/eager/onednn).
constexpr double kLibraryThreadFlops = 1e6;

/// Returns the speed of the library as a share of the speed of our own tiles.
double getLibraryShare(const LibraryShares &shares,
                       const Contraction &contraction,
                       VectorizedDim vectorizedDim) {
  double products = double(contraction.getReduction());
  switch (vectorizedDim) {
  case VectorizedDim::Group:
    return contraction.spatial.size() == 2 ? shares.depthwise : shares.generic;
  case VectorizedDim::Spatial:
    return shares.tiles * products / (products + shares.tileProducts);
  default:
    return shares.tiles;
  }
}

bool isChannelsLast(const Contraction &contraction) {
  return contraction.outputDim == contraction.result.getRank() - 1;
}

/// Returns `contraction` as it reads data that has been reordered to channels
/// last.
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

/// The product of two matrices that the library computes for each group of a
/// convolution with channels first. The columns of the second matrix are the
/// data of all taps.
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

/// The number of cycles in which the library copies the data into the columns
/// of getMatrixProduct(); 0 if the data is a matrix already.
double getColumnCycles(const CostProblem &problem,
                       const Contraction &contraction) {
  if (llvm::all_of(contraction.spatial, [](const Contraction::SpatialDim &dim) {
        return dim.taps == 1 && dim.stride == 1 && !dim.isPadded();
      }))
    return 0;
  bool isStrided =
      llvm::any_of(contraction.spatial, [](const Contraction::SpatialDim &dim) {
        return dim.stride > 1;
      });
  const LibraryShares &library = problem.shares.library;
  return (isStrided ? library.stridedColumnCycles : library.columnCycles) *
         double(contraction.getPositions()) *
         double(contraction.getReduction() * contraction.groups);
}

double getLibraryCycles(const CostProblem &problem,
                        const Contraction &contraction) {
  ContractionStrategy tile =
      chooseContractionStrategy(contraction, problem.core);
  return tile.cycles * getShareInside(contraction) /
         (getTileShare(problem.shares.kernels, contraction,
                       tile.vectorizedDim) *
          getLibraryShare(problem.shares.library, contraction,
                          tile.vectorizedDim));
}

/// Whether the library computes the contraction on the matrix unit: if the data
/// is bf16, and the library does not compute it in f32 (computeType in
/// runtime/eager/onednn/{Conv,Matmul}.cpp).
bool usesMatrixUnit(const CostProblem &problem,
                    const Contraction &contraction) {
  bool isConv = isa<ir::ConvOp>(problem.op);
  bool isInF32 = contraction.inputChannels % 2 != 0 ||
                 (isConv && contraction.inputChannels <= 4) ||
                 (contraction.groups > 1 && contraction.inputChannels == 16);
  return problem.device.matrixFlopsPerClock > 0 &&
         contraction.getFormat().memory.isBF16() && !isInF32;
}

/// The number of cycles of the matrix unit, which computes whole tiles only.
double getMatrixUnitCycles(const CostProblem &problem,
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
          problem.shares.library.matrixUnit);
}

/// Returns the problem's op if it is a convolution of integers, which the eager
/// tier's own kernels compute; null otherwise.
ir::ConvOp getByteConv(const CostProblem &problem) {
  auto conv = dyn_cast<ir::ConvOp>(problem.op);
  return conv && getElementTypeOrSelf(conv.getInput()).isInteger() ? conv
                                                                   : nullptr;
}

/// The number of input channels in each group.
int64_t getGroupInputs(ir::ConvOp conv) {
  return shapeOf(conv.getKernel())[conv.getLayout().getKernel().find('I')];
}

/// The share of the peak that contractions without register tiles reach. The
/// eager tier's own kernels compute integers of 8 bits. With one channel in
/// each group and channels first, they reach no more than the library does
/// without a special kernel (0.6 Gop/s on a Zen 1, and 30 Gop/s for whole
/// channels).
double getOtherShare(const CostProblem &problem) {
  const LibraryShares &library = problem.shares.library;
  ir::ConvOp conv = getByteConv(problem);
  const bool isDepthwise =
      conv && conv.getGroups() != 1 && getGroupInputs(conv) == 1;
  return isDepthwise ? library.generic : library.other;
}

/// The number of cycles that the eager tier takes to copy the data of a
/// convolution of bytes into a matrix (im2col); 0 for other ops.
double getByteColumnCycles(const CostProblem &problem) {
  ir::ConvOp conv = getByteConv(problem);
  // With one channel in each group, the eager tier adds products to the result
  // directly.
  if (!conv || getGroupInputs(conv) == 1)
    return 0;
  const StringRef output = conv.getLayout().getOutput(),
                  kernel = conv.getLayout().getKernel();
  const double results = typeOf(conv.getResult()).getNumElements(),
               outputs = shapeOf(conv.getResult())[output.find('C')],
               weights = typeOf(conv.getKernel()).getNumElements();
  const double sums = weights / shapeOf(conv.getKernel())[kernel.find('O')];
  return problem.shares.library.stridedColumnCycles * results / outputs * sums *
         double(conv.getGroups());
}

double getLibraryCycles(const CostProblem &problem,
                        const Contraction *contraction) {
  if (contraction && usesMatrixUnit(problem, *contraction))
    return getMatrixUnitCycles(problem, *contraction);
  if (contraction && !isChannelsLast(*contraction))
    return getLibraryCycles(problem, getMatrixProduct(*contraction)) +
           getColumnCycles(problem, *contraction);
  if (contraction && getVectorizedDim(*contraction))
    return getLibraryCycles(problem, *contraction);
  return double(problem.cost.flops) / getFlopsPerCycle(problem.core) /
             getOtherShare(problem) +
         getByteColumnCycles(problem);
}

/// The time to reorder the weights to the layout of the library's code, in each
/// call, if they are not constant. The library reorders them for the matrix
/// unit, and for all convolutions of channels-last images. A Zen 4 takes 1.8 ms
/// to reorder 4 MiB of OIHW weights, and a quarter of that where outputs are
/// adjacent (HWIO).
double getWeightsNs(const CostProblem &problem,
                    const Contraction &contraction) {
  const bool isConv =
      isa<ir::ConvOp>(problem.op) && isChannelsLast(contraction);
  if (problem.isConstant || !(isConv || usesMatrixUnit(problem, contraction)))
    return 0;
  auto type = cast<RankedTensorType>(contraction.weights.getType());
  const double moved =
      2 * double(type.getNumElements()) * double(contraction.getFormat().bytes);
  const DeviceModel &device = problem.device;
  const double ns = moved / device.bytesPerNs(2 * moved);
  if (!isConv)
    return device.acrossFactor * ns;
  return problem.shares.library.reorderFactor *
         (problem.areOutputsAdjacent ? 1 : device.acrossFactor) * ns;
}

/// The time to reorder both images, at the speed of the memory level that holds
/// them in both formats (see getCostOfCycles). Images with one spatial dim are
/// reordered element by element, like columns.
double getReorderNs(const CostProblem &problem,
                    const Contraction &contraction) {
  const DeviceModel &device = problem.device;
  auto data = cast<RankedTensorType>(contraction.data.getType());
  double moved = 2 * double(ir::toTandemType(data).bytes() +
                            ir::toTandemType(contraction.result).bytes());
  double ns = problem.shares.library.reorderFactor * moved /
              device.bytesPerNs(2 * moved);
  if (data.getRank() > 3)
    return ns;
  double elements =
      double(data.getNumElements() + contraction.result.getNumElements());
  double cyclesPerNs = problem.core.cyclesPerNs * double(device.cores);
  return std::max(ns,
                  problem.shares.library.columnCycles * elements / cyclesPerNs);
}

/// Returns `contraction` as the library computes it, and sets `changeNs` to the
/// time of reordering its images. The library reorders both images, in a call
/// each, unless both have their channels last, or both have them first and the
/// library supports that. It has no code for one image with channels last and
/// one with channels first.
Contraction withLibraryImages(const CostProblem &problem,
                              Contraction contraction, double &changeNs) {
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
  changeNs =
      getReorderNs(problem, contraction) + 2 * problem.device.libraryCallNs;
  contraction = withChannelsLast(contraction);
  contraction.outputDim = contraction.result.getRank() - 1;
  return assumePacked(contraction);
}

/// Whether the eager tier calls the library on copies in f32 (ThroughFloat in
/// the eager tier). The library does not support f16, so all operands are
/// widened to f32, and the result is rounded to f16.
bool isThroughF32(const CostProblem &problem) {
  return getElementTypeOrSelf(problem.op->getResult(0)).isF16();
}

/// The time to make the copies in f32. Large copies are allocated anew at each
/// call.
double getThroughF32Ns(const CostProblem &problem) {
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

/// Whether the library computes bf16 in f32, by matrix products that convert
/// the operands while they copy them: it has no other code for AVX2. On a Zen
/// 3, a product of 128 x 768 x 768 takes 2.06 ms in bf16 and 1.91 ms in f32.
bool widensBF16(const CostProblem &problem) {
  return problem.core.vectorBits < 512 &&
         getElementTypeOrSelf(problem.op->getResult(0)).isBF16();
}

/// Returns `contraction` in the type in which the library computes it: f32
/// instead of f16, and instead of bf16 if widensBF16().
Contraction withLibraryFormat(const CostProblem &problem,
                              Contraction contraction) {
  if (!isThroughF32(problem) && !widensBF16(problem))
    return contraction;
  contraction.result =
      contraction.result.clone(contraction.getFormat().compute);
  return contraction.inputsTogether > 1 ? assumePacked(contraction)
                                        : contraction;
}

} // namespace

ContractionCost estimateLibraryCost(CostProblem problem,
                                    const Contraction *contraction) {
  std::optional<Contraction> reordered;
  double changeNs = getThroughF32Ns(problem);
  if (isThroughF32(problem))
    problem.cost.bytes *= 2;
  if (contraction) {
    double imagesNs = 0;
    reordered = withLibraryImages(
        problem, withLibraryFormat(problem, *contraction), imagesNs);
    changeNs += imagesNs + getWeightsNs(problem, *reordered);
  }
  double flops = double(problem.cost.flops);
  double cycles = getLibraryCycles(problem, reordered ? &*reordered : nullptr);
  int64_t workers = flops < kLibraryThreadFlops ? 1 : problem.device.cores;
  bool isMatrixProduct = reordered && !isChannelsLast(*reordered);
  ContractionCost cost = getCostOfCycles(
      ContractionWay::Library, problem, cycles, workers,
      workers > 1 && isMatrixProduct ? problem.shares.library.matrixThreads
                                     : 1);
  cost.startNs += changeNs + problem.device.libraryCallNs +
                  (workers > 1 ? problem.device.libraryWakeNs : 0);
  return cost;
}

/// The bytes of the operands whose channels are not last, which the library
/// reorders.
static double getReorderedBytes(ir::ConvBackwardWeightsOp op) {
  double bytes = 0;
  for (auto [value, layout] :
       {std::pair{op.getInput(), op.getLayout().getInput()},
        std::pair{op.getGradient(), op.getLayout().getOutput()}})
    if (layout.back() != 'C')
      bytes += double(
          ir::toTandemType(cast<RankedTensorType>(value.getType())).bytes());
  return bytes;
}

double estimateLibraryNs(ir::ConvBackwardWeightsOp op,
                         const DeviceModel &device) {
  const CostProblem problem{op,
                            /*isConstant=*/false,
                            device,
                            *op.getCost(),
                            getCoreModel(device),
                            CPUShares::of(device)};
  const LibraryShares &library = problem.shares.library;
  const double cycles = double(problem.cost.flops) /
                        getFlopsPerCycle(problem.core) /
                        library.weightsGradient;
  ContractionCost cost = getCostOfCycles(ContractionWay::Library, problem,
                                         cycles, device.cores, 1);
  const double moved = 2 * getReorderedBytes(op);
  cost.startNs += device.libraryCallNs +
                  (device.cores > 1 ? device.libraryWakeNs : 0) +
                  library.reorderFactor * moved / device.bytesPerNs(2 * moved);
  return cost.getNs();
}

} // namespace tandem
