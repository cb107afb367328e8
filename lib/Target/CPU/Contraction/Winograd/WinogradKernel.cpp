//===- WinogradKernel.cpp - Kernels transformed for fewer products --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/WinogradKernel.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/SharedConstants.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace tandem {
namespace {

using namespace winograd;

constexpr double kNear2 = kNear * kNear, kFar2 = kFar * kFar;

/// Row i of G evaluates a kernel at point i. It includes the factor by which
/// the product at this point enters the results.
constexpr double kG[kSize][kTaps] = {
    {1 / (kNear2 * kFar2), 0, 0},
    {1 / (2 * kNear2 * (kNear2 - kFar2)), 1 / (2 * kNear * (kNear2 - kFar2)),
     1 / (2 * (kNear2 - kFar2))},
    {1 / (2 * kNear2 * (kNear2 - kFar2)), -1 / (2 * kNear * (kNear2 - kFar2)),
     1 / (2 * (kNear2 - kFar2))},
    {1 / (2 * kFar2 * (kFar2 - kNear2)), 1 / (2 * kFar * (kFar2 - kNear2)),
     1 / (2 * (kFar2 - kNear2))},
    {1 / (2 * kFar2 * (kFar2 - kNear2)), -1 / (2 * kFar * (kFar2 - kNear2)),
     1 / (2 * (kFar2 - kNear2))},
    {0, 0, 1}};

/// The number of output channels that are transformed side by side.
constexpr int64_t kRun = 16;
/// The number of input channels for which a task transforms all output
/// channels.
constexpr int64_t kTaskInputs = 4;
using Run = std::array<double, kRun>;

/// Compiles a function several times, for processors with different vector
/// sizes. The version for the host is selected when the program is loaded.
#if defined(__x86_64__)
#define TANDEM_FOR_WIDE_VECTORS                                                \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TANDEM_FOR_WIDE_VECTORS
#endif

/// Multiplies G by the taps, which are `stride` runs apart. The results are
/// `resultStride` runs apart. The rows of G for a point and its negative differ
/// only in the sign of the middle element.
[[gnu::always_inline]] inline void evaluate(const Run *taps, int64_t stride,
                                            Run *result, int64_t resultStride) {
  const Run &first = taps[0], &middle = taps[stride], &last = taps[2 * stride];
  for (int64_t o = 0; o < kRun; ++o) {
    // Do not fuse multiplications and additions, so that all processors compute
    // the same bits.
#pragma clang fp contract(off)
    result[0][o] = kG[0][0] * first[o];
    for (int64_t i : {1, 3}) {
      double even = kG[i][0] * first[o] + kG[i][2] * last[o];
      double odd = kG[i][1] * middle[o];
      result[i * resultStride][o] = even + odd;
      result[(i + 1) * resultStride][o] = even - odd;
    }
    result[5 * resultStride][o] = last[o];
  }
}

/// Stores past the caches. The cache lines of the 36 positions are a multiple
/// of 4 KiB apart, so too many of them would compete for one set.
[[gnu::always_inline]] inline void storeRun(const Run &run, float *result) {
  using Line = float __attribute__((vector_size(kRun * sizeof(float))));
  Line line;
  for (int64_t o = 0; o < kRun; ++o)
    line[o] = static_cast<float>(run[o]);
  __builtin_nontemporal_store(line, reinterpret_cast<Line *>(result));
}

/// Transforms the kernels of one input channel and `count` <= kRun output
/// channels. `kernel` points to floats, without alignment, whose taps are
/// `stride` floats apart. The positions of the transform are `resultStride`
/// floats apart in `result`.
TANDEM_FOR_WIDE_VECTORS
void transformRun(const char *kernel, int64_t stride, int64_t count,
                  float *result, int64_t resultStride) {
  Run taps[kTaps][kTaps] = {}, half[kSize][kTaps], whole[kSize][kSize];
  for (int64_t i = 0; i < kTaps * kTaps; ++i) {
    std::array<float, kRun> tap;
    std::memcpy(tap.data(), kernel + i * stride * sizeof(float),
                count * sizeof(float));
    std::copy_n(tap.begin(), count, taps[i / kTaps][i % kTaps].begin());
  }
  for (int64_t x = 0; x < kTaps; ++x)
    evaluate(&taps[0][x], kTaps, &half[0][x], kTaps);
  for (int64_t y = 0; y < kSize; ++y)
    evaluate(half[y], 1, whole[y], 1);
  bool isWhole = count == kRun && resultStride % kRun == 0 &&
                 reinterpret_cast<uintptr_t>(result) % sizeof(float[kRun]) == 0;
  for (int64_t i = 0; i < kPositions; ++i) {
    const Run &run = whole[i / kSize][i % kSize];
    if (isWhole)
      storeRun(run, result + i * resultStride);
    else
      std::copy_n(run.begin(), count, result + i * resultStride);
  }
}

} // namespace

/// Writes the transform of `kernel`, in blocks of `block` output channels, to
/// `result`. Lanes of the last block without an output channel become zero.
static void transformBlocks(ElementsAttr kernel, int64_t block,
                            MutableArrayRef<float> result) {
  auto type = cast<RankedTensorType>(kernel.getType());
  int64_t inputs = type.getDimSize(2), outputs = type.getDimSize(3);
  SmallVector<char> splat;
  ArrayRef<char> from = ir::getRawData(kernel);
  if (kernel.isSplat()) {
    for (int64_t i = 0; i < kTaps * kTaps * outputs; ++i)
      llvm::append_range(splat, from);
    from = splat;
  }
  // A splat is read as if it had one input.
  int64_t tapStride = kernel.isSplat() ? outputs : inputs * outputs;
  int64_t inputStride = kernel.isSplat() ? 0 : outputs;
  int64_t blocks = llvm::divideCeilSigned(outputs, block);
  auto indexOf = [&](int64_t b, int64_t position, int64_t input) {
    return ((b * kPositions + position) * inputs + input) * block;
  };
  // Each task reads whole rows of the kernel in memory order.
  ir::parallelFor(
      kernel.getContext(), llvm::divideCeilSigned(inputs, kTaskInputs),
      [&](int64_t task) {
        int64_t first = task * kTaskInputs;
        int64_t last = std::min(first + kTaskInputs, inputs);
        for (int64_t i = 0; outputs % block != 0 && i < kPositions; ++i)
          std::fill_n(&result[indexOf(blocks - 1, i, first)],
                      (last - first) * block, 0.0F);
        for (int64_t i = first; i < last; ++i)
          for (int64_t b = 0; b < blocks; ++b)
            for (int64_t o = 0; o < std::min(block, outputs - b * block);
                 o += kRun)
              transformRun(from.data() + (i * inputStride + b * block + o) *
                                             sizeof(float),
                           tapStride,
                           std::min({kRun, block - o, outputs - b * block - o}),
                           &result[indexOf(b, 0, i) + o], inputs * block);
        // Make the non-temporal stores visible to all threads.
        std::atomic_thread_fence(std::memory_order_seq_cst);
      });
}

ElementsAttr transformKernel(ElementsAttr kernel, int64_t block) {
  auto type = cast<RankedTensorType>(kernel.getType());
  auto resultType =
      RankedTensorType::get({llvm::divideCeilSigned(type.getDimSize(3), block),
                             kSize, kSize, type.getDimSize(2), block},
                            type.getElementType());
  auto fill = [&](MutableArrayRef<char> bytes) {
    transformBlocks(kernel, block,
                    {reinterpret_cast<float *>(bytes.data()),
                     bytes.size() / sizeof(float)});
    return true;
  };
  return ir::getComputed(kernel, resultType, "winograd", fill);
}

/// The largest sum of the magnitudes of a row of `matrix`.
static double getLargestRowSum(ArrayRef<ArrayRef<double>> matrix) {
  double largest = 0;
  for (ArrayRef<double> row : matrix) {
    double sum = 0;
    for (double value : row)
      sum += std::abs(value);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// The largest magnitude, which is infinite or NaN if any element is.
/// Magnitudes are compared as integers. This preserves their order and places
/// infinities and NaNs above all numbers.
static float findLargestMagnitude(ElementsAttr elements) {
  ArrayRef<char> bytes = ir::getRawData(elements);
  int32_t largest = 0;
  for (size_t i = 0; i < bytes.size(); i += sizeof(int32_t)) {
    int32_t value;
    std::memcpy(&value, &bytes[i], sizeof value);
    largest = std::max(largest, value & 0x7fffffff);
  }
  return llvm::bit_cast<float>(largest);
}

/// In one dim, |Bᵀ d| <= b |d|, |G k| <= g |k| and |Aᵀ m| <= a |m|, where b, g
/// and a are the largest row sums of magnitudes of these matrices. In two dims,
/// the factors are squared. In between, the products of all inputs are summed.
std::optional<float> findLargestData(ElementsAttr kernel) {
  constexpr double kSlack = 2;
  double weight = findLargestMagnitude(kernel);
  double inputs = double(cast<ShapedType>(kernel.getType()).getDimSize(2));
  double g = getLargestRowSum({kG[0], kG[1], kG[2], kG[3], kG[4], kG[5]});
  double b = 1 + kNear2 * kFar2 + kNear2 + kFar2;
  b = std::max(b, (1 + kNear) * (1 + kFar2));
  b = std::max(b, (1 + kFar) * (1 + kNear2));
  double a = std::max({5.0, 2 * (kNear + kFar), 2 * (kNear2 + kFar2),
                       2 * (kNear2 * kNear + kFar2 * kFar) + 1});
  double growth =
      kSlack * b * b * std::max(1.0, a * a * inputs * g * g * weight);
  double largest = double(std::numeric_limits<float>::max());
  if (!(g * g * weight <= largest) || !(growth <= largest))
    return std::nullopt;
  // Round the limit down to a coarse step. The limit is part of a kernel's
  // text, and kernels that differ only in their weights should have the same
  // text.
  constexpr double kUsual = 0x1p64, kStep = 16;
  double limit = largest / growth;
  if (limit >= kUsual)
    return static_cast<float>(kUsual);
  double exponent = std::floor(std::log2(limit) / kStep) * kStep;
  limit = std::exp2(exponent);
  return limit >= std::numeric_limits<float>::min()
             ? std::optional(static_cast<float>(limit))
             : std::nullopt;
}

} // namespace tandem
