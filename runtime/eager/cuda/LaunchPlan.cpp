//===- LaunchPlan.cpp - What an op launches on a GPU ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"

#include <algorithm>
#include <bit>

using namespace tandem;
using namespace tandem::cuda;

Indices &Indices::add(const Shape &dims) {
  numbers.push_back(dims.rank());
  add(dims.span());
  numbers.resize(numbers.size() + kMaxRank - dims.rank(), 1);
  return *this;
}

int64_t cuda::resultsPerBlock(int64_t results, int64_t count,
                              bool areNeighbours) {
  const auto powerAbove = [](int64_t number) {
    const auto unsignedNumber =
        static_cast<uint64_t>(std::clamp<int64_t>(number, 1, kBlockThreads));
    return static_cast<int64_t>(std::bit_ceil(unsignedNumber));
  };
  // Where results lie side by side, a warp reads one element of 32 of them.
  const int64_t atLeast =
      areNeighbours ? 1 : std::min<int64_t>(powerAbove(results), 32);
  return std::max(atLeast, kBlockThreads / powerAbove(count));
}

Expected<std::optional<OpPlan>> cuda::planOp(const OpSignature &signature) {
  const OpFamily family = getOpInfo(signature.op.kind).family;
  if (family == OpFamily::structure)
    return std::nullopt;
  if (signature.result().shape.numElements() == 0)
    return OpPlan();
  switch (family) {
  case OpFamily::elementwise:
    return planElementwise(signature);
  case OpFamily::shape:
    return planShape(signature);
  case OpFamily::contraction:
    return planContraction(signature);
  case OpFamily::window:
    return planWindow(signature);
  case OpFamily::reduction:
    return planReduction(signature);
  case OpFamily::normalization:
    return planNormalization(signature);
  case OpFamily::structure:
    break;
  }
  return std::nullopt;
}
