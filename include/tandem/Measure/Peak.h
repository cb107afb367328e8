//===- Peak.h - The processor's arithmetic limit ----------------*- C++ -*-===//
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

/// Independent f32 fused multiply-adds in registers, on every thread that
/// numThreads() allows, for some 300 us: what no kernel can be faster than.
/// For bf16, of pairs of them, where the processor has that. Returns the sum of
/// the threads' speeds, in flops per ns.
double measurePeakFma(DType dtype = DType::f32);

/// The same of the calling thread alone, in vectors of so many bits, which the
/// processor must have, or of 128; pairs are of 512.
double measurePeakOfCore(int64_t vectorBits, DType dtype = DType::f32);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_PEAK_H
