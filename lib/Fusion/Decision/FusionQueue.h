//===- FusionQueue.h - A priority queue of loop fusions ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_FUSIONQUEUE_H
#define TANDEM_LIB_FUSION_DECISION_FUSIONQUEUE_H

#include "Decision/FusionCandidates.h"

#include <optional>
#include <queue>

namespace tandem {

/// A possible fusion of loops that the planner will consider.
struct FusionProposal {
  /// The kind of fusion. Proposals of one op that save equally much are
  /// considered in this order.
  enum Kind : uint8_t {
    /// Joins the kernels that read `value`.
    Siblings,
    /// Computes `candidate` within all kernels that need its result.
    ProducerConsumer,
    /// Joins `candidate` with one of the kernels that need its result. The
    /// joined kernel stores the results of both.
    MultiOutput,
  };
  Kind kind;
  /// The estimated saving, in nanoseconds, when the proposal was put into the
  /// queue.
  double savedNs;
  /// The position in the block, counted from 1. It is 0 for values that are
  /// defined before the block.
  unsigned position;
  FusionCandidates::Id candidate = 0;
  mlir::Value value;
  /// How many times the proposal has been put into the queue. Only the latest
  /// entry of a proposal counts.
  unsigned number = 0;
};

/// A queue of proposals, ordered by their saving, the largest first, or by
/// position, from the last op to the first (FusionOrder). A proposal that is
/// pushed again replaces its earlier entry.
class FusionQueue {
public:
  explicit FusionQueue(bool isRanked) : less{isRanked}, queue(less) {}

  void push(FusionProposal proposal) {
    proposal.number = ++numbers[getKey(proposal)];
    queue.push(proposal);
  }
  /// Removes and returns the first proposal. Returns nothing if the queue is
  /// empty.
  std::optional<FusionProposal> pop() {
    while (!queue.empty()) {
      FusionProposal proposal = queue.top();
      queue.pop();
      if (proposal.number == numbers[getKey(proposal)])
        return proposal;
    }
    return std::nullopt;
  }
  /// Whether the first proposal in the queue comes before `proposal`.
  bool isPreceded(const FusionProposal &proposal) const {
    return !queue.empty() && less(proposal, queue.top());
  }

private:
  struct Less {
    bool isRanked;
    bool operator()(const FusionProposal &a, const FusionProposal &b) const {
      if (isRanked && a.savedNs != b.savedNs)
        return a.savedNs < b.savedNs;
      if (a.position != b.position)
        return a.position < b.position;
      return a.kind > b.kind;
    }
  };
  using Key = std::pair<const void *, unsigned>;
  static Key getKey(const FusionProposal &proposal) {
    return {proposal.value.getAsOpaquePointer(),
            3 * proposal.candidate + proposal.kind};
  }

  Less less;
  std::priority_queue<FusionProposal, std::vector<FusionProposal>, Less> queue;
  llvm::DenseMap<Key, unsigned> numbers;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_FUSIONQUEUE_H
