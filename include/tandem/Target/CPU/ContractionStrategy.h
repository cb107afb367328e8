//===- ContractionStrategy.h - How contractions are tiled ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H
#define TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H

#include "tandem/Analysis/Contraction/Contraction.h"
#include "tandem/Analysis/CostModel.h"

#include <cstdint>
#include <optional>

namespace tandem {

/// What a strategy depends on, of one core: getMachine().
struct ContractionMachine {
  /// Bits of a vector register.
  unsigned vectorBits = 512;
  /// Of the first and the second-level cache of a core.
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20;
  int64_t lineBytes = 64;
  /// Of the level that all cores have in common.
  int64_t lastLevelBytes = 32 << 20;
  /// Bytes a cycle that a core reads from its second-level cache, from the last
  /// level and from memory, while all others do.
  double l2BytesPerCycle = 51, lastLevelBytesPerCycle = 25,
         memoryBytesPerCycle = 13;
  /// Cores that tasks are shared among.
  int64_t cores = 1;
  /// Whether it multiplies and adds pairs of bf16, and how many in the time of
  /// a multiply-add of f32.
  bool hasBF16 = false;
  double pairsPerFma = 1;
  /// What a strategy calls cycles, while all of the device's cores run.
  double cyclesPerNs = 1;

  /// Whether pairs are worth it: else they are two multiply-adds of f32.
  bool usesPairs() const { return hasBF16 && pairsPerFma >= 0.5; }
  double getVectorBytes() const { return vectorBits / 8.0; }
  int64_t getRegisters() const { return vectorBits == 512 ? 32 : 16; }
  /// Rows of a tile of `vectors`: beside its sums there are weights, and data
  /// that is broadcast unless an instruction does it as it loads.
  int64_t getMostRows(int64_t vectors) const {
    int64_t others = vectors + (vectors > 1 || vectorBits < 512 ? 1 : 0);
    return (getRegisters() - others) / vectors;
  }
};

/// One core of `device`.
ContractionMachine getMachine(const DeviceModel &device);
/// The operations of a core that always multiplies and adds, in what a strategy
/// calls a cycle; with a device's peak it gives their time.
double getFlopsPerCycle(ContractionMachine machine);

/// How a contraction runs: a register tile of `rows` x `vectors` accumulators
/// walks over positions and outputs. Rows are positions of the innermost
/// spatial dim where positions do not run along the lanes, else outputs. Where
/// inputs do, the tile is `rows` x `width` accumulators of `sumWidth` lanes,
/// and the sums of a row become one vector.
struct ContractionStrategy {
  ContractionLanes lanes = ContractionLanes::Outputs;
  /// Elements of a vector of the result.
  int64_t width = 16;
  /// Inputs in a vector, where these run along the lanes.
  int64_t sumWidth = 1;
  int64_t rows = 1, vectors = 1;
  /// Where not 0, sums are in memory and not in registers, and so many rows of
  /// the weights, one for each input, are added to them in one pass: the gaxpy
  /// of Golub and Van Loan, Matrix Computations, 1.1.4. `rows` are all
  /// positions then, and `vectors` the least that is worth a task.
  int64_t passInputs = 0;
  /// Where not 0, each tile prefetches what the tile below it, in the next row
  /// of the spatial dim around the innermost one, will read and write that no
  /// tile before has, in lines of so many bytes.
  int64_t prefetchBytes = 0;
  /// Whether each task first copies the data that it reads, in the format's
  /// compute type: all its tiles would convert it again.
  bool widensData = false;
  /// Estimated cycles of the whole on one core.
  double cycles = 0;

  int64_t getLanes() const { return vectors * width; }
  bool isGaxpy() const { return passInputs > 0; }
};

/// Whether groups run along the lanes, and the weights of all taps of the
/// innermost dim stay in registers while the data slides past them.
bool slidesOverTaps(const Contraction &contraction, ContractionLanes lanes);

/// The tile of least cost; `contraction` has lanes. `mayWiden`: tasks may have
/// copies of the data.
ContractionStrategy chooseContractionStrategy(const Contraction &contraction,
                                              ContractionMachine machine,
                                              bool mayWiden = true);

/// The gaxpy for weights that are read as they lie and come from beyond the
/// second-level cache, which uses them once: whole rows of theirs are better
/// streams than pieces as narrow as a tile of registers. Nothing where it is
/// not possible.
std::optional<ContractionStrategy> chooseGaxpy(const Contraction &contraction,
                                               ContractionMachine machine);

/// Whether `inPlace`, a gaxpy or dot products that use each of such weights
/// once, takes no longer than `packed`, tiles of registers on the same weights
/// packed, shared among the cores of `machine`.
bool isAsFastAsPacked(const ContractionStrategy &inPlace,
                      const ContractionStrategy &packed,
                      const Contraction &contraction,
                      ContractionMachine machine);

/// Whether products are of pairs of bf16 inputs.
bool hasPairs(const Contraction &contraction, ContractionLanes lanes);

/// Outputs in a block of packed weights ([groups][outputs / block][taps]
/// [inputs][block], see docs/Contractions.md) with which `hero`
/// reads its weights in order; nothing where they are better read as they are.
/// `isConstant`: packing costs nothing when the program runs.
std::optional<int64_t> getPackedBlock(mlir::Operation *hero, bool isConstant,
                                      ContractionMachine machine);
std::optional<int64_t> getPackedBlock(mlir::Operation *hero,
                                      Contraction contraction, bool isConstant,
                                      ContractionMachine machine);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONSTRATEGY_H
