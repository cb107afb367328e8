//===- Random.cpp - Random words --------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::eager;

namespace {

class RandomOp final : public PreparedOp {
public:
  /// The words of one task: ten rounds of about eight operations for four words
  /// take about as long as this many elements of a cheap op.
  static constexpr int64_t kWords = 4096;

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const uint64_t key = *operands[0].as<uint64_t>(),
                   counter = *operands[1].as<uint64_t>();
    auto *out = results[0].as<uint32_t>();
    const int64_t size = results[0].shape().numElements();
    parallelFor(countParts(size, kWords), 4, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kWords;
      kernel(key, counter + uint64_t(first) / 4, out + first,
             std::min(size, end * kWords) - first);
    });
    return {};
  }

private:
  RandomKernel kernel = kernels().random();
};

} // namespace

Prepared eager::prepareRandom(const Signature &) {
  return std::make_unique<RandomOp>();
}
