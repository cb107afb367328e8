//===- FusionDecision.h - May A fuse into B, and why not --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_FUSIONDECISION_H
#define TANDEM_FUSION_FUSIONDECISION_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace tandem {

/// Why two things were not fused. Each has a text in FusionDecision::str.
enum class FusionRefusal : uint8_t {
  None,
  /// A type is not static.
  DynamicShape,
  /// The result has no elements.
  NoElements,
  /// Not an op of the table, or one with several results.
  NotAnOp,
  /// Elements cannot be computed one at a time (softmax, custom_call).
  NotElementwise,
  /// A heavy contraction, reduction or window: (reads, limit).
  TooManyReads,
  /// The index of the element read is not affine, or needs divisions.
  NoSimpleIndexing,
  /// Every consumer is an op step or the end of the function.
  ConsumerNotFusible,
  /// The value is an input of an op step, or an output, as well.
  NeededOutside,
  /// The kernel's body would become too large: (element reads, limit).
  BodyTooLarge,
  /// The kernel would have too many results: (results, limit).
  TooManyResults,
  /// Computing again costs more than storing and loading: (ns, ns).
  RecomputeCostsMore,
  /// The loops run over different spaces.
  DifferentIterationSpace,
  /// The fused kernel would depend on its own result.
  WouldCycle,
  /// --fusion-fuel is spent.
  OutOfFuel,
};
inline constexpr unsigned kNumFusionRefusals =
    static_cast<unsigned>(FusionRefusal::OutOfFuel) + 1;

/// The answer to one question "may A fuse into B": yes, or no with a reason.
/// Costs nothing to make; the text is rendered on demand.
class FusionDecision {
public:
  static FusionDecision allow() { return {}; }
  /// `actual` and `limit` are the two numbers of the refusals that name some.
  static FusionDecision refuse(FusionRefusal reason, int64_t actual = 0,
                               int64_t limit = 0) {
    FusionDecision decision;
    decision.refusal = reason;
    decision.actual = actual;
    decision.limit = limit;
    return decision;
  }

  explicit operator bool() const { return refusal == FusionRefusal::None; }
  FusionRefusal reason() const { return refusal; }
  /// One clause, for people: "it reads 576 elements per result, more than 32".
  std::string str() const;

private:
  FusionRefusal refusal = FusionRefusal::None;
  int64_t actual = 0, limit = 0;
};

/// The identifier of a refusal: "TooManyReads".
llvm::StringRef name(FusionRefusal refusal);

/// What was asked about a pair: computing a producer within a consumer's
/// kernel; storing it there as one more result; or joining two kernels that
/// read the same value. In the last the "producer" is the other kernel's root.
enum class FusionQuestion : uint8_t { Produce, ExtraResult, Siblings };

struct FusionLogEntry {
  FusionQuestion question;
  mlir::Operation *producer;
  /// Root of the consumer's kernel; null where no one consumer was asked.
  mlir::Operation *consumer;
  FusionDecision decision;
};
using FusionLog = std::vector<FusionLogEntry>;

/// A budget of decisions that may be taken, so that a wrong one can be found by
/// bisection.
class FusionFuel {
public:
  /// Negative: no limit.
  explicit FusionFuel(int64_t units) : left(units) {}
  bool empty() const { return left == 0; }
  void consume() {
    if (left > 0)
      --left;
  }

private:
  int64_t left;
};

} // namespace tandem

#endif // TANDEM_FUSION_FUSIONDECISION_H
