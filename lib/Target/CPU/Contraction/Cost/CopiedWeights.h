//===- CopiedWeights.h - Weights that tasks put in order --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights that are not packed lie in rows of all outputs. A tile reads a short
// piece of each row, so that pieces compete for few sets of the first-level
// cache, lie in a page each, and come too irregularly for the hardware to fetch
// them ahead. A task of many positions copies the pieces of its tile of outputs
// first, one behind the other and in the compute type (Goto and van de Geijn,
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

/// Whether there is room for those of `tile` beside the data in a second-level
/// cache.
bool areCopiedWeightsNear(const Contraction &contraction,
                          const ContractionStrategy &tile,
                          const CoreModel &core);

/// The cycles of all copies.
double getCopyCycles(const Contraction &contraction, int64_t width,
                     const CoreModel &core);

/// Whether the weights differ within the batch, and are copied for each row.
bool haveRowsOwnWeights(const Contraction &contraction);

/// Returns `contraction`, changed to read the copied weights of a tile of
/// `lanes` outputs. Weights that are quads of 8-bit integers are copied as
/// 16-bit integers in the layout [taps][quads][halves][lanes][2]. The first
/// half of a quad has its even bytes, and the second half its odd bytes.
Contraction withCopiedWeights(Contraction contraction, int64_t lanes);

/// Cycles of a step of a tile of `bytes` bytes of outputs, lost to weights that
/// come from another row at each step and do not stay in the first-level cache.
double getRowCycles(const Contraction &contraction, int64_t bytes,
                    const CoreModel &core);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COPIEDWEIGHTS_H
