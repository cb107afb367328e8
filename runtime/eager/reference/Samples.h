//===- Samples.h - Perturbed values -----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_SAMPLES_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_SAMPLES_H

#include "LocalErrors.h"

#include <cstdint>

namespace tandem::reference {

/// Returns the element type of samples. Samples hold floats of 16 bits in f32,
/// as kernels do between two ops. Those of f16 are rounded to f16 all the same,
/// because kernels round each result.
constexpr DType sampleType(DType dtype) {
  return isFloat(dtype) ? computeType(dtype) : dtype;
}

/// A reproducible stream of random bits (SplitMix64: Steele, Lea and Flood,
/// Fast splittable pseudorandom number generators, OOPSLA 2014).
class RandomBits {
public:
  explicit RandomBits(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns a number of either sign, with a magnitude uniform in [1/2, 1): one
  /// error alone is seen in every sample, and two never cancel in all of them.
  double perturbation() {
    uint64_t bits = next();
    double magnitude = 0.5 + std::ldexp(static_cast<double>(bits >> 11), -54);
    return bits & 1 ? -magnitude : magnitude;
  }

private:
  uint64_t state;
};

/// The tensor with errors of the given sizes, of which there are none or one
/// for each element, in sample number `sample`. `stored` is the dtype of the
/// value; if that is f16, the sample holds numbers of f16 and infinities.
Tensor perturb(const Tensor &exact, const Errors &errors, DType stored,
               int sample, RandomBits &random);

/// A value as reference has it, and as each sample has it: none where every
/// execution gives the same bits.
struct SampledValue {
  Tensor reference;
  std::vector<Tensor> samples;
  /// The number of products that a contraction adds up for each element; 1 for
  /// the results of other ops.
  double terms = 1;

  /// The value of one sample; an exact one of 16 bits is widened once.
  Tensor inSample(size_t sample) {
    if (!samples.empty())
      return samples[sample];
    if (!widened)
      widened = convert(reference, sampleType(reference.dtype()));
    return widened;
  }

private:
  Tensor widened;
};

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_SAMPLES_H
