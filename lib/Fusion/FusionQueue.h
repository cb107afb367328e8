//===- FusionQueue.h - What may be fused, best first -----------*- C++ -*-===//
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

/// A fusion of loops to be asked about.
struct FusionCandidate {
  /// In the order in which candidates of one op are asked about, all else being
  /// equal.
  enum Kind : uint8_t {
    /// The kernels that read `value`.
    Join,
    /// `unit` within all kernels that need its result.
    Produce,
    /// `unit` and one of those kernels, as one that stores the results of both.
    Store,
  };
  Kind kind;
  /// By the price when it was put in the queue.
  double savedNs;
  /// In the block; 0 for what comes before it.
  unsigned position;
  FusionUnits::Id unit = 0;
  mlir::Value value;
  /// Which of the times that it was put in.
  unsigned number = 0;
};

/// Candidates by what they save, the most first; or, for comparison, from the
/// last op to the first. One that is put in again replaces its former self.
class FusionQueue {
public:
  explicit FusionQueue(bool isRanked) : less{isRanked}, queue(less) {}

  void push(FusionCandidate candidate) {
    candidate.number = ++numbers[getKey(candidate)];
    queue.push(candidate);
  }
  /// The best, if any is left.
  std::optional<FusionCandidate> pop() {
    while (!queue.empty()) {
      FusionCandidate candidate = queue.top();
      queue.pop();
      if (candidate.number == numbers[getKey(candidate)])
        return candidate;
    }
    return std::nullopt;
  }
  /// Whether one that is left would come first.
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
