//===- DotTiles.cpp - Tiles whose lanes are inputs ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionTiles.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// kStreamsShare is the measured speed of ten concurrent streams from beyond
/// the first-level cache, relative to that of a single stream. An operand stays
/// in the first-level cache if it takes at most the share kNearShare of the
/// cache.
static constexpr double kStreamsShare = 0.75, kNearShare = 0.5;
/// The cycles to sum the lanes of one accumulator, if several are summed at
/// once.
static constexpr double kCyclesPerSum = 3;

namespace {
/// A tile that computes the dot products of `rows` positions and `columns`
/// outputs at a time.
struct DotTile {
  ProductRates rates;
  double rows, columns, steps;
  /// The loads per cycle of operands that are not in the first-level cache.
  double farLoadsPerCycle;
  /// Whether the data of the rows, and the weights of the columns, are still in
  /// the first-level cache from the previous tile.
  bool rowsAreNear, columnsAreNear;

  double getCycles() const {
    double fmas = rows * columns;
    double loads =
        rows / (rowsAreNear ? kLoadsPerCycle : farLoadsPerCycle) +
        columns / (columnsAreNear ? kLoadsPerCycle : farLoadsPerCycle);
    double operations =
        fmas * rates.fmas + (rows + columns) * rates.conversions;
    return steps *
               std::max({operations / kFmasPerCycle, loads, rates.latency}) +
           fmas * kCyclesPerSum + kTileCycles;
  }
};
} // namespace

ContractionStrategy chooseDotTile(const Contraction &contraction,
                                  CoreModel core) {
  ContractionStrategy best;
  best.vectorizedDim = VectorizedDim::InputChannel;
  best.sumWidth = core.vectorBits / 32;
  ElementFormat format = contraction.getFormat();
  int64_t inputs =
      llvm::divideCeilSigned(contraction.inputChannels, format.packedInputs);
  while (best.sumWidth > 2 && inputs <= best.sumWidth / 2)
    best.sumWidth /= 2;
  double steps = double(contraction.getReduction() / contraction.inputChannels *
                        llvm::divideCeilSigned(inputs, best.sumWidth));
  ProductRates rates = getRates(contraction, best.vectorizedDim, core);
  double elementBytes = double(format.bytes);
  int64_t positions = contraction.spatial.back().size;
  double times = double(contraction.getPositions() / positions) *
                 double(contraction.groups);
  for (int64_t columns = 1; columns <= best.sumWidth; columns *= 2)
    for (int64_t rows = 1; rows <= positions; ++rows) {
      // Besides the sums, registers hold one operand and a vector of the other
      // operand; twice as many if pairs are split.
      int64_t others = (std::min(rows, columns) + 1) * int64_t(rates.fmas);
      if (rows * columns + others > core.getRegisters())
        break;
      ContractionStrategy tile = best;
      tile.width = columns;
      tile.rows = rows;
      // All rows are multiplied by one tile of columns before the next tile of
      // columns.
      auto isNear = [&](int64_t vectors) {
        return elementBytes * double(vectors * contraction.getReduction()) <=
               kNearShare * double(core.l1Bytes);
      };
      DotTile whole{rates,
                    double(rows),
                    double(columns),
                    steps,
                    kStreamsShare * core.l2BytesPerCycle /
                        core.getVectorBytes(),
                    rows == positions && isNear(rows),
                    rows < positions && isNear(columns)};
      double cycles = double(positions / rows) * whole.getCycles();
      DotTile last = whole;
      last.rows = double(positions % rows);
      if (last.rows > 0)
        cycles += last.getCycles();
      tile.cycles =
          cycles * times *
          double(llvm::divideCeilSigned(contraction.outputChannels, columns));
      if (best.cycles == 0 || tile.cycles < best.cycles)
        best = tile;
    }
  return best;
}

} // namespace tandem
