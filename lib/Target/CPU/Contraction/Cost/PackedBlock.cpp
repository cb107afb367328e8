//===- PackedBlock.cpp - In which blocks weights are packed ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionStrategy.h"

using namespace mlir;

namespace tandem {

/// The number of bytes that are read or written per cycle when weights are
/// packed.
static constexpr double kPackedBytesPerCycle = 4;
/// Constant weights are not packed if the kernel takes at most this share of
/// the time without packing. Although both estimates have errors, such a kernel
/// is surely faster.
static constexpr double kSurelyLess = 0.8;

std::optional<int64_t> getPackedBlock(Operation *hero, Contraction contraction,
                                      bool isConstant, CoreModel core) {
  if (!canPackWeights(hero, contraction, isConstant))
    return std::nullopt;
  flattenPositions(contraction);
  std::optional<ContractionStrategy> inPlace;
  if (getVectorizedDim(contraction))
    inPlace = chooseContractionStrategy(contraction, core);
  Contraction ordered = assumePacked(contraction);
  bool isInOrder = contraction.outputStride == ordered.outputStride &&
                   contraction.inputsTogether == ordered.inputsTogether;
  ContractionStrategy packed = chooseContractionStrategy(ordered, core);
  double bytes = 2.0 * double(contraction.getFormat().bytes) *
                 double(contraction.getReduction()) *
                 double(contraction.outputChannels * contraction.groups);
  double limit = isConstant ? kSurelyLess * packed.cycles
                            : packed.cycles + bytes / kPackedBytesPerCycle;
  if (inPlace && inPlace->cycles <= limit)
    return std::nullopt;
  if (inPlace && isAsFastAsPacked(*inPlace, packed, contraction, core))
    return std::nullopt;
  int64_t block = packed.vectorizedDim == VectorizedDim::Spatial
                      ? packed.rows
                      : packed.getLanes();
  // Constant weights that do not fill a block are padded with zeros, so that no
  // load needs a mask.
  bool isWhole = isConstant ? block == contraction.outputChannels
                            : block >= contraction.outputChannels;
  if (isInOrder && isWhole)
    return std::nullopt;
  return block;
}

std::optional<int64_t> getPackedBlock(Operation *hero, bool isConstant,
                                      CoreModel core) {
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return std::nullopt;
  return getPackedBlock(hero, *contraction, isConstant, core);
}

} // namespace tandem
