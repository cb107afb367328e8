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
  /// A concat in whose loop each element would be chosen among too many
  /// operands: (operands, limit).
  TooManyOperands,
  /// The index of the element read is not affine, or needs divisions.
  NoSimpleIndexing,
  /// Every consumer is an op step or the end of the function.
  ConsumerNotFusible,
  /// The value is an input of an op step, or an output, as well.
  NeededOutside,
  /// Its kernel has several results, of which no consumer needs all.
  SeveralResults,
  /// The kernel's body would become too large: (element reads, limit).
  BodyTooLarge,
  /// The kernel would have too many results: (results, limit).
  TooManyResults,
  /// Computing it in the consumers, perhaps many times, costs more than a
  /// kernel of its own: (ns, ns).
  RecomputeCostsMore,
  /// The loops run over different spaces.
  DifferentIterationSpace,
  /// The fused kernel would depend on its own result.
  WouldCycle,
  /// No code can be generated with this op as hero: (text).
  NotGenerated,
  /// As part of a loop it costs no more: (ns, ns).
  LoopCostsLess,
  /// A library computes it in less time: (ns, ns).
  LibraryCostsLess,
  /// Not elementwise, so no part of a hero's kernel.
  NotElementwiseOp,
  /// A window or reduction over a contraction's result, which would combine
  /// what several tasks compute: (text).
  AcrossTiles,
  /// A task would have to keep too much of a contraction's result for it:
  /// (bytes, limit).
  PartTooLarge,
  /// A contraction reads it as weights or bias too, which come from memory.
  NotFromMemory,
  /// A contraction's tasks cannot copy the data that they read: (text).
  NotStaged,
  /// Not of the shapes that a hero's kernel works on.
  DifferentShape,
  /// It reads the hero's result, or what follows from it, at another index.
  NotReadInPlace,
  /// Another kernel has it.
  Taken,
  /// A reduction that gives nothing back to the elements that it reduces, of
  /// few elements: (reads, limit).
  SmallReduction,
  /// A reshape whose users are not in the kernel: outside it costs nothing.
  ViewAtEdge,
  /// The kernel has fewer rows than the device cores: (ns, ns).
  FewRows,
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
  /// `text` is a clause, for the refusals that have one.
  static FusionDecision refuse(FusionRefusal reason, std::string text) {
    FusionDecision decision = refuse(reason);
    decision.text = std::move(text);
    return decision;
  }
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
  std::string text;
};

/// The identifier of a refusal: "TooManyReads".
llvm::StringRef name(FusionRefusal refusal);

/// What was asked.
enum class FusionQuestion : uint8_t {
  /// About a producer: computing it within a consumer's kernel.
  Produce,
  /// About a producer: storing it in a consumer's kernel as one more result.
  ExtraResult,
  /// About two kernels: joining them, which read the same value. The
  /// "producer" is the other kernel's root.
  Siblings,
  /// About one op: making it the hero of a kernel, without a consumer.
  Hero,
  /// About an elementwise op, the "producer": computing it in the kernel of a
  /// hero, the "consumer".
  Around,
};

/// The identifier of a question: "Produce".
llvm::StringRef name(FusionQuestion question);

/// What the cost model says of a question that was asked; zeros where it has no
/// say (an op that may not be fused at all).
struct FusionPrice {
  double unfusedNs = 0;
  double fusedNs = 0;
  /// That need not go through memory.
  int64_t bytesSaved = 0;
};

struct FusionLogEntry {
  FusionQuestion question;
  mlir::Operation *producer;
  /// Root of the consumer's kernel; null where no one consumer was asked.
  mlir::Operation *consumer;
  FusionDecision decision;
  FusionPrice price;
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
