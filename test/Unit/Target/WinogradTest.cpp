//===- WinogradTest.cpp - Convolutions of fewer products ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include "tandem/Dialect/Tandem/IR/Rearrange.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/Winograd.h"
#include "tandem/Runtime/Compare.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace tandem;
using namespace tandem::test;

namespace {

struct Conv {
  int64_t batch, height, width, inputs, outputs, block;
  int64_t padTop = 0, padBottom = 0, padLeft = 0, padRight = 0;

  Shape input() const { return {batch, height, width, inputs}; }
  Shape kernel() const { return {3, 3, inputs, outputs}; }
  Shape result() const {
    return {batch, height + padTop + padBottom - 2,
            width + padLeft + padRight - 2, outputs};
  }
  Shape blocks() const {
    return {llvm::divideCeilSigned(outputs, block), 6, 6, inputs, block};
  }
  OpDesc op() const {
    fb::ConvAttrsT attrs;
    attrs.strides = attrs.dilations = {1, 1};
    attrs.pad_low = {padTop, padLeft};
    attrs.pad_high = {padBottom, padRight};
    attrs.groups = 1;
    attrs.input_layout = attrs.output_layout = "NHWC";
    attrs.kernel_layout = "HWIO";
    return makeOp(OpKind::conv, attrs);
  }
};

std::string text(const Shape &shape) {
  return TensorType{DType::f32, shape}.str();
}

Tensor random(const Shape &shape, uint64_t seed) {
  Tensor tensor = emptyTensor({DType::f32, shape});
  fillRandom(tensor, seed);
  return tensor;
}

/// The kernel as the pass lays it out.
Tensor transform(const Tensor &kernel, const Conv &conv) {
  mlir::MLIRContext context;
  auto type = mlir::RankedTensorType::get({3, 3, conv.inputs, conv.outputs},
                                          mlir::Float32Type::get(&context));
  auto attr = mlir::DenseElementsAttr::get(
      type, llvm::ArrayRef(static_cast<const float *>(kernel.data()),
                           type.getNumElements()));
  context.loadDialect<ir::TandemDialect>();
  mlir::ElementsAttr made = ir::transformKernel(attr, conv.block);
  llvm::ArrayRef<char> bytes = ir::getRawData(made);
  Tensor result = emptyTensor({DType::f32, conv.blocks()});
  EXPECT_EQ(bytes.size(), static_cast<size_t>(result.bytes()));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// A convolution with bias, which is returned, and relu of it and a residual.
std::string print(const Conv &conv) {
  auto list = [](int64_t a, int64_t b) {
    return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
  };
  int64_t rounded = conv.blocks()[0] * conv.block;
  std::string outputs = std::to_string(conv.outputs);
  std::string inputs = std::to_string(conv.inputs);
  std::string packed = text(conv.blocks()), result = text(conv.result());
  std::string turned = text({6, 6, conv.inputs, conv.blocks()[0], conv.block});
  std::string padded = text({6, 6, conv.inputs, rounded});
  std::string cut = text({6, 6, conv.inputs, conv.outputs});
  return "module @k attributes {tandem.kind = #tandem<fusion_kind "
         "contraction>} { func.func @k(%x: " +
         text(conv.input()) + ", %u: " + packed +
         ", %b: " + text({conv.outputs}) + ", %r: " + result + ") -> (" +
         result + ", " + result +
         ") {\n%0 = tandem.transpose %u permutation = [1, 2, 3, 0, 4]"
         " : (" +
         packed + ") -> " + turned +
         "\n%1 = tandem.reshape %0 shape = [6, 6, " + inputs + ", " +
         std::to_string(rounded) + "] : (" + turned + ") -> " + padded +
         "\n%2 = tandem.slice %1 starts = [0, 0, 0, 0] limits = [6, 6, " +
         inputs + ", " + outputs + "] strides = [1, 1, 1, 1] : (" + padded +
         ") -> " + cut + "\n%3 = tandem.from_winograd %2 : " + cut + " -> " +
         text(conv.kernel()) +
         "\n%4 = tandem.conv %x, %3, %b layout = <input = \"NHWC\", kernel = "
         "\"HWIO\", output = \"NHWC\"> pad_low = " +
         list(conv.padTop, conv.padLeft) +
         " pad_high = " + list(conv.padBottom, conv.padRight) + " : (" +
         text(conv.input()) + ", " + text(conv.kernel()) + ", " +
         text({conv.outputs}) + ") -> " + result +
         "\n%5 = tandem.add %4, %r : " + result +
         "\n%6 = tandem.relu %5 : " + result + "\nreturn %6, %4 : " + result +
         ", " + result + " } }";
}

/// As the tolerance model has it for one op and its epilogue.
void expectClose(const Tensor &expected, const Tensor &actual,
                 const Conv &conv) {
  double steps = std::sqrt(9.0 * static_cast<double>(conv.inputs));
  Difference difference =
      compare(expected, actual, {std::ldexp(1.0, -23) * (8 + 2 * steps)});
  EXPECT_EQ(difference.mismatches, 0)
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
  kernel->run({input.data(), blocks.data(), bias.data(), residual.data(),
               relu.data(), sum.data()});
  Tensor expected = reference(conv.op(), {input, weights, bias});
  expectClose(expected, sum, conv);
  expectClose(reference(makeOp(OpKind::relu),
                        {reference(makeOp(OpKind::add), {expected, residual})}),
              relu, conv);
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
    kernel->run({input.data(), blocks.data(), none.data(), zeros.data(),
                 relu.data(), sum.data()});
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

} // namespace
