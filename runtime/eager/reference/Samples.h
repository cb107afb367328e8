//===- Samples.h - Perturbed values -----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_SAMPLES_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_SAMPLES_H

#include "../../core/SplitMix64.h"
#include "LocalErrors.h"

namespace tandem::reference {

/// Returns the element type of samples. Samples hold floats of 16 bits in f32,
/// as kernels do between two ops. Those of f16 are rounded to f16 all the same,
/// because kernels round each result.
constexpr DType sampleType(DType dtype) {
  return isFloat(dtype) ? computeType(dtype) : dtype;
}

/// The tensor with errors of the given sizes, of which there are none or one
/// for each element, in sample number `sample`. `stored` is the dtype of the
/// value; if that is f16, the sample holds numbers of f16 and infinities.
Tensor perturb(const Tensor &exact, const Errors &errors, DType stored,
               int sample, SplitMix64 &random);

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
