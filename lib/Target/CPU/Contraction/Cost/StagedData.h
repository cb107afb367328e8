//===- StagedData.h - Data that a contraction stages ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops before a contraction (its prologue) are computed within its kernel by
// staging: each task computes the data that it reads into its workspace, which
// stays in the second-level cache while the tiles of outputs pass over it. A
// task stages one contiguous range of the data, from the first to the last
// element that its positions read. The scheme is that of packing a block of one
// operand (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", ACM TOMS 34(3), 2008), except that elements keep their
// order.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H

#include "tandem/Target/CPU/ContractionForms.h"

namespace tandem {

struct ContractionStrategy;
struct ProductRates;

/// The largest number of bytes that a task stages in its workspace: half of a
/// second-level cache of 1 MiB.
inline constexpr int64_t kMaxStagedBytes = 512 << 10;

/// kWantedTasks is the number of tasks at which threads are busy evenly enough.
/// A task should have at least kMinPositionsPerTask positions, so that it pays
/// to load the weights from a distant cache.
inline constexpr int64_t kWantedTasks = 16, kMinPositionsPerTask = 56;
/// The number of positions for which a task should use the weights that it
/// loads, if there are many tasks.
inline constexpr int64_t kPositionsPerTask = 112;

/// Number of elements at one position of the data: the input channels of all
/// groups.
inline int64_t getStagedInputs(const Contraction &contraction) {
  return contraction.groups * contraction.inputChannels;
}

/// Whether the tasks of `contraction` can stage their data. If not, the Error
/// gives the reason as a phrase whose subject is the contraction, such as "has
/// data of one element". The answer holds whether or not positions are merged
/// afterwards (flattenPositions).
Status checkStaged(const Contraction &contraction);

/// Whether a prologue can compute the data: like checkStaged, but data of
/// integers of 8 bits is refused.
Status checkPrologue(const Contraction &contraction);

/// The smallest number of steps along the outermost spatial dim that a task
/// should have. With this number, a task shares at most half as many rows with
/// its neighbor as it stages for itself.
int64_t getLeastSteps(const Contraction &contraction);

/// The average number of times that each element of the data is staged by at
/// most `chunks` tasks along the positions. It exceeds 1 if neighboring tasks
/// read some of the same rows.
double getStagedShare(const Contraction &contraction, int64_t chunks);

/// Whether tasks can convert the data before the tiles read it, which pays if
/// there are many tiles. This requires that tiles broadcast the data, because
/// only then is no other operand converted with it. For `areWords` see
/// multipliesWords.
bool canWidenData(const Contraction &contraction, VectorizedDim vectorizedDim,
                  bool areWords);

/// Whether tasks can copy whole rows of the data and pad them.
bool canPadRows(const Contraction &contraction);

/// Returns `contraction`, changed to read data whose rows, along the innermost
/// spatial dim, include their padding.
Contraction withPaddedRows(Contraction contraction);

/// The cycles in which all tasks copy their data. Data that several tasks read
/// is copied several times.
double getWideningCycles(const Contraction &contraction,
                         const ContractionStrategy &tile,
                         const ProductRates &rates);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H
