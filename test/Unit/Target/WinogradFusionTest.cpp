//===- WinogradFusionTest.cpp - Winograd's method between other ops -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"
#include "WinogradCase.h"

using namespace tandem;
using namespace tandem::test;
using namespace tandem::test::winograd;

namespace {

OpDesc poolOp() {
  fb::PoolAttrsT pool;
  pool.window = pool.strides = {2, 2};
  pool.pad_low = pool.pad_high = {0, 0};
  pool.dilations = {1, 1};
  pool.layout = "NHWC";
  return makeOp(OpKind::max_pool, pool);
}

Shape pooled(const Conv &conv) {
  const Shape images = conv.result();
  return {images[0], images[1] / 2, images[2] / 2, images[3]};
}

std::string print(const Conv &conv, bool isShifted, bool isPooled) {
  std::string result = text(conv.result());
  std::string body = printConv(conv, isShifted);
  if (!isPooled)
    return printKernel(conv, "", result, body + "return %4 : " + result);
  std::string small = text(pooled(conv));
  return printKernel(conv, "", small,
                     body +
                         "%5 = tandem.max_pool %4 layout = \"NHWC\" window = "
                         "[2, 2] strides = [2, 2] : (" +
                         result + ") -> " + small + "\nreturn %5 : " + small);
}

/// One element is `outlier` where that is not 0: results that do not read it
/// must not tell.
void check(const Conv &conv, bool isShifted, bool isPooled, float outlier = 0) {
  auto kernel = compileKernel(print(conv, isShifted, isPooled));
  ASSERT_TRUE(kernel) << kernel.error().str();
  const Tensor input = random(conv.input(), 1);
  if (outlier != 0)
    input.as<float>()[input.shape().numElements() / 2] = outlier;
  const Tensor weights = random(conv.kernel(), 2);
  const Tensor bias = random({conv.outputs}, 3);
  const Tensor plain = pack(weights, conv), blocks = transform(weights, conv);
  const Tensor one = tensorOf(DType::f32, {}, {1});
  const Tensor data =
      isShifted ? reference(makeOp(OpKind::add), {input, one}) : input;
  BoundedTensor expected =
      referenceWithBounds({conv.op(), {data, weights, bias}});
  if (isPooled) {
    const Tensor bounds = tensorOf(DType::f64, conv.result(), expected.bounds);
    expected.value = reference(poolOp(), {expected.value});
    expected.bounds = referenceValues(poolOp(), {bounds});
  }
  const Tensor actual = emptyTensor(expected.value.type());
  std::memset(actual.data(), 0xff, actual.bytes());
  kernel->run(
      {input.data(), plain.data(), blocks.data(), bias.data(), actual.data()});
  const Difference difference =
      compare(expected.value, actual, expected.bounds);
  EXPECT_TRUE(difference.agrees())
      << conv.height << "x" << conv.width << "x" << conv.inputs << " to "
      << conv.outputs << ", worst: " << difference.actual << " for "
      << difference.expected;
}

TEST(WinogradFusion, Prologue) {
  for (int64_t inputs : {9, 16, 33})
    for (int64_t width : {6, 11, 23})
      check({2, 9, width, inputs, 40, 32, 1, 1, 1, 1}, true, false);
}

TEST(WinogradFusion, Outliers) {
  for (float outlier : {-1e9F, 1e30F})
    for (bool isPooled : {false, true})
      check({2, 12, 18, 20, 40, 32, 1, 1, 1, 1}, !isPooled, isPooled, outlier);
}

TEST(WinogradFusion, Pooling) {
  for (int64_t outputs : {16, 33, 64})
    for (int64_t width : {8, 14, 31})
      check({2, 12, width, 16, outputs, 32, 1, 1, 1, 1}, false, true);
}

} // namespace
