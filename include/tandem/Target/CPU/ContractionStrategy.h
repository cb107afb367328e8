//===- ContractionStrategy.h - The tiling of contractions -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H
#define TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Target/CPU/ContractionForms.h"

#include <cstdint>
#include <optional>

namespace tandem {

/// The properties of one core that a tiling strategy depends on. getCoreModel()
/// derives them from a DeviceModel.
struct CoreModel {
  /// Bits of a vector register.
  unsigned vectorBits = 512;
  /// Sizes of the core's first-level and second-level cache, in bytes.
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20;
  int64_t lineBytes = 64;
  /// Size of the last-level cache, which all cores share, in bytes.
  int64_t lastLevelBytes = 32 << 20;
  /// Bytes per cycle that a core reads from its second-level cache, from the
  /// last level and from memory, while all other cores do the same.
  double l2BytesPerCycle = 51, lastLevelBytesPerCycle = 25,
         memoryBytesPerCycle = 13;
  /// KernelShares::partialRowStoreCycles.
  double partialRowStoreCycles = 41;
  /// The number of cores that tasks are divided among.
  int64_t cores = 1;
  /// Whether the core multiplies and adds pairs of bf16, and how many such
  /// instructions it starts in the time of one f32 multiply-add.
  bool hasBF16 = false;
  double pairsPerFma = 1;
  /// Whether the core has vpdpbusd, which multiplies and adds quads of integers
  /// of 8 bits.
  bool hasVNNI = false;
  /// Whether the core has vpmaddwd for whole vectors, which multiplies and adds
  /// pairs of integers of 16 bits.
  bool hasWordPairs = false;
  /// Whether the core has a matrix unit (AMX) for integers of 8 bits.
  bool hasAMXInt8 = false;
  /// The clock of the core in cycles per nanosecond while all cores of the
  /// device run. Strategies count the same cycles.
  double cyclesPerNs = 1;

  /// Whether instructions on pairs of bf16 pay. Otherwise a pair is computed as
  /// two f32 multiply-adds.
  bool usesPairs() const { return hasBF16 && pairsPerFma >= 0.5; }
  double getVectorBytes() const { return vectorBits / 8.0; }
  int64_t getRegisters() const { return vectorBits == 512 ? 32 : 16; }
  /// Returns the maximum number of rows of a register tile that is `vectors`
  /// vectors wide. In addition to the sums, registers hold the weights. They
  /// also hold the broadcast data, unless an instruction broadcasts the data
  /// while loading.
  int64_t getMostRows(int64_t vectors) const {
    int64_t others = vectors + (vectors > 1 || vectorBits < 512 ? 1 : 0);
    return (getRegisters() - others) / vectors;
  }
};

/// The properties of one core of `device`.
CoreModel getCoreModel(const DeviceModel &device);
/// Returns the number of operations per cycle of a core that only issues
/// multiply-adds, in the cycles that strategies count. A device's peak speed
/// divided by this number is a rate in cycles per time, which converts cycles
/// to time.
double getFlopsPerCycle(CoreModel core);

/// How a contraction is tiled: a register tile of `rows` x `vectors`
/// accumulators walks over positions and outputs. Rows are positions of the
/// innermost spatial dim; where positions run along the lanes, rows are
/// outputs. Where inputs run along the lanes, the tile is `rows` x `width`
/// accumulators of `sumWidth` lanes, and the sums of a row become one vector.
struct ContractionStrategy {
  VectorizedDim vectorizedDim = VectorizedDim::OutputChannel;
  /// Number of elements of a vector of the result.
  int64_t width = 16;
  /// Number of inputs in a vector, where inputs run along the lanes.
  int64_t sumWidth = 1;
  int64_t rows = 1, vectors = 1;
  /// If not 0, the strategy is a gaxpy (Golub and Van Loan, Matrix
  /// Computations, 1.1.4): sums are kept in memory instead of registers, and
  /// each pass adds this many rows of the weights, one per input, to them.
  /// `rows` is then the number of all positions, and `vectors` is the minimum
  /// number of vectors per task.
  int64_t passInputs = 0;
  /// If `prefetchBytes` is not 0, each tile prefetches memory for a later tile,
  /// in lines of `prefetchBytes` bytes. If `tilesAhead` is not 0, the tile
  /// prefetches the data of the tile that comes `tilesAhead` tiles later. If
  /// `tilesAhead` is 0, the tile prefetches for the tile in the next row of the
  /// second innermost spatial dim: the data that no earlier tile reads, and the
  /// results.
  int64_t prefetchBytes = 0, tilesAhead = 0;
  /// Whether each task first copies the data that it reads and converts it to
  /// the format's compute type, so that its tiles do not convert it again and
  /// again.
  bool widensData = false;
  /// Whether each task first copies the weights of its tile of outputs to a
  /// buffer, in the order in which they are read and in the compute type.
  bool copiesWeights = false;
  /// If not 0, a matrix unit (AMX) computes the tile: each of its instructions
  /// sums the products of so many inputs, for the rows of one tile register and
  /// one vector of outputs.
  int64_t matrixInputs = 0;
  /// Whether each task first copies the data that it reads, with zeros as the
  /// padding of the innermost spatial dim.
  bool padsData = false;
  /// Estimated cycles of the whole contraction on one core.
  double cycles = 0;

  int64_t getLanes() const { return vectors * width; }
  bool isGaxpy() const { return passInputs > 0; }
  bool usesMatrixUnit() const { return matrixInputs > 0; }
  bool stagesData() const { return widensData || padsData; }
  /// The number of tile registers that hold the rows of one vector of a tile of
  /// a matrix unit.
  int64_t getTileRegisters() const {
    constexpr int64_t kRowsOfRegister = 16;
    return (rows + kRowsOfRegister - 1) / kRowsOfRegister;
  }
};

/// Whether groups run along the lanes, and the weights of all taps of the
/// innermost dim stay in registers while the tile slides over the data.
bool slidesOverTaps(const Contraction &contraction,
                    VectorizedDim vectorizedDim);

/// Chooses the register tile with the least estimated cost.
/// getVectorizedDim(contraction) must have a value. Tasks may copy data or
/// weights only if `mayCopy` is set.
ContractionStrategy chooseContractionStrategy(const Contraction &contraction,
                                              CoreModel core,
                                              bool mayCopy = true);

/// Chooses a gaxpy for weights that are not packed, are used once, and do not
/// fit the second-level cache: reading whole rows of them is faster than
/// reading pieces as narrow as a register tile. Returns nothing if a gaxpy is
/// not possible.
std::optional<ContractionStrategy> chooseGaxpy(const Contraction &contraction,
                                               CoreModel core);

/// Whether `inPlace`, a gaxpy or dot products on weights that are not packed,
/// takes no longer than `packed`, register tiles on the same weights after
/// packing, when divided among `core.cores` cores.
bool isAsFastAsPacked(const ContractionStrategy &inPlace,
                      const ContractionStrategy &packed,
                      const Contraction &contraction, CoreModel core);

/// Whether products are computed for pairs or quads of inputs.
bool hasPairs(const Contraction &contraction, VectorizedDim vectorizedDim);

/// The number of outputs in a block of packed weights ([groups][outputs /
/// block][taps][inputs][block], see docs/Contractions.md) with which a tile of
/// `hero` reads its weights in memory order, as vectors or one by one. Returns
/// nothing if it is better not to pack the weights. `isConstant` says that the
/// weights are constant, so that packing costs nothing at run time.
std::optional<int64_t> getPackedBlock(mlir::Operation *hero, bool isConstant,
                                      CoreModel core);
std::optional<int64_t> getPackedBlock(mlir::Operation *hero,
                                      Contraction contraction, bool isConstant,
                                      CoreModel core);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H
