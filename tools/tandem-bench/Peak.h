//===- Peak.h - The processor's arithmetic limit ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_PEAK_H
#define TANDEM_TOOLS_TANDEM_BENCH_PEAK_H

#include "tandem/Runtime/Tensor.h"

#include <cstddef>
#include <cstring>

namespace tandem::bench {

/// Independent f32 fused multiply-adds in registers, on every thread that
/// numThreads() allows, for some 300 us: what no kernel can be faster than.
/// For bf16, of pairs of them, where the processor has that. Returns the sum of
/// the threads' speeds, in flops per ns.
double measurePeakFma(DType dtype = DType::f32);

/// memcpy of `bytes`, shared out over the threads.
void copyOnAllThreads(void *target, const void *source, size_t bytes);
/// memset to zero, shared out likewise.
void clearOnAllThreads(void *target, size_t bytes);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_PEAK_H
