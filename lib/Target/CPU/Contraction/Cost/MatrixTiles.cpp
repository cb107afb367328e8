//===- MatrixTiles.cpp - Tiles of a matrix unit ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMX has eight tile registers of 16 rows of 64 bytes. An instruction
// multiplies a register of data (rows of positions, each of up to 16 quads of
// inputs) by a register of weights (rows of quads, each of 16 outputs), and
// adds the products to a register of sums (rows of positions, each of 16
// outputs). All registers of a kernel keep one size: instructions take a number
// of inputs that divides the number of inputs, and the last tile of a row of
// positions begins early enough to be whole.
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionTiles.h"
#include "Contraction/Cost/StagedData.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The number of tile registers, the number of rows of each register, and the
/// number of bytes of a row.
static constexpr int64_t kRegisters = 8, kRegisterRows = 16,
                         kRegisterBytes = 64;
/// The cycles of products for each row of data, and the cycles to load and to
/// store a row of a register (Intel 64 and IA-32 Architectures Optimization
/// Reference Manual, chapter on AMX). A row that crosses a border of cache
/// lines costs another load. Products with a register of weights that was just
/// loaded take at least kLeastCycles, however few rows the data has; loops of
/// both instructions showed this.
static constexpr double kCyclesPerRow = 1, kCyclesPerLoad = 0.5,
                        kCyclesPerStore = 1, kLeastCycles = 16;
/// The cycles to copy one vector of data when a task pads its rows.
static constexpr double kCopyCycles = 2;

/// Returns the number of inputs of all innermost taps if these are adjacent in
/// data and weights, because an instruction may then take inputs of several
/// taps. Otherwise returns the number of inputs of one tap.
static int64_t getAdjacentInputs(const Contraction &contraction) {
  const Contraction::SpatialDim &inner = contraction.spatial.back();
  const int64_t inputs = contraction.inputChannels,
                quads = inputs / contraction.inputsTogether;
  bool areAdjacent = inner.dilation * inner.dataStride == inputs &&
                     (quads == 1 || inner.weightsStride ==
                                        quads * contraction.inputWeightsStride);
  return areAdjacent ? inputs * inner.taps : inputs;
}

/// Whether a matrix unit can multiply: bytes in quads of inputs that are
/// adjacent in the data, and whole vectors of outputs in the weights.
static bool canUseMatrixUnit(const Contraction &contraction,
                             const CoreModel &core) {
  const ElementFormat format = contraction.getFormat();
  return core.hasAMXInt8 && format.isBytes() && format.compute.isInteger() &&
         contraction.inputsTogether == format.packedInputs &&
         contraction.inputChannels % contraction.inputsTogether == 0 &&
         contraction.inputDataStride == 1 && !contraction.bias &&
         getVectorizedDim(contraction) == VectorizedDim::OutputChannel &&
         getWidth(contraction, VectorizedDim::OutputChannel, kRegisterRows) ==
             kRegisterRows;
}

/// The cycles of a tile that adds the products of `steps` quads of inputs to
/// each sum.
static double getMatrixTileCycles(const ContractionStrategy &tile, double steps,
                                  double crossedLines, const CoreModel &core) {
  const auto registers = double(tile.getTileRegisters()),
             rows = double(tile.rows), vectors = double(tile.vectors),
             quads = double(tile.matrixInputs) / 4;
  const double products =
      std::max(kCyclesPerRow * rows, kLeastCycles) * vectors;
  const double loads =
      kCyclesPerLoad * (rows * (1 + crossedLines) + quads * vectors);
  const double ofStep =
      addWeightCycles(std::max(products, loads) / quads, tile.vectorizedDim,
                      vectors, steps, kRegisterBytes, core);
  const double stores = rows * vectors * (kCyclesPerStore + kCyclesPerLoad);
  return steps * ofStep + stores + kTileCycles * (1 + registers);
}

/// The cycles in which tasks copy the data of a contraction to pad its rows.
static double getPaddingCycles(const Contraction &contraction,
                               const ContractionStrategy &tile) {
  ProductRates copies;
  copies.conversions = kCopyCycles;
  ContractionStrategy wide = tile;
  wide.width = kRegisterBytes;
  return getWideningCycles(contraction, wide, copies);
}

std::optional<ContractionStrategy>
chooseMatrixTile(const Contraction &contraction, const CoreModel &core,
                 bool mayCopy) {
  if (!canUseMatrixUnit(contraction, core))
    return std::nullopt;
  ContractionStrategy tile;
  tile.width = kRegisterRows;
  tile.padsData = contraction.spatial.back().isPadded();
  if (tile.padsData && !(mayCopy && canPadRows(contraction)))
    return std::nullopt;
  const int64_t inputs = getAdjacentInputs(contraction);
  tile.matrixInputs =
      contraction.inputsTogether *
      getLargestDivisor(inputs / contraction.inputsTogether, kRegisterRows);
  const TileSpace space =
      getTileSpace(contraction, tile.vectorizedDim, tile.width);
  const double steps =
      double(contraction.getReduction() / contraction.inputsTogether);
  const double crossedLines = inputs % kRegisterBytes == 0
                                  ? 0
                                  : double(tile.matrixInputs) / kRegisterBytes;
  std::optional<ContractionStrategy> best;
  for (int64_t registers = 1; registers <= 2; ++registers)
    for (int64_t vectors = 1;
         registers * (vectors + 1) < kRegisters && vectors <= space.vectors;
         ++vectors) {
      const int64_t rows =
          getEvenShare(space.rows, registers * kRegisterRows) / registers;
      tile.rows = registers * rows;
      tile.vectors = vectors;
      if (tile.getTileRegisters() != registers ||
          getEvenShare(space.vectors, vectors) != vectors ||
          !fitsBlock(contraction, tile))
        continue;
      tile.cycles = getSpaceCycles(space, tile, [&](int64_t, int64_t used) {
        ContractionStrategy part = tile;
        part.vectors = used;
        return getMatrixTileCycles(part, steps, crossedLines, core);
      });
      if (tile.padsData)
        tile.cycles += getPaddingCycles(contraction, tile);
      if (!best || tile.cycles < best->cycles)
        best = tile;
    }
  return best;
}

double getIdleFactor(const Contraction &contraction,
                     const ContractionStrategy &tile, const CoreModel &core) {
  if (!tile.padsData || contraction.spatial.size() > 1)
    return 1;
  const int64_t rows = contraction.getPositions() / contraction.spatial[0].size,
                columns = contraction.groups *
                          llvm::divideCeilSigned(contraction.outputChannels,
                                                 tile.getLanes());
  return double(core.cores) / double(std::min(core.cores, rows * columns));
}

} // namespace tandem
