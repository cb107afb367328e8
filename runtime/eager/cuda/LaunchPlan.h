//===- LaunchPlan.h - What an op launches on a GPU --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H
#define TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H

#include "KernelSource.h"
#include "tandem/Support/Strides.h"

#include "tandem/Runtime/Provider.h"

#include <cstddef>
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

/// Pointer parameters that are those of results; others are numbers of
/// operands.
inline constexpr int kResult = -1, kSecondResult = -2, kThirdResult = -3;

/// One launch of a prebuilt kernel.
struct LaunchPlan {
  KernelFamily family;
  DType dtype;
  std::string kernel;
  int64_t blocks = 0;
  unsigned threads = 256;
  std::vector<int> pointers;
  std::vector<Parameter> values;
  /// The largest number that the kernel computes of these, if it is larger than
  /// each of them and than the sizes of the tensors.
  int64_t largest = 0;
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
  /// The steps for tensors that are not aligned to 16 bytes; empty if `steps`
  /// serve these, too.
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
/// among threads of its own. `areNeighbors`: the elements of one result lie
/// side by side, else those of several results do.
int64_t resultsPerBlock(int64_t results, int64_t count, bool areNeighbors);

/// The family of an elementwise op.
KernelFamily familyOf(OpKind kind);

// What an op enqueues, by its kind. The results must not be empty.
using Planned = Expected<OpPlan>;
Planned planElementwise(const OpSignature &signature);
Planned planReshape(const OpSignature &signature);
Planned planTranspose(const OpSignature &signature);
Planned planBroadcast(const OpSignature &signature);
Planned planSlice(const OpSignature &signature);
Planned planPad(const OpSignature &signature);
Planned planConcat(const OpSignature &signature);
Planned planIota(const OpSignature &signature);
Planned planGather(const OpSignature &signature);
Planned planScatter(const OpSignature &signature);
Planned planOrder(const OpSignature &signature);
Planned planScan(const OpSignature &signature);
Planned planFFT(const OpSignature &signature);
Planned planConv(const OpSignature &signature);
Planned planConvBackwardData(const OpSignature &signature);
Planned planConvBackwardWeights(const OpSignature &signature);
Planned planMatmul(const OpSignature &signature);
Planned planPool(const OpSignature &signature);
Planned planMaxPoolWithIndex(const OpSignature &signature);
Planned planPoolBackward(const OpSignature &signature);
Planned planMoments(const OpSignature &signature);
Planned planRandom(const OpSignature &signature);
Planned planResize(const OpSignature &signature);
Planned planReduce(const OpSignature &signature);
Planned planBatchNorm(const OpSignature &signature);
Planned planSoftmax(const OpSignature &signature);
Planned planSoftmaxBackward(const OpSignature &signature);
Planned planLayerNorm(const OpSignature &signature);
Planned planLayerNormBackward(const OpSignature &signature);

/// The function for ops of a kind; null for a kind that no kernel computes.
using Planner = Planned (*)(const OpSignature &);
Planner plannerOf(OpKind kind);

/// The programs that an op needs whatever its shapes, as far as these types,
/// whose dims may be dynamic, tell; empty for one that no kernel computes.
std::vector<ProgramKey> programsOf(const OpSignature &signature);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_LAUNCHPLAN_H
