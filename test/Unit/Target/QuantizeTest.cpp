//===- QuantizeTest.cpp - Kernels that quantize ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels divide by a constant scale without a division, round by an addition,
// and dequantize what they have quantized without converting it to an integer.
// All results are those of the plain operations in C++, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>

using namespace tandem;
using namespace tandem::test;

namespace {

struct Quantization {
  float scale;
  int zeroPoint;
  bool isSigned;

  int low() const { return isSigned ? INT8_MIN : 0; }
  int high() const { return isSigned ? INT8_MAX : UINT8_MAX; }
  int quantize(float x) const {
    const float number = std::nearbyint(x / scale) + float(zeroPoint);
    return std::isnan(number)
               ? 0
               : int(std::clamp(number, float(low()), float(high())));
  }
  float dequantize(int number) const {
    return (float(number) - float(zeroPoint)) * scale;
  }
};

void PrintTo(const Quantization &q, std::ostream *out) {
  *out << "scale " << q.scale << ", zero point " << q.zeroPoint
       << (q.isSigned ? ", i8" : ", ui8");
}

/// Numbers whose quotients are next to ties, numbers of all magnitudes, and
/// special values.
std::vector<float> makeSamples(float scale) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> samples = {0.0F,
                                -0.0F,
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::max(),
                                Limits::lowest(),
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                Limits::min(),
                                Limits::quiet_NaN(),
                                1e30F};
  constexpr int kMost = 300, kNeighbors = 3;
  for (int i = -kMost; i <= kMost; ++i) {
    auto x = float((i + 0.5) * double(scale));
    for (int step = 0; step < kNeighbors; ++step)
      x = std::nextafter(x, -Limits::infinity());
    for (int step = 0; step <= 2 * kNeighbors; ++step) {
      samples.push_back(x);
      x = std::nextafter(x, Limits::infinity());
    }
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int i = 0; i < 20000; ++i) {
    samples.push_back(float(300 * part(random) * scale));
    samples.push_back(float(part(random) * std::exp2(120 * part(random))));
  }
  return samples;
}

/// Quantizes and dequantizes again.
std::string makeKernel(const Quantization &q, size_t count) {
  std::ostringstream text;
  text.precision(std::numeric_limits<float>::max_digits10);
  text << std::scientific;
  const std::string floats = "tensor<" + std::to_string(count) + "xf32>",
                    bytes = "tensor<" + std::to_string(count) +
                            (q.isSigned ? "xi8>" : "xui8>"),
                    binary = " : (" + floats + ", tensor<f32>) -> " + floats;
  text << "module @k attributes {tandem.kind = #tandem<fusion_kind loop>} {\n"
       << "func.func @k(%x: " << floats << ") -> (" << bytes << ", " << floats
       << ") {\n"
       << "  %s = tandem.constant dense<" << q.scale << "> : tensor<f32>\n"
       << "  %z = tandem.constant dense<" << float(q.zeroPoint)
       << "> : tensor<f32>\n"
       << "  %0 = tandem.div %x, %s" << binary << "\n"
       << "  %1 = tandem.round %0 : " << floats << "\n"
       << "  %2 = tandem.add %1, %z" << binary << "\n"
       << "  %3 = tandem.cast %2 : (" << floats << ") -> " << bytes << "\n"
       << "  %4 = tandem.cast %3 : (" << bytes << ") -> " << floats << "\n"
       << "  %5 = tandem.sub %4, %z" << binary << "\n"
       << "  %6 = tandem.mul %5, %s" << binary << "\n"
       << "  return %3, %6 : " << bytes << ", " << floats << "\n}\n}\n";
  return text.str();
}

class Quantize : public testing::TestWithParam<Quantization> {};

TEST_P(Quantize, HasTheBitsOfPlainOperations) {
  const Quantization &q = GetParam();
  const std::vector<float> x = makeSamples(q.scale);
  for (const char *features : {"", "-avx512f", "-fma"}) {
    SCOPED_TRACE(features);
    CPUTargetOptions options;
    options.features = features;
    auto kernel = compileKernel(makeKernel(q, x.size()), options);
    ASSERT_TRUE(kernel) << kernel.error().str();
    std::vector<uint8_t> bytes(x.size());
    std::vector<float> back(x.size());
    kernel->run({const_cast<float *>(x.data()), bytes.data(), back.data()});
    for (size_t i = 0; i < x.size(); ++i) {
      const int wanted = q.quantize(x[i]);
      const int actual = q.isSigned ? int(int8_t(bytes[i])) : int(bytes[i]);
      ASSERT_EQ(actual, wanted) << "of " << x[i];
      ASSERT_EQ(back[i], q.dequantize(wanted)) << "of " << x[i];
    }
  }
}

// Kernels divide by the last three scales with a division instruction. For the
// power of two before them, LLVM multiplies by the reciprocal.
INSTANTIATE_TEST_SUITE_P(
    Scales, Quantize,
    testing::Values(
        Quantization{0.1F, 0, false}, Quantization{0.0235294F, 118, false},
        Quantization{0.02F, -3, true}, Quantization{3.1e-5F, 0, true},
        Quantization{1.7e10F, 255, false},
        Quantization{0x1.fffffep-5F, 128, false},
        Quantization{0x1.000002p3F, 7, true},
        Quantization{0x1.8p-60F, 1, false}, Quantization{0x1.8p59F, 1, false},
        Quantization{0.25F, 3, false}, Quantization{1e-30F, 0, false},
        Quantization{1e-41F, 5, false}, Quantization{1e25F, 0, true}));

} // namespace
