//===- BF16ContractionTest.cpp - Contractions of bf16 ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are such that all sums are exact in f32: whatever instructions there
// are, what is left to differ is one rounding to bf16, and none does.
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tandem;
using namespace tandem::test;

namespace {

/// What is taken away from this host.
class BF16Contraction : public testing::TestWithParam<const char *> {
protected:
  void check(const Case &c) {
    const Provider &provider = contractingProvider(GetParam());
    ASSERT_TRUE(supports(provider, c.op, c.operands)) << c.describe();
    SCOPED_TRACE(c.describe());
    auto result = run(provider, c.op, c.operands);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(valuesOf(*result), valuesOf(reference(c.op, c.operands)));
  }
};

/// Small multiples of 1/8 of both signs.
Tensor varied(const Shape &shape, int seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i)
    values.push_back(static_cast<double>((i * 37 + seed * 11) % 61 - 30) / 8);
  return tensorOf(DType::bf16, shape, values);
}

struct Conv {
  int64_t width, inputs, outputs, kernel;
  int64_t groups = 1, stride = 1;
  std::string images = "NHWC", weights = "HWIO";
};

Case makeConv(const Conv &c, bool hasBias) {
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
      {varied(arrange(c.images, 2, inputs, 4, c.width), 1),
       varied(arrange(c.weights, outputs, c.inputs, c.kernel, c.kernel), 2)}};
  if (hasBias)
    result.operands.push_back(varied({outputs}, 3));
  return result;
}

/// Outputs along the lanes, one input after the other.
TEST_P(BF16Contraction, Outputs) {
  for (int64_t outputs : {2, 3, 16, 33, 65})
    for (int64_t inputs : {1, 2, 5, 16})
      for (bool hasBias : {false, true})
        check(makeConv({13, inputs, outputs, 3}, hasBias));
}

/// Two inputs innermost are a pair.
TEST_P(BF16Contraction, OnePair) {
  for (int64_t outputs : {2, 15, 16, 33})
    check(makeConv({9, 2, outputs, 1, 1, 1, "NHWC", "HWOI"}, true));
}

TEST_P(BF16Contraction, Dots) {
  for (int64_t inputs : {2, 3, 15, 31, 32, 33, 70})
    for (int64_t outputs : {1, 5, 18})
      for (int64_t kernel : {1, 3})
        check(
            makeConv({9, inputs, outputs, kernel, 1, 1, "NHWC", "OHWI"}, true));
}

TEST_P(BF16Contraction, Positions) {
  for (int64_t width : {2, 15, 16, 33, 61})
    for (int64_t inputs : {1, 3})
      check(makeConv({width, inputs, 5, 3, 1, 1, "NCHW", "OIHW"}, true));
}

TEST_P(BF16Contraction, Groups) {
  for (int64_t channels : {2, 15, 16, 33, 100})
    for (int64_t stride : {1, 2})
      check(makeConv({16, 1, 1, 3, channels, stride}, true));
  check(makeConv({9, 3, 20, 3, 2}, true));
}

TEST_P(BF16Contraction, Matmul) {
  for (int64_t m : {1, 7, 61})
    for (int64_t k : {1, 3, 32, 65})
      for (int64_t n : {2, 16, 33})
        for (bool transposeLhs : {false, true})
          for (bool transposeRhs : {false, true}) {
            fb::MatmulAttrsT attrs;
            attrs.transpose_lhs = transposeLhs;
            attrs.transpose_rhs = transposeRhs;
            Case c{makeOp(OpKind::matmul, attrs),
                   {varied(transposeLhs ? Shape{k, m} : Shape{m, k}, 1),
                    varied(transposeRhs ? Shape{n, k} : Shape{k, n}, 2)}};
            // Neither is adjacent: such weights are packed.
            if (!transposeLhs || !transposeRhs || k == 1)
              check(c);
          }
}

/// The product of x and w, w in blocks of columns and pairs of rows.
std::string printPacked(int64_t m, int64_t k, int64_t n, int64_t block,
                        bool transposeLhs) {
  int64_t blocks = llvm::divideCeilSigned(n, block), pairs = (k + 1) / 2;
  auto type = [](const Shape &shape) {
    return TensorType{DType::bf16, shape}.str();
  };
  auto text = [](int64_t value) { return std::to_string(value); };
  std::string data = type(transposeLhs ? Shape{k, m} : Shape{m, k});
  std::string packed = type({blocks, pairs, block, 2});
  std::string turned = type({pairs, 2, blocks, block});
  std::string padded = type({2 * pairs, blocks * block});
  std::string weights = type({k, n}), result = type({m, n});
  return "module @k attributes {tandem.kind = #tandem<fusion_kind "
         "contraction>} { func.func @k(%x: " +
         data + ", %w: " + packed + ", %b: " + type({n}) + ") -> " + result +
         " {\n%0 = tandem.transpose %w permutation = [1, 3, 0, 2] : (" +
         packed + ") -> " + turned + "\n%1 = tandem.reshape %0 shape = [" +
         text(2 * pairs) + ", " + text(blocks * block) + "] : (" + turned +
         ") -> " + padded +
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
TEST_P(BF16Contraction, PackedPairsAndEpilogue) {
  CPUTargetOptions options;
  options.features = GetParam();
  for (int64_t k : {2, 3, 9, 32, 33})
    for (int64_t n : {5, 16, 40})
      for (bool transposeLhs : {false, true}) {
        constexpr int64_t m = 19, block = 16;
        auto kernel =
            compileKernel(printPacked(m, k, n, block, transposeLhs), options);
        ASSERT_TRUE(kernel) << kernel.error().str();
        Tensor x = varied(transposeLhs ? Shape{k, m} : Shape{m, k}, 1);
        Tensor w = varied({k, n}, 2), bias = varied({n}, 3);
        int64_t blocks = llvm::divideCeilSigned(n, block), pairs = (k + 1) / 2;
        std::vector<double> plain = valuesOf(w);
        std::vector<double> packed(blocks * pairs * block * 2, std::nan(""));
        for (int64_t row = 0; row < k; ++row)
          for (int64_t column = 0; column < n; ++column)
            packed[((column / block * pairs + row / 2) * block +
                    column % block) *
                       2 +
                   row % 2] = plain[row * n + column];
        Tensor weights =
            tensorOf(DType::bf16, {blocks, pairs, block, 2}, packed);
        Tensor result = emptyTensor({DType::bf16, {m, n}});
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

INSTANTIATE_TEST_SUITE_P(Hosts, BF16Contraction, bf16Hosts(), hostName);

} // namespace
