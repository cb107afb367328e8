//===- ContractionTest.cpp - Kernels of contractions against reference ----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include "llvm/Support/MathExtras.h"

using namespace tandem;
using namespace tandem::test;

namespace {

/// Small multiples of 1/8 of both signs: sums of a few thousand products of
/// them are exact in f32.
Tensor varied(const Shape &shape, int seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i)
    values.push_back(static_cast<double>((i * 37 + seed * 11) % 61 - 30) / 8);
  return tensorOf(DType::f32, shape, values);
}

struct Conv2D {
  int64_t batch, height, width, inputs, outputs, kernel;
  int64_t stride = 1, dilation = 1, pad = 0, groups = 1;
};

Case makeCase(const Conv2D &c, bool channelsLast, bool hasBias) {
  fb::ConvAttrsT attrs;
  attrs.strides = {c.stride, c.stride};
  attrs.dilations = {c.dilation, c.dilation};
  attrs.pad_low = {c.pad, c.pad};
  attrs.pad_high = {c.pad, c.pad > 0 ? c.pad - 1 : 0};
  attrs.groups = c.groups;
  attrs.input_layout = attrs.output_layout = channelsLast ? "NHWC" : "NCHW";
  attrs.kernel_layout = channelsLast ? "HWIO" : "OIHW";
  int64_t inputs = c.inputs / c.groups;
  Shape input = channelsLast ? Shape{c.batch, c.height, c.width, c.inputs}
                             : Shape{c.batch, c.inputs, c.height, c.width};
  Shape kernel = channelsLast ? Shape{c.kernel, c.kernel, inputs, c.outputs}
                              : Shape{c.outputs, inputs, c.kernel, c.kernel};
  Case result{makeOp(OpKind::conv, attrs),
              {varied(input, 1), varied(kernel, 2)}};
  if (hasBias)
    result.operands.push_back(varied({c.outputs}, 3));
  return result;
}

/// Checks a convolution that must be generated in at least one layout.
void check(const Conv2D &c) {
  bool isGenerated = false;
  for (bool channelsLast : {true, false})
    for (bool hasBias : {false, true}) {
      Case one = makeCase(c, channelsLast, hasBias);
      isGenerated |= supports(contractingProvider(), one.op, one.operands);
      checkAgainstReference(contractingProvider(), one);
    }
  EXPECT_TRUE(isGenerated);
}

TEST(ContractionKernel, WidthsAroundTheTile) {
  for (int64_t width : {2, 3, 7, 13, 14, 15, 16, 17, 28, 29, 56, 61})
    check({1, 5, width, 5, 33, 3, 1, 1, 1});
}

/// So many tiles in a row that those with padding, on either side, share the
/// code of the others.
TEST(ContractionKernel, PaddingOfManyTiles) {
  for (int64_t width : {24, 42, 45})
    for (int64_t pad : {1, 2, 8, 30})
      for (int64_t kernel : {3, 4})
        check({1, 3, width, 3, 64, kernel, 1, 1, pad});
  check({2, 5, 90, 5, 64, 5, 2, 1, 3});
  check({1, 5, 60, 5, 64, 3, 1, 4, 5});
  check({1, 40, 60, 2, 64, 3, 1, 18, 18});
}

TEST(ContractionKernel, OutputsAroundTheVectors) {
  for (int64_t outputs : {2, 3, 8, 15, 16, 17, 31, 32, 33, 47, 48, 64, 97, 130})
    check({2, 4, 19, 6, outputs, 3, 1, 1, 1});
}

TEST(ContractionKernel, InputsAroundTheUnrolledLoop) {
  for (int64_t inputs : {1, 2, 3, 4, 5, 7, 16, 37})
    for (int64_t kernel : {1, 3})
      check({1, 6, 9, inputs, 20, kernel, 1, 1, kernel / 2});
}

TEST(ContractionKernel, StridesAndDilations) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2, 5})
      for (int64_t pad : {0, 1, 2, 7})
        check({1, 13, 37, 3, 18, 3, stride, dilation, pad});
}

TEST(ContractionKernel, PaddingWiderThanTheKernel) {
  check({1, 3, 4, 2, 17, 2, 1, 1, 5});
  check({1, 40, 40, 2, 17, 3, 1, 18, 18});
  check({1, 2, 50, 2, 17, 7, 2, 1, 3});
}

TEST(ContractionKernel, OnePixelAndOneTap) {
  check({3, 1, 1, 40, 24, 1});
  check({2, 7, 7, 64, 40, 1});
  check({2, 9, 11, 8, 40, 1, 2});
}

TEST(ContractionKernel, Groups) {
  for (int64_t groups : {2, 3}) {
    check({2, 6, 15, 4 * groups, 20 * groups, 3, 1, 1, 1, groups});
    check({2, 6, 15, 4 * groups, 3 * groups, 1, 1, 1, 0, groups});
  }
}

TEST(ContractionKernel, Depthwise) {
  for (int64_t channels : {2, 15, 16, 33, 96, 100})
    for (int64_t stride : {1, 2})
      check({2, 9, 16, channels, channels, 3, stride, 1, 1, channels});
}

/// Rows cut into whole tiles, edges and rests, taps that stay in registers and
/// more of them, steps over and between what other taps read.
TEST(ContractionKernel, DepthwiseSlides) {
  for (int64_t kernel : {1, 3, 8, 9})
    for (int64_t stride : {1, 2, 3})
      for (int64_t dilation : {1, 2})
        for (int64_t width : {kernel * dilation + 1, int64_t(57)})
          check({1, 3 + kernel * dilation, width, 40, 40, kernel, stride,
                 dilation, kernel / 2, 40});
}

/// All data of some taps, of some rows, or of whole tiles is padding.
TEST(ContractionKernel, DepthwiseInMuchPadding) {
  for (int64_t pad : {3, 9, 40})
    for (int64_t channels : {16, 70})
      check({2, 4, 5, channels, channels, 3, 1, 1, pad, channels});
}

/// What the next row reads and writes is prefetched.
TEST(ContractionKernel, DepthwiseBeyondTheCache) {
  for (int64_t stride : {1, 2})
    for (int64_t dilation : {1, 2})
      check({2, 60, 61, 72, 72, 3, stride, dilation, 1, 72});
}

TEST(ContractionKernel, OneAndThreeSpatialDims) {
  for (int64_t width : {4, 33, 100}) {
    fb::ConvAttrsT attrs;
    attrs.strides = {1};
    attrs.dilations = {2};
    attrs.pad_low = {4};
    attrs.pad_high = {0};
    attrs.input_layout = attrs.output_layout = "NWC";
    attrs.kernel_layout = "WIO";
    Case c{makeOp(OpKind::conv, attrs),
           {varied({2, width, 5}, 1), varied({3, 5, 24}, 2)}};
    ASSERT_TRUE(supports(contractingProvider(), c.op, c.operands));
    checkAgainstReference(contractingProvider(), c);
  }
  fb::ConvAttrsT attrs;
  attrs.strides = {1, 2, 1};
  attrs.dilations = {1, 1, 2};
  attrs.pad_low = attrs.pad_high = {1, 1, 1};
  attrs.input_layout = attrs.output_layout = "NDHWC";
  attrs.kernel_layout = "DHWIO";
  Case c{makeOp(OpKind::conv, attrs),
         {varied({2, 4, 5, 18, 3}, 1), varied({3, 3, 3, 3, 20}, 2)}};
  ASSERT_TRUE(supports(contractingProvider(), c.op, c.operands));
  checkAgainstReference(contractingProvider(), c);
}

Case makeMatmul(const Shape &lhs, const Shape &rhs, bool transposeLhs,
                bool transposeRhs) {
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = transposeLhs;
  attrs.transpose_rhs = transposeRhs;
  return {makeOp(OpKind::matmul, attrs), {varied(lhs, 1), varied(rhs, 2)}};
}

TEST(ContractionKernel, Matmul) {
  for (int64_t m : {1, 2, 14, 27, 61})
    for (int64_t k : {1, 3, 31, 64})
      for (int64_t n : {2, 16, 33, 65}) {
        Case plain = makeMatmul({m, k}, {k, n}, false, false);
        ASSERT_TRUE(supports(contractingProvider(), plain.op, plain.operands));
        checkAgainstReference(contractingProvider(), plain);
        checkAgainstReference(contractingProvider(),
                              makeMatmul({k, m}, {k, n}, true, false));
      }
}

/// More than the second-level cache holds, in rows that are long: sums are in
/// memory, where positions are few.
TEST(ContractionKernel, MatmulWithFarWeights) {
  for (int64_t m : {1, 2, 3, 4, 6})
    for (auto [k, n] : {std::pair<int64_t, int64_t>{3, 50000},
                        {8, 20001},
                        {65, 4133},
                        {260, 513}}) {
      Case plain = makeMatmul({m, k}, {k, n}, false, false);
      ASSERT_TRUE(supports(contractingProvider(), plain.op, plain.operands));
      checkAgainstReference(contractingProvider(), plain);
      checkAgainstReference(contractingProvider(),
                            makeMatmul({k, m}, {k, n}, true, false));
    }
}

TEST(ContractionKernel, BatchedMatmul) {
  const std::pair<Shape, Shape> shapes[] = {{{3, 5, 7}, {3, 7, 20}},
                                            {{3, 5, 7}, {7, 20}},
                                            {{5, 7}, {3, 7, 20}},
                                            {{2, 1, 5, 7}, {3, 7, 20}},
                                            {{2, 3, 5, 7}, {1, 7, 20}}};
  for (const auto &[lhs, rhs] : shapes) {
    Case c = makeMatmul(lhs, rhs, false, false);
    ASSERT_TRUE(supports(contractingProvider(), c.op, c.operands));
    checkAgainstReference(contractingProvider(), c);
  }
}

/// Dot products: both operands have the inputs adjacent.
TEST(ContractionKernel, MatmulWithTransposedWeights) {
  for (int64_t m : {1, 2, 7, 33})
    for (int64_t k : {1, 2, 15, 16, 17, 33, 100})
      for (int64_t n : {1, 5, 10, 33}) {
        Case c = makeMatmul({m, k}, {n, k}, false, true);
        EXPECT_TRUE(supports(contractingProvider(), c.op, c.operands) ||
                    (k == 1 && n == 1));
        checkAgainstReference(contractingProvider(), c);
      }
}

TEST(ContractionKernel, BatchedMatmulWithTransposedWeights) {
  const std::pair<Shape, Shape> shapes[] = {{{3, 5, 17}, {3, 20, 17}},
                                            {{3, 5, 17}, {20, 17}},
                                            {{5, 17}, {3, 21, 17}},
                                            {{2, 1, 5, 7}, {3, 10, 7}},
                                            {{2, 3, 5, 33}, {1, 9, 33}}};
  for (const auto &[lhs, rhs] : shapes) {
    Case c = makeMatmul(lhs, rhs, false, true);
    ASSERT_TRUE(supports(contractingProvider(), c.op, c.operands));
    checkAgainstReference(contractingProvider(), c);
  }
}

/// Weights with the inputs innermost, taps and padding, in groups.
TEST(ContractionKernel, ConvolutionOfDots) {
  for (int64_t inputs : {2, 3, 16, 19})
    for (int64_t outputs : {1, 5, 18})
      for (int64_t groups : {1, 2})
        for (int64_t pad : {0, 1})
          for (bool hasBias : {false, true}) {
            Case c = makeCase({2, 5, 9, inputs * groups, outputs * groups, 3, 1,
                               1, pad, groups},
                              true, hasBias);
            c.op.attrs.AsConvAttrs()->kernel_layout = "OHWI";
            c.operands[1] = varied({outputs * groups, 3, 3, inputs}, 2);
            ASSERT_TRUE(supports(contractingProvider(), c.op, c.operands));
            checkAgainstReference(contractingProvider(), c);
          }
}

/// An epilogue that reads a bias and a residual, over cut tiles of outputs.
TEST(ContractionKernel, DotsAndEpilogue) {
  for (int64_t m : {1, 7})
    for (int64_t k : {15, 33})
      for (int64_t n : {2, 10, 33}) {
        auto text = [](const Shape &shape) {
          return TensorType{DType::f32, shape}.str();
        };
        std::string result = text({m, n});
        auto kernel = compileKernel(
            "module @k attributes {tandem.kind = #tandem<fusion_kind "
            "contraction>} { func.func @k(%x: " +
            text({m, k}) + ", %w: " + text({n, k}) + ", %b: " + text({n}) +
            ") -> " + result +
            " {\n%0 = tandem.matmul %x, %w transpose_rhs : (" + text({m, k}) +
            ", " + text({n, k}) + ") -> " + result +
            "\n%1 = tandem.add %0, %b : (" + result + ", " + text({n}) +
            ") -> " + result + "\n%2 = tandem.relu %1 : " + result +
            "\nreturn %2 : " + result + " } }");
        ASSERT_TRUE(kernel) << kernel.error().str();
        Case c = makeMatmul({m, k}, {n, k}, false, true);
        Tensor bias = varied({n}, 5);
        Tensor computed = emptyTensor({DType::f32, {m, n}});
        auto address = [](const Tensor &tensor) {
          return const_cast<void *>(tensor.data());
        };
        kernel->run({address(c.operands[0]), address(c.operands[1]),
                     address(bias), address(computed)});
        Tensor sum =
            reference(makeOp(OpKind::add), {reference(c.op, c.operands), bias});
        EXPECT_EQ(valuesOf(computed),
                  valuesOf(reference(makeOp(OpKind::relu), {sum})));
      }
}

/// The kernel of a convolution whose weights are packed in blocks of outputs.
std::string printPacked(int64_t outputs, int64_t block, int64_t groups) {
  int64_t ofGroup = outputs / groups;
  int64_t blocks = llvm::divideCeilSigned(ofGroup, block);
  auto type = [](const Shape &shape) {
    return TensorType{DType::f32, shape}.str();
  };
  std::string packed = type({groups, blocks, 3, 3, 4, block});
  std::string transposed = type({3, 3, 4, groups, blocks, block});
  std::string padded = type({3, 3, 4, groups, blocks * block});
  std::string cut = type({3, 3, 4, groups, ofGroup});
  std::string kernel = type({3, 3, 4, outputs});
  std::string input = type({2, 5, 17, 4 * groups});
  std::string result = type({2, 5, 17, outputs});
  auto text = [](int64_t value) { return std::to_string(value); };
  return "module @k attributes {tandem.kind = #tandem<fusion_kind "
         "contraction>} { func.func @k(%x: " +
         input + ", %w: " + packed + ", %b: " + type({outputs}) +
         ", %r: " + result + ") -> (" + result + ", " + result + ") {\n" +
         "%0 = tandem.transpose %w permutation = [2, 3, 4, 0, 1, 5] : (" +
         packed + ") -> " + transposed +
         "\n%1 = tandem.reshape %0 shape = [3, 3, 4, " + text(groups) + ", " +
         text(blocks * block) + "] : (" + transposed + ") -> " + padded +
         "\n%2 = tandem.slice %1 starts = [0, 0, 0, 0, 0] limits = [3, 3, 4, " +
         text(groups) + ", " + text(ofGroup) +
         "] strides = [1, 1, 1, 1, 1] : (" + padded + ") -> " + cut +
         "\n%3 = tandem.reshape %2 shape = [3, 3, 4, " + text(outputs) +
         "] : (" + cut + ") -> " + kernel +
         "\n%4 = tandem.conv %x, %3, %b layout = <input = \"NHWC\", kernel = "
         "\"HWIO\", output = \"NHWC\"> pad_low = [1, 1] pad_high = [1, 1] "
         "groups = " +
         text(groups) + " : (" + input + ", " + kernel + ", " +
         type({outputs}) + ") -> " + result +
         "\n%5 = tandem.add %4, %r : " + result +
         "\n%6 = tandem.relu %5 : " + result + "\nreturn %6, %4 : " + result +
         ", " + result + " } }";
}

/// Packed weights, an epilogue that reads another tensor, and two results.
TEST(ContractionKernel, PackedWeightsAndEpilogue) {
  for (int64_t groups : {1, 2})
    for (int64_t ofGroup : {16, 24, 33, 64, 80})
      for (int64_t block : {16, 32}) {
        int64_t outputs = ofGroup * groups;
        auto kernel = compileKernel(printPacked(outputs, block, groups));
        ASSERT_TRUE(kernel) << kernel.error().str();
        Case conv = makeCase(
            {2, 5, 17, 4 * groups, outputs, 3, 1, 1, 1, groups}, true, true);
        auto &attrs = *conv.op.attrs.AsConvAttrs();
        attrs.pad_high = {1, 1};
        // Pack them here.
        int64_t blocks = llvm::divideCeilSigned(ofGroup, block);
        std::vector<double> plain = valuesOf(conv.operands[1]);
        std::vector<double> packed(groups * blocks * 36 * block, 0);
        for (size_t i = 0; i < plain.size(); ++i) {
          int64_t output = i % outputs, tap = i / outputs;
          int64_t group = output / ofGroup, of = output % ofGroup;
          packed[((group * blocks + of / block) * 36 + tap) * block +
                 of % block] = plain[i];
        }
        Tensor weights =
            tensorOf(DType::f32, {groups, blocks, 3, 3, 4, block}, packed);
        Tensor residual = varied({2, 5, 17, outputs}, 7);
        Tensor sum = emptyTensor({DType::f32, {2, 5, 17, outputs}});
        Tensor result = emptyTensor({DType::f32, {2, 5, 17, outputs}});
        auto address = [](const Tensor &tensor) {
          return const_cast<void *>(tensor.data());
        };
        kernel->run({address(conv.operands[0]), address(weights),
                     address(conv.operands[2]), address(residual),
                     address(result), address(sum)});
        Tensor expected = reference(conv.op, conv.operands);
        EXPECT_EQ(valuesOf(sum), valuesOf(expected));
        expected =
            reference(makeOp(OpKind::relu),
                      {reference(makeOp(OpKind::add), {expected, residual})});
        EXPECT_EQ(valuesOf(result), valuesOf(expected));
      }
}

} // namespace
