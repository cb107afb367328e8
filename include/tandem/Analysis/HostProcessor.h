//===- HostProcessor.h - The processor that code is made for ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_HOSTPROCESSOR_H
#define TANDEM_ANALYSIS_HOSTPROCESSOR_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

struct Processor {
  /// LLVM's name of it ("znver4", "x86-64-v3").
  std::string name;
  /// What it has and lacks, as LLVM takes it: "+avx2,-avx512f,…".
  std::string features;
  /// Of its widest vector registers.
  int64_t vectorBits = 128;
};

/// The processor that kernels are compiled and priced for where none is named:
/// this machine's; or, so that the code for others can be tried on it, the one
/// that the environment variable TANDEM_CPU names ("x86-64-v3"), or this
/// machine's less what TANDEM_CPU takes away ("-avx512bf16,-avx512f"). Detected
/// once; thread-safe.
const Processor &hostProcessor();

/// The Error of a name in TANDEM_CPU that findProcessor refuses.
/// hostProcessor() is this machine's then.
Status checkHostProcessor();

/// A processor by its LLVM name. The Error (phase "compile") says that there is
/// none of that name, or which instructions this machine lacks to run its code.
Expected<Processor> findProcessor(std::string_view name);

/// Whether `features`, of which later ones count, end up with `name`.
bool hasFeature(std::string_view features, std::string_view name);

/// Whether it multiplies and adds pairs of bf16, and rounds to bf16, in vectors
/// of all widths (AVX-512 BF16).
bool hasBF16Pairs(const Processor &processor);

/// Bits of the widest vector registers that these features have.
int64_t getVectorBits(std::string_view features);

} // namespace tandem

#endif // TANDEM_ANALYSIS_HOSTPROCESSOR_H
