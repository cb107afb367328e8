//===- LoopEfficiency.cpp - Contractions as loops -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/LoopEfficiency.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tandem {

/// The loop of a depthwise convolution reads a vector of weights and one of
/// data for each product. Weights of more bytes than this do not stay in the
/// first-level cache from one position to the next. Measured on the list
/// shapes_depthwise.
static constexpr int64_t kNearWeightBytes = 6 * 1024;

/// Lanes of what is computed: 16-bit floats are in 32 bits.
static int64_t getWidth(const DeviceModel &device,
                        const Contraction &contraction) {
  bool isF64 = contraction.result.getElementType().isF64();
  return std::max<int64_t>(device.vectorBits / (isF64 ? 64 : 32), 1);
}

/// Whether the lanes of a vector of `width` read scattered data or weights.
/// Unless lanes are masked, memory between the lanes is read as well, and
/// shuffled away. Rows that are shorter than a vector share one
/// (Schedule::folded); rows of different outputs then read the same data.
static bool readsScattered(const Contraction &contraction, int64_t width) {
  int64_t last = contraction.result.getRank() - 1;
  const Contraction::SpatialDim &inner = contraction.spatial.back();
  bool isDepthwise =
      contraction.inputChannels == 1 && contraction.outputChannels == 1;
  if (inner.resultDim == last)
    return inner.dataStride != 1 || (inner.size < width && !isDepthwise) ||
           inner.stride > (inner.isPadded() ? 1 : kMaxLaneStride);
  if (contraction.outputDim != last)
    return false;
  if (contraction.groups == 1)
    return contraction.outputChannels > 1 && contraction.outputStride != 1;
  return !isDepthwise || contraction.groupDataStride != 1 ||
         contraction.groupWeightsStride != 1;
}

/// The share of the lanes that do useful work. Loops over few products are
/// unrolled, so that they overlap with those of other elements.
static double getLaneUseOfLoop(const Contraction &contraction, int64_t width) {
  constexpr int64_t kOverlappingProducts = 8;
  if (contraction.getReduction() <= kOverlappingProducts)
    return 1;
  int64_t size = contraction.result.getShape().back();
  return double(size) / double(llvm::divideCeilSigned(size, width) * width);
}

static bool hasFarWeights(const Contraction &contraction) {
  int64_t weights = contraction.getReduction() * contraction.groups *
                    contraction.outputChannels * contraction.getFormat().bytes;
  return contraction.groups > 1 && weights > kNearWeightBytes;
}

/// The share of the peak of products that the cache with the data can supply; 1
/// for the first cache, for which the peak was measured. If lanes are
/// positions, a loop reads the data again for each output, with one vector for
/// each product.
static double getShareOfReads(const DeviceModel &device,
                              const Contraction &contraction) {
  int64_t last = contraction.result.getRank() - 1;
  int64_t elementBytes = contraction.getFormat().bytes;
  double bytes = double(contraction.inputChannels * elementBytes);
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    bytes *= double(dim.dataSize);
  bytes *= double(device.cores);
  if (contraction.outputChannels == 1 ||
      contraction.spatial.back().resultDim != last ||
      device.caches.size() < 2 || bytes <= double(device.caches.front().bytes))
    return 1;
  bool isF64 = contraction.result.getElementType().isF64();
  double productsPerNs = device.flopsPerNs(isF64 ? 8 : 4) / 2;
  return device.bytesPerNs(bytes) / double(elementBytes) / productsPerNs;
}

/// Operations for a product of integers of 8 bits, of which a loop widens both
/// factors: two conversions, a multiplication and an addition.
static constexpr double kByteOperations = 4;

double getLoopEfficiency(const DeviceModel &device,
                         const Contraction &contraction) {
  int64_t width = getWidth(device, contraction);
  // Lanes are put into their vector one by one, one a clock.
  if (readsScattered(contraction, width))
    return std::min(device.loopShare,
                    1 / (device.fmasPerClock * double(width)));
  double share =
      hasFarWeights(contraction) ? device.depthwiseLoopShare : device.loopShare;
  if (contraction.areBytesWidened())
    share /= kByteOperations;
  return std::min(getLaneUseOfLoop(contraction, width) * share,
                  getShareOfReads(device, contraction));
}

} // namespace tandem
