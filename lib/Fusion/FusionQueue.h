//===- FusionQueue.h - A priority queue of loop fusions ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_FUSIONQUEUE_H
#define TANDEM_LIB_FUSION_FUSIONQUEUE_H

#include "FusionUnits.h"

#include <optional>
#include <queue>

namespace tandem {

/// A possible fusion of loops that the planner will consider.
struct FusionCandidate {
  /// The kind of fusion. Candidates of one op that save equally much are
  /// considered in this order.
  enum Kind : uint8_t {
    /// Joins the kernels that read `value`.
    Join,
    /// Computes `unit` within all kernels that need its result.
    Produce,
    /// Joins `unit` with one of those kernels into one that stores the results
    /// of both.
    Store,
  };
  Kind kind;
  /// The estimated saving when it was put into the queue, in nanoseconds.
  double savedNs;
  /// The position in the block, from 1; 0 for values that are defined before
  /// the block.
  unsigned position;
  FusionUnits::Id unit = 0;
  mlir::Value value;
  /// How many times the candidate has been put into the queue: only its latest
  /// entry counts.
  unsigned number = 0;
};

/// A queue of candidates, ordered by their saving, the largest first, or by
/// position, from the last op to the first (FusionOrder). A candidate that is
/// pushed again replaces its earlier entry.
class FusionQueue {
public:
  explicit FusionQueue(bool isRanked) : less{isRanked}, queue(less) {}

  void push(FusionCandidate candidate) {
    candidate.number = ++numbers[getKey(candidate)];
    queue.push(candidate);
  }
  /// Removes and returns the first candidate; none if the queue is empty.
  std::optional<FusionCandidate> pop() {
    while (!queue.empty()) {
      FusionCandidate candidate = queue.top();
      queue.pop();
      if (candidate.number == numbers[getKey(candidate)])
        return candidate;
    }
    return std::nullopt;
  }
  /// Whether the first candidate in the queue comes before `candidate`.
  bool isPreceded(const FusionCandidate &candidate) const {
    return !queue.empty() && less(candidate, queue.top());
  }

private:
  struct Less {
    bool isRanked;
    bool operator()(const FusionCandidate &a, const FusionCandidate &b) const {
      if (isRanked && a.savedNs != b.savedNs)
        return a.savedNs < b.savedNs;
      if (a.position != b.position)
        return a.position < b.position;
      return a.kind > b.kind;
    }
  };
  using Key = std::pair<const void *, unsigned>;
  static Key getKey(const FusionCandidate &candidate) {
    return {candidate.value.getAsOpaquePointer(),
            3 * candidate.unit + candidate.kind};
  }

  Less less;
  std::priority_queue<FusionCandidate, std::vector<FusionCandidate>, Less>
      queue;
  llvm::DenseMap<Key, unsigned> numbers;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_FUSIONQUEUE_H
