//===- WideningChains.h - Values that are kept narrow -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_WIDENINGCHAINS_H
#define TANDEM_LIB_FUSION_DECISION_WIDENINGCHAINS_H

#include "Decision/PlanState.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tandem {

/// A chain of elementwise ops that computes a value from a value with fewer
/// bytes. An example is a dequantization, which makes four bytes from each
/// byte.
struct WideningChain {
  /// The value with fewer bytes.
  mlir::Value source;
  /// The ops of the chain, from the last to the first. No op outside of the
  /// chain reads their results, except the result of the last op.
  llvm::SmallVector<mlir::Operation *, 4> ops;
};

/// Returns the chain that computes `value`. If there is none, the source of the
/// result is null. The ops of a chain do so little arithmetic that each reader
/// can repeat it.
WideningChain findWideningChain(PlanState &state, mlir::Value value);

/// Returns the ops of chains at the end of the epilogues of contractions that
/// the readers of their results can compute instead. The contractions should
/// then return the narrow values. Plans the contractions on a copy of `state`
/// to find these ops, unless the block has no ops that widen.
llvm::SmallPtrSet<mlir::Operation *, 8>
findOpsOfReaders(const PlanState &state);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_WIDENINGCHAINS_H
