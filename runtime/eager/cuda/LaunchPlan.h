//===- LaunchPlan.h - What an op launches on a GPU --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H
#define TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H

#include "../Strides.h"
#include "KernelSource.h"

#include "tandem/Runtime/Provider.h"

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace tandem::cuda {

/// A struct of Index that a kernel takes, member by member (kernels/*.cuh).
class Indices {
public:
  Indices() = default;
  Indices(std::initializer_list<int64_t> numbers) : numbers(numbers) {}

  Indices &add(std::span<const int64_t> more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
    return *this;
  }
  /// A struct Dims.
  Indices &add(const Shape &dims);

  std::vector<int64_t> numbers;
};

/// What a kernel takes by value: indices, or the bytes of something else.
using Parameter = std::variant<Indices, std::vector<std::byte>>;

/// The pointer parameter that is the result's; others are numbers of operands.
inline constexpr int kResult = -1;

/// One launch of a prebuilt kernel.
struct LaunchPlan {
  KernelFamily family;
  DType dtype;
  std::string kernel;
  int64_t blocks = 0;
  unsigned threads = 256;
  std::vector<int> pointers;
  std::vector<Parameter> values;
};

/// A copy of contiguous bytes from an operand to the result.
struct CopyPlan {
  int operand = 0;
  int64_t from = 0, to = 0, bytes = 0;
};

using StepOfOp = std::variant<LaunchPlan, CopyPlan>;

/// All that an op enqueues, in this order.
struct OpPlan {
  std::vector<StepOfOp> steps;
  /// Those for tensors that are not aligned to 16 bytes, where they differ.
  std::vector<StepOfOp> unaligned;
};

/// The threads of a block, and those that share one result of several: powers
/// of two.
inline constexpr int64_t kBlockThreads = 256;

constexpr int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Blocks for one thread an element.
constexpr int64_t blocksFor(int64_t threads) {
  return divideUp(threads, kBlockThreads);
}

/// How many results a block computes, where each combines `count` elements
/// among threads of its own. `areNeighbours`: the elements of one result lie
/// side by side, else those of several results do.
int64_t resultsPerBlock(int64_t results, int64_t count, bool areNeighbours);

/// What an op of each family enqueues. The result has elements.
OpPlan planElementwise(const OpSignature &signature);
Expected<OpPlan> planShape(const OpSignature &signature);
OpPlan planReduction(const OpSignature &signature);
OpPlan planWindow(const OpSignature &signature);
OpPlan planNormalization(const OpSignature &signature);
OpPlan planContraction(const OpSignature &signature);

/// The same by the op's family; nothing for an op that no kernel computes.
Expected<std::optional<OpPlan>> planOp(const OpSignature &signature);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H
