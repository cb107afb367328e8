//===- Winograd.cpp - Kernels transformed for fewer products --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/Winograd.h"

#include "RearrangedConstants.h"

#include "tandem/Dialect/Tandem/IR/Rearrange.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>

using namespace mlir;

namespace tandem::ir {
namespace {

using namespace winograd;

constexpr double kNear2 = kNear * kNear, kFar2 = kFar * kFar;

/// Row i evaluates a kernel at point i; the products' weights are in it.
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

/// P, for which P G is the identity: from the points 0, ±a and infinity.
constexpr double kP[kTaps][kSize] = {
    {kNear2 * kFar2, 0, 0, 0, 0, 0},
    {0, kNear * (kNear2 - kFar2), -kNear * (kNear2 - kFar2), 0, 0, 0},
    {0, 0, 0, 0, 0, 1}};

/// As many output channels are transformed side by side.
constexpr int64_t kRun = 16;
using Run = std::array<double, kRun>;

/// sum += factor * run
void addScaled(Run &sum, double factor, const Run &run) {
  for (int64_t o = 0; o < kRun; ++o)
    sum[o] += factor * run[o];
}

/// The kernels of one input channel and `count` <= kRun output channels, whose
/// taps are `stride` apart and whose transforms' positions `resultStride`.
void transformRun(const float *kernel, int64_t stride, int64_t count,
                  float *result, int64_t resultStride) {
  Run half[kSize][kTaps] = {};
  for (int64_t y = 0; y < kTaps; ++y)
    for (int64_t x = 0; x < kTaps; ++x) {
      Run taps = {};
      std::copy_n(kernel + (y * kTaps + x) * stride, count, taps.begin());
      for (int64_t i = 0; i < kSize; ++i)
        addScaled(half[i][x], kG[i][y], taps);
    }
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j = 0; j < kSize; ++j) {
      Run sum = {};
      for (int64_t x = 0; x < kTaps; ++x)
        addScaled(sum, kG[j][x], half[i][x]);
      std::transform(sum.begin(), sum.begin() + count,
                     result + (i * kSize + j) * resultStride,
                     [](double value) { return static_cast<float>(value); });
    }
}

} // namespace

/// Writes all of `result`, the transforms of `kernel` in blocks.
static void transformBlocks(ElementsAttr kernel, int64_t block,
                            MutableArrayRef<float> result) {
  auto type = cast<RankedTensorType>(kernel.getType());
  int64_t inputs = type.getDimSize(2), outputs = type.getDimSize(3);
  std::vector<float> splat;
  const auto *from = reinterpret_cast<const float *>(getRawData(kernel).data());
  if (kernel.isSplat()) {
    splat.assign(kTaps * kTaps * outputs, *from);
    from = splat.data();
  }
  // A splat is read as if it had one input.
  int64_t tapStride = kernel.isSplat() ? outputs : inputs * outputs;
  int64_t inputStride = kernel.isSplat() ? 0 : outputs;
  int64_t blocks = llvm::divideCeilSigned(outputs, block);
  if (outputs % block != 0)
    llvm::fill(result, 0.0F);
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t o = b * block; o < std::min((b + 1) * block, outputs);
           o += kRun)
        transformRun(
            from + i * inputStride + o, tapStride,
            std::min({kRun, (b + 1) * block - o, outputs - o}),
            &result[(b * kPositions * inputs + i) * block + o - b * block],
            inputs * block);
}

ElementsAttr transformKernel(ElementsAttr kernel, int64_t block) {
  auto type = cast<RankedTensorType>(kernel.getType());
  auto resultType =
      RankedTensorType::get({llvm::divideCeilSigned(type.getDimSize(3), block),
                             kSize, kSize, type.getDimSize(2), block},
                            type.getElementType());
  return RearrangedConstants::of(type.getContext())
      .get(kernel, resultType, /*boxes=*/{}, [&](MutableArrayRef<char> bytes) {
        transformBlocks(kernel, block,
                        {reinterpret_cast<float *>(bytes.data()),
                         bytes.size() / sizeof(float)});
      });
}

void decomposeFromWinograd(FromWinogradOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape = op.getType().getShape();
  std::vector<float> product;
  for (int64_t y = 0; y < kTaps; ++y)
    for (int64_t x = 0; x < kTaps; ++x)
      for (int64_t i = 0; i < kSize; ++i)
        for (int64_t j = 0; j < kSize; ++j)
          product.push_back(static_cast<float>(kP[y][i] * kP[x][j]));
  auto type =
      RankedTensorType::get({kTaps * kTaps, kPositions}, builder.getF32Type());
  Value matrix = ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<float>(product)));
  Value flat = ReshapeOp::create(
      builder, loc, op.getInput(),
      builder.getDenseI64ArrayAttr({kPositions, shape[2] * shape[3]}));
  Value kernel = MatmulOp::create(builder, loc, matrix, flat,
                                  /*transpose_lhs=*/false,
                                  /*transpose_rhs=*/false);
  op.replaceAllUsesWith(ReshapeOp::create(builder, loc, kernel,
                                          builder.getDenseI64ArrayAttr(shape))
                            .getResult());
  op.erase();
}

LogicalResult FromWinogradOp::verify() {
  ArrayRef<int64_t> from = getInput().getType().getShape();
  ArrayRef<int64_t> to = getType().getShape();
  if (from.size() != 4 || to.size() != 4 || from[0] != kSize ||
      from[1] != kSize || to[0] != kTaps || to[1] != kTaps ||
      from.drop_front(2) != to.drop_front(2))
    return emitOpError("C1: does not make 3x3xIxO of 6x6xIxO");
  return success();
}

} // namespace tandem::ir
