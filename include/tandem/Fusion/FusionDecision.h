//===- FusionDecision.h - Fusion decisions with their reasons ---*- C++ -*-===//
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

/// The reason why two things were not fused. FusionDecision::str has a text for
/// each. Names in parentheses are the numbers or the text that a refusal
/// carries; "(ns, ns)" are the estimated times of fusing and of not fusing.
enum class FusionRefusal : uint8_t {
  None,
  /// A type is not static.
  DynamicShape,
  /// The result has no elements.
  NoElements,
  /// It is not an op of the op table (Ops.def), or has several results.
  NotAnOp,
  /// Its elements cannot be computed one at a time (softmax, custom_call).
  NotElementwise,
  /// It is a contraction, reduction or window that reads too many elements per
  /// result: (reads, limit).
  TooManyReads,
  /// It is a concat of so many operands that choosing among them for each
  /// element would be slow: (operands, limit).
  TooManyOperands,
  /// It is a concat, and most of its bytes can be computed where they belong in
  /// the result, so that the op step need not copy them.
  WrittenInPlace,
  /// It is a slice of an argument or a constant, of which the op step makes a
  /// view.
  ViewOfArgument,
  /// The index of the element that it reads is not affine, or needs divisions.
  NoSimpleIndexing,
  /// Each consumer is an op step or the end of the function.
  ConsumerNotFusible,
  /// The value is also an input of an op step, or an output of the function.
  NeededOutside,
  /// Its kernel has several results, and no consumer reads all of them.
  SeveralResults,
  /// The kernel's body would become too large: (element reads, limit).
  BodyTooLarge,
  /// The kernel would have too many results: (results, limit).
  TooManyResults,
  /// Computing it in the consumers, possibly many times, costs more than a
  /// kernel of its own: (ns, ns).
  RecomputeCostsMore,
  /// The loops run over different spaces.
  DifferentIterationSpace,
  /// The fused kernel would depend on its own result.
  WouldCycle,
  /// No kernel can be generated with this op as its hero: (text).
  NotGenerated,
  /// The op costs no more as part of a loop kernel: (ns, ns).
  LoopCostsLess,
  /// The library computes it in less time: (ns, ns).
  LibraryCostsLess,
  /// It is not elementwise, so it cannot be part of a hero's kernel.
  NotElementwiseOp,
  /// It is a window or reduction over a contraction's result that would combine
  /// elements that different tasks compute: (text).
  AcrossTiles,
  /// For this window, a task would have to keep too much of a contraction's
  /// result: (bytes, limit).
  PartTooLarge,
  /// A contraction also reads it as weights or bias, which must be in memory.
  NotFromMemory,
  /// The tasks of a contraction cannot stage the data that they read: (text).
  NotStaged,
  /// Its shape is not one that the hero's kernel iterates over.
  DifferentShape,
  /// It reads the hero's result, or a value computed from it, at another index
  /// than its own.
  NotReadInPlace,
  /// It is part of another kernel already.
  Taken,
  /// It is a reduction of few elements, and no op on the elements that it
  /// reduces uses its result: (reads, limit).
  SmallReduction,
  /// It is a reshape whose users are not in the kernel. Outside the kernel it
  /// costs nothing.
  ViewAtEdge,
  /// It only makes the result of the kernel wider, with more bytes for each
  /// element. The readers of the result compute it.
  LeftToReaders,
  /// The kernel has fewer rows than the device has cores: (ns, ns).
  FewRows,
  /// No call of a library computes it with the contraction: (text).
  NotInLibraryCall,
  /// One of the two kernels updates an input of the function (tandem.updates),
  /// and the other one reads this input at another index than its own.
  /// Together, they could not write the result to the memory of the input.
  UpdateNotInPlace,
  /// It belongs to another phase of a training step, and phases are kept apart.
  OtherPhase,
  /// The limit of --fusion-fuel is reached.
  OutOfFuel,
};
inline constexpr unsigned kNumFusionRefusals =
    static_cast<unsigned>(FusionRefusal::OutOfFuel) + 1;

/// The answer to one question "may A fuse into B": yes, or no with a reason.
/// Cheap to make; the text is rendered on demand.
class FusionDecision {
public:
  /// The answer yes.
  static FusionDecision allow() { return {}; }
  /// The answer no, for the refusals that carry a text. `text` is a clause.
  static FusionDecision refuse(FusionRefusal reason, std::string text) {
    FusionDecision decision = refuse(reason);
    decision.text = std::move(text);
    return decision;
  }
  /// The answer no. `actual` and `limit` are the two numbers, for the refusals
  /// that carry numbers.
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
  /// The reason as a clause: "it reads 576 elements per result, more than 32".
  std::string str() const;

private:
  FusionRefusal refusal = FusionRefusal::None;
  int64_t actual = 0, limit = 0;
  std::string text;
};

/// The identifier of a refusal, as reports have it: "TooManyReads".
llvm::StringRef name(FusionRefusal refusal);

/// The kind of fusion that a question is about.
enum class FusionQuestion : uint8_t {
  /// May a producer be computed within a consumer's kernel?
  ProducerConsumer,
  /// May a producer be computed in a consumer's kernel and stored as one more
  /// result?
  MultiOutput,
  /// May two kernels that read the same value be joined? The "producer" is the
  /// root of the other kernel.
  Siblings,
  /// May an op become the hero of a kernel? There is no consumer.
  Hero,
  /// May an elementwise op, the "producer", be computed in the kernel of a
  /// hero, the "consumer", before or after it?
  PrologueOrEpilogue,
};

/// The identifier of a question, as reports have it: "ProducerConsumer".
llvm::StringRef name(FusionQuestion question);

/// The estimates of the cost model for one question, in nanoseconds. Zero where
/// the answer does not depend on them (an op that may not be fused at all).
struct FusionCost {
  double unfusedNs = 0;
  double fusedNs = 0;
  /// Bytes that the fusion saves writing to and reading from memory.
  int64_t bytesSaved = 0;
};

/// One question, its answer and its estimated costs.
struct FusionLogEntry {
  FusionQuestion question;
  mlir::Operation *producer;
  /// The root of the consumer's kernel; null where the question is not about a
  /// single consumer.
  mlir::Operation *consumer;
  FusionDecision decision;
  FusionCost cost;
};
using FusionLog = std::vector<FusionLogEntry>;

/// A budget of fusions that may be done, so that a wrong one can be found by
/// bisection.
class FusionFuel {
public:
  /// `units` is the number of fusions; negative for no limit.
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
