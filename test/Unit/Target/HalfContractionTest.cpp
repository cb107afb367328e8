//===- HalfContractionTest.cpp - Contractions of f16 and bf16 -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are such that all sums are exact in f32: whatever instructions there
// are, what is left to differ is one rounding at the end, and none does.
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {

/// The type of all elements, and what is taken away from this host.
using Param = std::tuple<DType, const char *>;

class HalfContraction : public testing::TestWithParam<Param> {
protected:
  DType dtype() const { return std::get<0>(GetParam()); }
  const char *features() const { return std::get<1>(GetParam()); }

  void check(const Case &c) {
    const Provider &provider = contractingProvider(features());
    ASSERT_TRUE(supports(provider, c.op, c.operands)) << c.describe();
    SCOPED_TRACE(c.describe());
    auto result = run(provider, c.op, c.operands);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(valuesOf(*result), valuesOf(reference(c.op, c.operands)));
  }
};

/// Small multiples of 1/8 of both signs.
Tensor varied(DType dtype, const Shape &shape, int seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i)
    values.push_back(static_cast<double>((i * 37 + seed * 11) % 61 - 30) / 8);
  return tensorOf(dtype, shape, values);
}

struct Conv {
  int64_t width, inputs, outputs, kernel;
  int64_t groups = 1, stride = 1;
  std::string images = "NHWC", weights = "HWIO";
};

Case makeConv(DType dtype, const Conv &c, bool hasBias) {
  fb::ConvAttrsT attrs;
  attrs.strides = {1, c.stride};
  attrs.dilations = {1, 1};
  attrs.pad_low = attrs.pad_high = {c.kernel / 2, c.kernel / 2};
  attrs.groups = c.groups;
  attrs.input_layout = attrs.output_layout = c.images;
  attrs.kernel_layout = c.weights;
  auto arrange = [](const std::string &layout, int64_t n, int64_t channels,
                    int64_t height, int64_t width) {
    Shape shape;
    for (char letter : layout)
      shape.push_back(letter == 'H'                    ? height
                      : letter == 'W'                  ? width
                      : letter == 'N' || letter == 'O' ? n
                                                       : channels);
    return shape;
  };
  int64_t inputs = c.inputs * c.groups, outputs = c.outputs * c.groups;
  Case result{
      makeOp(OpKind::conv, attrs),
      {varied(dtype, arrange(c.images, 2, inputs, 4, c.width), 1),
       varied(dtype, arrange(c.weights, outputs, c.inputs, c.kernel, c.kernel),
              2)}};
  if (hasBias)
    result.operands.push_back(varied(dtype, {outputs}, 3));
  return result;
}

/// Outputs along the lanes, one input after the other.
TEST_P(HalfContraction, Outputs) {
  for (int64_t outputs : {2, 3, 16, 33, 65})
    for (int64_t inputs : {1, 2, 5, 16})
      for (bool hasBias : {false, true})
        check(makeConv(dtype(), {13, inputs, outputs, 3}, hasBias));
}

/// Two inputs innermost are a pair.
TEST_P(HalfContraction, OnePair) {
  for (int64_t outputs : {2, 15, 16, 33})
    check(makeConv(dtype(), {9, 2, outputs, 1, 1, 1, "NHWC", "HWOI"}, true));
}

TEST_P(HalfContraction, Dots) {
  for (int64_t inputs : {2, 3, 15, 31, 32, 33, 70})
    for (int64_t outputs : {1, 5, 18})
      for (int64_t kernel : {1, 3})
        check(makeConv(
            dtype(), {9, inputs, outputs, kernel, 1, 1, "NHWC", "OHWI"}, true));
}

TEST_P(HalfContraction, Positions) {
  for (int64_t width : {2, 15, 16, 33, 61})
    for (int64_t inputs : {1, 3})
      check(
          makeConv(dtype(), {width, inputs, 5, 3, 1, 1, "NCHW", "OIHW"}, true));
}

TEST_P(HalfContraction, Groups) {
  for (int64_t channels : {2, 15, 16, 33, 100})
    for (int64_t stride : {1, 2})
      check(makeConv(dtype(), {16, 1, 1, 3, channels, stride}, true));
  check(makeConv(dtype(), {9, 3, 20, 3, 2}, true));
}

TEST_P(HalfContraction, Matmul) {
  for (int64_t m : {1, 7, 61})
    for (int64_t k : {1, 3, 32, 65})
      for (int64_t n : {2, 16, 33})
        for (bool transposeLhs : {false, true})
          for (bool transposeRhs : {false, true}) {
            fb::MatmulAttrsT attrs;
            attrs.transpose_lhs = transposeLhs;
            attrs.transpose_rhs = transposeRhs;
            Case c{
                makeOp(OpKind::matmul, attrs),
                {varied(dtype(), transposeLhs ? Shape{k, m} : Shape{m, k}, 1),
                 varied(dtype(), transposeRhs ? Shape{n, k} : Shape{k, n}, 2)}};
            // Neither is adjacent: such weights are packed.
            if (!transposeLhs || !transposeRhs || k == 1)
              check(c);
          }
}

/// Few rows, and weights that no near cache holds: the other loop is outside.
TEST_P(HalfContraction, FewRowsOfLargeWeights) {
  for (int64_t m : {1, 5})
    check({makeOp(OpKind::matmul, fb::MatmulAttrsT()),
           {varied(dtype(), {m, 131}, 1), varied(dtype(), {131, 4133}, 2)}});
}

/// Rows of packed weights that are side by side.
int64_t rowsTogether(DType dtype) { return dtype == DType::bf16 ? 2 : 1; }

/// The product of x and w, w in blocks of columns and pairs of rows.
std::string printPacked(DType dtype, int64_t m, int64_t k, int64_t n,
                        int64_t block, bool transposeLhs) {
  int64_t together = rowsTogether(dtype);
  int64_t blocks = llvm::divideCeilSigned(n, block);
  int64_t parts = llvm::divideCeilSigned(k, together);
  auto type = [&](const Shape &shape) {
    return TensorType{dtype, shape}.str();
  };
  auto text = [](int64_t value) { return std::to_string(value); };
  std::string data = type(transposeLhs ? Shape{k, m} : Shape{m, k});
  std::string packed = type({blocks, parts, block, together});
  std::string transposed = type({parts, together, blocks, block});
  std::string padded = type({together * parts, blocks * block});
  std::string weights = type({k, n}), result = type({m, n});
  return "module @k attributes {tandem.kind = #tandem<fusion_kind "
         "contraction>} { func.func @k(%x: " +
         data + ", %w: " + packed + ", %b: " + type({n}) + ") -> " + result +
         " {\n%0 = tandem.transpose %w permutation = [1, 3, 0, 2] : (" +
         packed + ") -> " + transposed + "\n%1 = tandem.reshape %0 shape = [" +
         text(together * parts) + ", " + text(blocks * block) + "] : (" +
         transposed + ") -> " + padded +
         "\n%2 = tandem.slice %1 starts = [0, 0] limits = [" + text(k) + ", " +
         text(n) + "] strides = [1, 1] : (" + padded + ") -> " + weights +
         "\n%3 = tandem.matmul %x, %2 " +
         (transposeLhs ? "transpose_lhs " : "") + ": (" + data + ", " +
         weights + ") -> " + result + "\n%4 = tandem.add %3, %b : (" + result +
         ", " + type({n}) + ") -> " + result +
         "\n%5 = tandem.relu %4 : " + result + "\nreturn %5 : " + result +
         " } }";
}

/// What is beside an odd last row is not read: here it is NaN. The epilogue
/// sees the product rounded, as eager does.
TEST_P(HalfContraction, PackedPairsAndEpilogue) {
  CPUTargetOptions options;
  options.features = features();
  for (int64_t k : {2, 3, 9, 32, 33})
    for (int64_t n : {5, 16, 40})
      for (bool transposeLhs : {false, true}) {
        constexpr int64_t m = 19, block = 16;
        const int64_t together = rowsTogether(dtype());
        auto kernel = compileKernel(
            printPacked(dtype(), m, k, n, block, transposeLhs), options);
        ASSERT_TRUE(kernel) << kernel.error().str();
        Tensor x = varied(dtype(), transposeLhs ? Shape{k, m} : Shape{m, k}, 1);
        Tensor w = varied(dtype(), {k, n}, 2), bias = varied(dtype(), {n}, 3);
        int64_t blocks = llvm::divideCeilSigned(n, block);
        int64_t parts = llvm::divideCeilSigned(k, together);
        std::vector<double> plain = valuesOf(w);
        std::vector<double> packed(blocks * parts * block * together,
                                   std::nan(""));
        for (int64_t row = 0; row < k; ++row)
          for (int64_t column = 0; column < n; ++column)
            packed[((column / block * parts + row / together) * block +
                    column % block) *
                       together +
                   row % together] = plain[row * n + column];
        Tensor weights =
            tensorOf(dtype(), {blocks, parts, block, together}, packed);
        Tensor result = emptyTensor({dtype(), {m, n}});
        auto address = [](const Tensor &tensor) {
          return const_cast<void *>(tensor.data());
        };
        kernel->run(
            {address(x), address(weights), address(bias), address(result)});
        fb::MatmulAttrsT attrs;
        attrs.transpose_lhs = transposeLhs;
        Tensor product = reference(makeOp(OpKind::matmul, attrs), {x, w});
        Tensor sum = reference(makeOp(OpKind::add), {product, bias});
        EXPECT_EQ(valuesOf(result),
                  valuesOf(reference(makeOp(OpKind::relu), {sum})))
            << k << " x " << n;
      }
}

/// What is taken away from this host.
class F16Contraction : public testing::TestWithParam<const char *> {};

/// What f16 has at its ends: sums that round to its largest number or beyond
/// it, subnormal numbers, and such as would be lost if each sum were rounded.
/// In enough positions and outputs that data is widened apart from the tiles,
/// and in few.
TEST_P(F16Contraction, KeepsSpecialNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double tiny = std::ldexp(1.0, -24), nan = std::nan("");
  const std::vector<std::vector<double>> rows = {
      {65504, 15},      {65504, 16},
      {-65504, -65504}, {infinity, 1},
      {nan, 1},         {infinity, -infinity},
      {tiny, 0},        {tiny, tiny},
      {-tiny, 0},       {1 + 1.0 / 1024, tiny},
      {2048, 1, 1},     {2048, 1, 2},
      {0.5, tiny},      {1.0 / 16384, -tiny}};
  for (int64_t m : {14, 700})
    for (int64_t n : {3, 16, 200}) {
      constexpr int64_t k = 5;
      std::vector<double> data;
      for (int64_t row = 0; row < m; ++row)
        for (int64_t i = 0; i < k; ++i) {
          const std::vector<double> &values = rows[row % rows.size()];
          data.push_back(i < int64_t(values.size()) ? values[i] : 0);
        }
      Case c{makeOp(OpKind::matmul, fb::MatmulAttrsT()),
             {tensorOf(DType::f16, {m, k}, data),
              tensorOf(DType::f16, {k, n}, std::vector<double>(k * n, 1))}};
      auto result = run(contractingProvider(GetParam()), c.op, c.operands);
      ASSERT_TRUE(result) << result.error().str();
      std::vector<double> actual = valuesOf(*result);
      std::vector<double> expected = valuesOf(reference(c.op, c.operands));
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(actual[i])
                                            : expected[i] == actual[i])
            << m << " x " << n << " at " << i << ": " << actual[i] << " for "
            << expected[i];
    }
}

/// Without F16C, which converts, functions of the compiler's library do.
INSTANTIATE_TEST_SUITE_P(Hosts, F16Contraction,
                         testing::Values("", "-avx512fp16", "-avx512f",
                                         "-avx512f,-f16c"),
                         hostName);

std::string paramName(const testing::TestParamInfo<Param> &info) {
  auto [dtype, features] = info.param;
  return std::string(name(dtype)) + "_" +
         hostName(testing::TestParamInfo<const char *>(features, info.index));
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, HalfContraction,
    testing::Combine(testing::Values(DType::f16, DType::bf16), bf16Hosts()),
    paramName);

} // namespace
