//===- StagedData.h - Data that a contraction copies as it goes *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands before a contraction (its prologue) is computed in its kernel by
// staging: a task computes the data that it reads into its workspace,
// which stays in the second-level cache while the tiles of outputs pass over
// it. What a task reads is one range of the data: all that lies between the
// first and the last element that its positions see. The scheme is that of
// packing a block of one operand (Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008), except that
// elements keep their order.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H

#include "tandem/Analysis/Contraction/Contraction.h"

namespace tandem {

/// Most bytes that a task copies into its workspace: what half of a
/// second-level cache holds.
inline constexpr int64_t kMaxStagedBytes = 512 << 10;

/// Tasks that are enough to share out evenly, and positions of each for which
/// weights that come from far are used.
inline constexpr int64_t kWantedTasks = 16, kMinPositionsPerTask = 56;

/// Elements of one position of the data: the inputs of all groups.
inline int64_t getStagedInputs(const Contraction &contraction) {
  return contraction.groups * contraction.inputChannels;
}

/// Why the tasks of `contraction` cannot copy what they read, as the rest of a
/// sentence about it; empty when they can. Positions may or may not become one
/// dim (flattenPositions) afterwards.
std::string whyNotStaged(const Contraction &contraction);

/// Steps of the outermost spatial dim that a task has at least: with so many,
/// what neighbours both copy is no more than half of what it copies alone.
int64_t getLeastSteps(const Contraction &contraction);

/// How many times the elements of its data are copied by `chunks` tasks or
/// fewer, which share out the positions and of which neighbours read the same
/// rows.
double getStagedShare(const Contraction &contraction, int64_t chunks);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_STAGEDDATA_H
