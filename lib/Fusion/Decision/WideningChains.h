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

/// Elementwise ops that compute a value from one with fewer bytes, such as a
/// dequantization, which makes four bytes of one.
struct WideningChain {
  /// The value with fewer bytes.
  mlir::Value source;
  /// The ops, the last one first. Only the chain reads their results, except
  /// that of the last op.
  llvm::SmallVector<mlir::Operation *, 4> ops;
};

/// The chain that computes `value`; its source is null if there is none. The
/// ops do little arithmetic, so that each reader may do it again.
WideningChain findWideningChain(PlanState &state, mlir::Value value);

/// Plans the contractions of a copy of `state`, if there is a chain at all, and
/// returns the ops of chains
/// at the end of their epilogues whose readers can compute them: the
/// contractions had better return the narrow values.
llvm::SmallPtrSet<mlir::Operation *, 8>
findOpsOfReaders(const PlanState &state);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_WIDENINGCHAINS_H
