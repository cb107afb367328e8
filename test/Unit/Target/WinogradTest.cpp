//===- WinogradTest.cpp - Convolutions of fewer products ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"
#include "WinogradCase.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tandem;
using namespace tandem::test;
using namespace tandem::test::winograd;

namespace {

/// A convolution with bias, which is returned, and relu of it and a residual.
/// `isShifted`: of the input + 1.
std::string print(const Conv &conv, bool isShifted = false) {
  std::string result = text(conv.result());
  return printKernel(
      conv, ", %r: " + result, "(" + result + ", " + result + ")",
      printConv(conv, isShifted) + "%5 = tandem.add %4, %r : " + result +
          "\n%6 = tandem.relu %5 : " + result + "\nreturn %6, %4 : " + result +
          ", " + result);
}

void expectClose(const BoundedTensor &expected, const Tensor &actual,
                 const Conv &conv) {
  Difference difference = compare(expected.value, actual, expected.bounds);
  EXPECT_TRUE(difference.agrees())
      << conv.batch << "x" << conv.height << "x" << conv.width << "x"
      << conv.inputs << " to " << conv.outputs << " in blocks of " << conv.block
      << ", worst: " << difference.actual << " for " << difference.expected;
}

void check(const Conv &conv, const CPUTargetOptions &options = {}) {
  auto kernel = compileKernel(print(conv), options);
  ASSERT_TRUE(kernel) << kernel.error().str();
  Tensor input = random(conv.input(), 1), weights = random(conv.kernel(), 2);
  Tensor bias = random({conv.outputs}, 3), residual = random(conv.result(), 4);
  Tensor blocks = transform(weights, conv);
  Tensor relu = emptyTensor({DType::f32, conv.result()});
  Tensor sum = emptyTensor({DType::f32, conv.result()});
  Tensor plain = pack(weights, conv);
  kernel->run({input.data(), plain.data(), blocks.data(), bias.data(),
               residual.data(), relu.data(), sum.data()});
  BoundedTensor expected =
      referenceWithBounds({conv.op(), {input, weights, bias}});
  expectClose(expected, sum, conv);
  // One more rounding, of sums of up to twice the magnitude.
  expected.value =
      reference(makeOp(OpKind::relu),
                {reference(makeOp(OpKind::add), {expected.value, residual})});
  for (double &bound : expected.bounds)
    bound *= 2;
  expectClose(expected, relu, conv);
}

TEST(WinogradKernel, SizesAroundTheTile) {
  for (int64_t height : {3, 4, 6, 7, 9, 13})
    for (int64_t width : {3, 5, 6, 7, 10, 11, 31})
      check({1, height, width, 16, 16, 16});
}

TEST(WinogradKernel, Padding) {
  for (int64_t low : {0, 1, 2, 5})
    for (int64_t high : {0, 1, 3}) {
      check({1, 9, 14, 16, 32, 32, low, high, 1, 1});
      check({1, 9, 14, 16, 32, 32, 1, 0, low, high});
    }
  check({1, 1, 1, 16, 16, 16, 1, 1, 1, 1});
}

TEST(WinogradKernel, InputsAroundTheVectors) {
  for (int64_t inputs : {8, 9, 15, 16, 17, 33, 64})
    check({1, 8, 11, inputs, 32, 32, 1, 1, 1, 1});
}

TEST(WinogradKernel, OutputsAroundTheBlocks) {
  for (int64_t outputs : {16, 17, 31, 33, 64, 79, 97})
    for (int64_t block : {16, 32, 48, 64})
      check({1, 8, 11, 20, outputs, block, 1, 1, 1, 1});
  // Fewer than a vector has lanes.
  for (int64_t outputs : {2, 3, 8})
    check({1, 8, 11, 20, outputs, 8, 1, 1, 1, 1});
}

/// More tiles than a task takes, and a last task of fewer.
TEST(WinogradKernel, TasksAndBatches) {
  for (int64_t batch : {1, 2, 3})
    for (int64_t size : {28, 29, 54})
      check({batch, size, size, 24, 48, 16, 1, 1, 1, 1});
  check({1, 30, 30, 256, 64, 64, 1, 1, 1, 1});
  check({5, 7, 7, 40, 64, 32, 1, 1, 1, 1});
}

TEST(WinogradKernel, VectorsOfHalfTheWidth) {
  CPUTargetOptions options;
  options.vectorBits = 256;
  for (int64_t outputs : {16, 24, 40})
    check({2, 9, 14, 12, outputs, 16, 1, 1, 1, 1}, options);
}

/// The worst and the mean error in units of eps times the largest result, as
/// docs/Contractions.md tells them.
TEST(WinogradKernel, ErrorsThatTheDocumentationTells) {
  for (auto [inputs, most] : {std::pair(16, 12.0), {64, 20.0}, {512, 60.0}}) {
    Conv conv{1, 18, 18, inputs, 64, 64, 1, 1, 1, 1};
    auto kernel = compileKernel(print(conv));
    ASSERT_TRUE(kernel) << kernel.error().str();
    Tensor input = random(conv.input(), 1), weights = random(conv.kernel(), 2);
    Tensor blocks = transform(weights, conv);
    Tensor none = tensorOf(DType::f32, {64}, std::vector<double>(64, 0));
    Tensor zeros = emptyTensor({DType::f32, conv.result()});
    std::memset(zeros.data(), 0, zeros.bytes());
    Tensor relu = emptyTensor({DType::f32, conv.result()});
    Tensor sum = emptyTensor({DType::f32, conv.result()});
    Tensor plain = pack(weights, conv);
    kernel->run({input.data(), plain.data(), blocks.data(), none.data(),
                 zeros.data(), relu.data(), sum.data()});
    std::vector<double> expected =
        valuesOf(reference(conv.op(), {input, weights, none}));
    std::vector<double> actual = valuesOf(sum);
    double largest = 0, worst = 0, total = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      worst = std::max(worst, std::abs(expected[i] - actual[i]));
      total += std::abs(expected[i] - actual[i]);
    }
    double unit = std::ldexp(largest, -23);
    RecordProperty("worst" + std::to_string(inputs),
                   std::to_string(worst / unit));
    EXPECT_LT(worst / unit, most)
        << inputs << " inputs, mean " << total / unit / double(expected.size());
  }
}

/// Compares the error of each result with what the result reads, of `input`;
/// weights are random.
void checkByWhatIsRead(const Conv &conv, const Tensor &input) {
  auto kernel = compileKernel(print(conv));
  ASSERT_TRUE(kernel) << kernel.error().str();
  Tensor weights = random(conv.kernel(), 2);
  Tensor magnitudes = random(conv.input(), 1), ones = random(conv.kernel(), 2);
  for (int64_t i = 0; i < input.shape().numElements(); ++i)
    magnitudes.as<float>()[i] = std::abs(input.as<float>()[i]);
  for (int64_t i = 0; i < weights.shape().numElements(); ++i)
    ones.as<float>()[i] = std::abs(weights.as<float>()[i]);
  Tensor none = tensorOf(DType::f32, {conv.outputs},
                         std::vector<double>(conv.outputs, 0));
  Tensor residual = random(conv.result(), 4), blocks = transform(weights, conv);
  Tensor plain = pack(weights, conv);
  Tensor relu = emptyTensor({DType::f32, conv.result()});
  Tensor sum = emptyTensor({DType::f32, conv.result()});
  kernel->run({input.data(), plain.data(), blocks.data(), none.data(),
               residual.data(), relu.data(), sum.data()});
  std::vector<double> expected =
      valuesOf(reference(conv.op(), {input, weights, none}));
  std::vector<double> scales =
      valuesOf(reference(conv.op(), {magnitudes, ones, none}));
  std::vector<double> actual = valuesOf(sum);
  int64_t compared = 0, wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    // Sums that overflow in f32 only on the way may be either.
    if (std::isnan(expected[i]) || std::isnan(actual[i]))
      wrong += std::isnan(expected[i]) != std::isnan(actual[i]);
    else if (std::isinf(expected[i]) || std::isinf(actual[i]))
      wrong += expected[i] != actual[i];
    else // Winograd's errors are relative to data of up to 2^12 the size, and
         // each product and sum of subnormals has half a unit.
      wrong += std::abs(expected[i] - actual[i]) >
               scales[i] * 0x1p-12 + 9.0 * conv.inputs * 0x1p-149;
  }
  EXPECT_GT(compared, 0);
  EXPECT_EQ(wrong, 0);
}

/// One element of the data is `value`, and no result that does not read it may
/// tell.
void checkOutlier(const Conv &conv, float value, int64_t row, int64_t column,
                  int64_t channel, float others = 1) {
  SCOPED_TRACE(testing::Message() << value << " at " << row << ", " << column);
  Tensor input = random(conv.input(), 1);
  for (int64_t i = 0; i < input.shape().numElements(); ++i)
    input.as<float>()[i] *= others;
  input.as<float>()[(row * conv.width + column) * conv.inputs + channel] =
      value;
  checkByWhatIsRead(conv, input);
}

TEST(WinogradKernel, OutliersStayWithTheirResults) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  Conv conv{1, 13, 14, 20, 40, 32, 1, 1, 1, 1};
  for (float value : {1e30F, -1e9F, 3e36F, kInfinity, -kInfinity, kNaN}) {
    checkOutlier(conv, value, 0, 0, 0);
    checkOutlier(conv, value, 6, 7, 19);
    checkOutlier(conv, value, 12, 13, 3);
  }
}

/// Errors that are larger than those of sums, but within what is documented.
TEST(WinogradKernel, OutliersWithinTheRatio) {
  Conv conv{1, 13, 14, 20, 40, 32, 1, 1, 1, 1};
  for (float value : {100.0F, 2000.0F, 5000.0F})
    checkOutlier(conv, value, 6, 7, 19);
}

/// In a tile of large data, what one result reads is small, for each of the 16.
TEST(WinogradKernel, EachWindowOfATileCounts) {
  Conv conv{1, 6, 6, 20, 16, 16};
  for (int64_t result = 0; result < 16; ++result) {
    int64_t row = result / 4, column = result % 4;
    SCOPED_TRACE(testing::Message() << "result " << row << ", " << column);
    Tensor input = random(conv.input(), 1);
    for (int64_t i = 0; i < input.shape().numElements(); ++i) {
      int64_t y = i / 20 / 6, x = i / 20 % 6;
      bool isRead = y >= row && y < row + 3 && x >= column && x < column + 3;
      input.as<float>()[i] *= isRead ? 1 : 1e6F;
    }
    checkByWhatIsRead(conv, input);
  }
}

TEST(WinogradKernel, DataOfAnyMagnitude) {
  Conv conv{1, 13, 14, 20, 40, 32, 1, 1, 1, 1};
  for (float others : {1e-45F, 1e-40F, 1e-37F, 1e-30F, 1e20F, 1e30F, 3e36F})
    checkOutlier(conv, others, 6, 7, 19, others);
}

/// The other results of a tile are zeros if all is zero but one element of the
/// tile.
TEST(WinogradKernel, ZerosStayZeros) {
  Conv conv{1, 12, 12, 16, 16, 16, 1, 1, 1, 1};
  checkOutlier(conv, 1.0F, 2, 2, 5, /*others=*/0);
}

/// Nothing reads the plain weights, which are zeros here, for ordinary data,
/// tiles at the edges and sparse ones included.
TEST(WinogradKernel, OrdinaryDataIsNotComputedDirectly) {
  for (int64_t size : {5, 9, 12, 13, 17})
    for (bool isSparse : {false, true}) {
      Conv conv{1, size, size, 24, 32, 32, 1, 1, 1, 1};
      auto kernel = compileKernel(print(conv));
      ASSERT_TRUE(kernel) << kernel.error().str();
      Tensor input = random(conv.input(), 1),
             weights = random(conv.kernel(), 2);
      // The sparse input is as after a relu; one pixel is zero in all channels.
      for (int64_t k = 0; k < input.shape().numElements() && isSparse; ++k)
        if (input.as<float>()[k] < 0.5F || k / 24 == size * 2 + 2)
          input.as<float>()[k] = 0;
      Tensor blocks = transform(weights, conv), zeros = pack(weights, conv);
      std::memset(zeros.data(), 0, zeros.bytes());
      Tensor bias = random({conv.outputs}, 3);
      Tensor residual = random(conv.result(), 4);
      Tensor relu = emptyTensor({DType::f32, conv.result()});
      Tensor sum = emptyTensor({DType::f32, conv.result()});
      kernel->run({input.data(), zeros.data(), blocks.data(), bias.data(),
                   residual.data(), relu.data(), sum.data()});
      expectClose(referenceWithBounds({conv.op(), {input, weights, bias}}), sum,
                  conv);
    }
}

/// What a prologue makes of the lanes behind the inputs is none of the data.
TEST(WinogradKernel, LanesBehindTheInputsDoNotCount) {
  Conv conv{1, 12, 12, 20, 16, 16, 1, 1, 1, 1};
  auto kernel = compileKernel(print(conv, /*isShifted=*/true));
  ASSERT_TRUE(kernel) << kernel.error().str();
  Tensor input = emptyTensor({DType::f32, conv.input()});
  for (int64_t i = 0; i < input.shape().numElements(); ++i)
    input.as<float>()[i] = -1;
  input.as<float>()[(2 * 12 + 2) * 20 + 7] = 4000;
  Tensor weights = random(conv.kernel(), 2), blocks = transform(weights, conv);
  Tensor plain = pack(weights, conv);
  Tensor none = tensorOf(DType::f32, {16}, std::vector<double>(16, 0));
  Tensor residual = random(conv.result(), 4);
  Tensor relu = emptyTensor({DType::f32, conv.result()});
  Tensor sum = emptyTensor({DType::f32, conv.result()});
  kernel->run({input.data(), plain.data(), blocks.data(), none.data(),
               residual.data(), relu.data(), sum.data()});
  int64_t compared = 0;
  for (int64_t y = 0; y < 12; ++y)
    for (int64_t x = 0; x < 12; ++x)
      for (int64_t o = 0; o < 16 && (y > 3 || x > 3); ++o, ++compared)
        ASSERT_EQ(sum.as<float>()[(y * 12 + x) * 16 + o], 0) << y << ", " << x;
  EXPECT_EQ(compared, (144 - 16) * 16);
}

TEST(WinogradKernel, IsTransformedOnce) {
  mlir::MLIRContext context;
  context.loadDialect<ir::TandemDialect>();
  auto kernelOf = [&](int64_t outputs) {
    auto type = mlir::RankedTensorType::get({3, 3, 32, outputs},
                                            mlir::Float32Type::get(&context));
    std::vector<float> elements(type.getNumElements());
    std::iota(elements.begin(), elements.end(), 0.0F);
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<float>(elements));
  };
  EXPECT_EQ(transformKernel(kernelOf(40), 32),
            transformKernel(kernelOf(40), 32));
  EXPECT_NE(transformKernel(kernelOf(40), 32),
            transformKernel(kernelOf(40), 16));
  EXPECT_NE(transformKernel(kernelOf(40), 32),
            transformKernel(kernelOf(48), 32));
}

} // namespace
