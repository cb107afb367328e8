//===- Peak.h - Measuring the peak of arithmetic ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_PEAK_H
#define TANDEM_MEASURE_PEAK_H

#include "tandem/Runtime/Tensor.h"

#include <cstdint>

namespace tandem::measure {

/// Measures the peak speed of the processor: independent f32 fused
/// multiply-adds in registers, on as many threads as numThreads() allows, for
/// some 300 us. No kernel can be faster. For bf16 it measures multiply-adds of
/// pairs, where the processor has them. Returns the sum of the threads' speeds,
/// in operations per nanosecond.
double measurePeakFma(DType dtype = DType::f32);

/// The same for the calling thread alone, with vectors of `vectorBits` bits.
/// The processor must have such vectors unless `vectorBits` is 128. Pairs of
/// bf16 use vectors of 512 bits.
double measurePeakOfCore(int64_t vectorBits, DType dtype = DType::f32);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_PEAK_H
