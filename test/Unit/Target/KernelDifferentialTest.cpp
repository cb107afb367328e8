//===- KernelDifferentialTest.cpp - Compiled ops against reference --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr int kCasesPerOp = 3;

std::vector<Case> randomCases(OpKind kind, DType dtype) {
  std::mt19937_64 rng(static_cast<uint64_t>(kind) * 64 +
                      static_cast<uint64_t>(dtype));
  std::vector<Case> cases;
  for (int i = 0; i < kCasesPerOp; ++i)
    if (auto c = randomCase(kind, dtype, rng))
      cases.push_back(std::move(*c));
  return cases;
}

class RandomKernel : public testing::TestWithParam<OpKind> {};

TEST_P(RandomKernel, AgreesWithReference) {
  for (DType dtype : kDTypes)
    if (dtype != DType::bf16)
      for (const Case &c : randomCases(GetParam(), dtype))
        checkAgainstReference(compilingProvider(), c);
}

/// The kernels that depend on whether the processor has avx512bf16.
class RandomBF16Kernel : public testing::TestWithParam<OpKind> {};

TEST_P(RandomBF16Kernel, AgreesWithReference) {
  for (const Case &c : randomCases(GetParam(), DType::bf16))
    checkAgainstReference(compilingProvider(), c);
}

/// Whether ops of a kind are steps of their own in a compiled program, are
/// replaced by other ops, or are removed.
bool isLeftToOthers(OpKind kind) {
  constexpr OpKind kinds[] = {OpKind::custom_call,
                              OpKind::softmax,
                              OpKind::softmax_backward,
                              OpKind::layer_norm,
                              OpKind::layer_norm_backward,
                              OpKind::conv_backward_data,
                              OpKind::conv_backward_weights,
                              OpKind::resize,
                              OpKind::max_pool_with_index,
                              OpKind::max_pool_backward,
                              OpKind::avg_pool_backward,
                              OpKind::moments,
                              OpKind::random,
                              OpKind::stop_gradient};
  const OpFamily family = getOpInfo(kind).family;
  return family == OpFamily::line || family == OpFamily::indexing ||
         std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

/// The kinds of ops that fusion gives kernels.
std::vector<OpKind> compiledKinds() {
  std::vector<OpKind> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (!isLeftToOthers(kind))
      kinds.push_back(kind);
  return kinds;
}

std::vector<OpKind> kindsOfBF16() {
  std::vector<OpKind> kinds = compiledKinds();
  std::erase_if(kinds, [](OpKind kind) {
    return randomCases(kind, DType::bf16).empty();
  });
  return kinds;
}

std::string kindName(const testing::TestParamInfo<OpKind> &info) {
  return std::string(name(info.param));
}

INSTANTIATE_TEST_SUITE_P(AllOps, RandomKernel,
                         testing::ValuesIn(compiledKinds()), kindName);
INSTANTIATE_TEST_SUITE_P(AllOps, RandomBF16Kernel,
                         testing::ValuesIn(kindsOfBF16()), kindName);

/// A tensor of varied values: small multiples of 1/8, of both signs where the
/// type has them.
Tensor varied(DType dtype, const Shape &shape, int seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i) {
    int64_t k = (i * 37 + seed * 11) % 61 - 30;
    values.push_back(isFloat(dtype) ? static_cast<double>(k) / 8
                                    : static_cast<double>(k));
  }
  return tensorOf(dtype, shape, values);
}

/// One less and one more than the vectors, primes, and beyond a block.
const int64_t kSizes[] = {1,  2,  7,  8,  9,  15, 16,  17,  31,   32,
                          33, 47, 63, 64, 65, 97, 127, 129, 1009, 10007};

class OddSizes : public testing::TestWithParam<DType> {};

TEST_P(OddSizes, EveryElementIsWritten) {
  for (int64_t size : kSizes) {
    Case c{makeOp(OpKind::sub),
           {varied(GetParam(), {size}, 1), varied(GetParam(), {size}, 2)}};
    checkAgainstReference(compilingProvider(), c);
  }
}

TEST_P(OddSizes, RowsAndColumnsBroadcast) {
  for (int64_t rows : {1, 3, 37})
    for (int64_t columns : {1, 3, 16, 33}) {
      Case c{makeOp(OpKind::max),
             {varied(GetParam(), {rows, 1}, 1),
              varied(GetParam(), {2, 1, columns}, 2)}};
      checkAgainstReference(compilingProvider(), c);
    }
}

Case transposeCase(DType dtype, const Shape &shape,
                   std::vector<int64_t> permutation) {
  fb::TransposeAttrsT attrs;
  attrs.permutation = std::move(permutation);
  return {makeOp(OpKind::transpose, attrs), {varied(dtype, shape, 1)}};
}

TEST_P(OddSizes, TilesAreTransposed) {
  for (int64_t rows : {1, 3, 4, 5, 15, 16, 17, 33, 130, 200})
    for (int64_t columns : {1, 2, 3, 7, 8, 16, 17, 31, 129})
      checkAgainstReference(compilingProvider(),
                            transposeCase(GetParam(), {columns, rows}, {1, 0}));
}

TEST_P(OddSizes, TilesOfAnyTwoDimsAreTransposed) {
  const Shape shape{3, 5, 17, 9};
  std::vector<int64_t> permutation{0, 1, 2, 3};
  do
    checkAgainstReference(compilingProvider(),
                          transposeCase(GetParam(), shape, permutation));
  while (std::next_permutation(permutation.begin(), permutation.end()));
}

INSTANTIATE_TEST_SUITE_P(Types, OddSizes,
                         testing::Values(DType::f32, DType::f64, DType::f16,
                                         DType::bf16, DType::i8, DType::i32,
                                         DType::i64),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

/// Convolutions whose innermost output dim is W (padding is masked along the
/// vector) and C (padding is the same for the whole vector).
TEST(Convolution, PaddedAlongAndAcrossTheVector) {
  for (int64_t width : {1, 5, 16, 17, 33, 70})
    for (int64_t stride : {1, 2})
      for (int64_t dilation : {1, 3})
        for (bool channelsLast : {false, true}) {
          fb::ConvAttrsT attrs;
          attrs.strides = {1, stride};
          attrs.dilations = {1, dilation};
          attrs.pad_low = {1, 3};
          attrs.pad_high = {1, 4};
          attrs.input_layout = attrs.output_layout =
              channelsLast ? "NHWC" : "NCHW";
          attrs.kernel_layout = channelsLast ? "HWIO" : "OIHW";
          Shape input =
              channelsLast ? Shape{2, 4, width, 2} : Shape{2, 2, 4, width};
          Shape kernel = channelsLast ? Shape{3, 3, 2, 5} : Shape{5, 2, 3, 3};
          Case c{makeOp(OpKind::conv, attrs),
                 {varied(DType::f32, input, 1), varied(DType::f32, kernel, 2),
                  varied(DType::f32, {5}, 3)}};
          checkAgainstReference(compilingProvider(), c);
        }
}

} // namespace
