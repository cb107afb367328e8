//===- CopiedWeights.h - Weights that tasks put in order --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights that are not packed are stored in rows that span all outputs. A tile
// reads a short piece of each row. The pieces compete for few sets of the
// first-level cache, each piece is in a page of its own, and the accesses are
// too irregular for the hardware prefetcher. A task of many positions therefore
// first copies the pieces of its tile of outputs to contiguous memory and
// converts them to the type that getCopyType returns (Goto and van de Geijn,
// "Anatomy of High-Performance Matrix Multiplication", TOMS 34, 2008).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COPIEDWEIGHTS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COPIEDWEIGHTS_H

#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// Whether tasks may make copies in f32 of the weights of a tile, if the lanes
/// of the tile are outputs.
bool canCopyWeights(const Contraction &contraction);

/// Whether the copied weights of `tile` take at most half of the second-level
/// cache, which leaves room for the data.
bool areCopiedWeightsNear(const Contraction &contraction,
                          const ContractionStrategy &tile,
                          const CoreModel &core);

/// The cycles in which all tasks copy weights, in vectors of `width` outputs.
double getCopyCycles(const Contraction &contraction, int64_t width,
                     const CoreModel &core);

/// Whether the weights differ within the batch, and are copied for each row.
bool haveRowsOwnWeights(const Contraction &contraction);

/// Returns `contraction`, changed to read the copied weights of a tile of
/// `lanes` outputs. Weights that are quads of 8-bit integers are copied as
/// 16-bit integers in the layout [taps][quads][halves][lanes][2]. The first
/// half of a quad has its even bytes, and the second half its odd bytes.
Contraction withCopiedWeights(Contraction contraction, int64_t lanes);

/// Returns the cycles that a step loses because each step reads the weights of
/// another row, which do not stay in the first-level cache. `bytes` is the size
/// of the weights that a step reads from its row.
double getRowCycles(const Contraction &contraction, int64_t bytes,
                    const CoreModel &core);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COPIEDWEIGHTS_H
