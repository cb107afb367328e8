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

/// A processor as LLVM describes it.
struct Processor {
  /// LLVM's name of the processor ("znver4", "x86-64-v3").
  std::string name;
  /// The features that it has and lacks, as an LLVM feature string:
  /// "+avx2,-avx512f,…".
  std::string features;
  /// Width of its widest vector registers, in bits.
  int64_t vectorBits = 128;
};

/// The processor that kernels are compiled for by default. It is the host's,
/// unless the environment variable TANDEM_CPU names another one ("x86-64-v3")
/// or takes features away ("-avx512bf16,-avx512f"), so that code for lesser
/// processors can be tried on this machine. Detected once; thread-safe.
const Processor &hostProcessor();

/// Checks TANDEM_CPU. Fails for a name that findProcessor refuses, in which
/// case hostProcessor() is the host's own.
Status checkHostProcessor();

/// Finds a processor by its LLVM name. Fails with phase "compile" if LLVM knows
/// no processor of this name, or if the host lacks instructions that code for
/// the processor may use. In the second case, the Error lists the missing
/// instructions.
Expected<Processor> findProcessor(std::string_view name);

/// Whether the feature string `features` enables the feature `name`. A later
/// entry overrides an earlier one.
bool hasFeature(std::string_view features, std::string_view name);

/// The feature string `features` after `changes` ("-avx2,+f16c"). As in LLVM,
/// removing a feature also removes all features that depend on it, and adding a
/// feature also adds the features on which it depends.
std::string changeFeatures(std::string_view features, std::string_view changes);

/// Whether the processor has AVX-512 BF16 for vectors of all widths: it
/// multiplies and adds pairs of bf16, and rounds f32 to bf16.
bool hasBF16Pairs(const Processor &processor);
/// Whether the processor multiplies and adds quads of integers of 8 bits in
/// vectors of the width that is used (vpdpbusd).
bool hasVNNI(const Processor &processor);
/// Whether the processor multiplies and adds pairs of integers of 16 bits in
/// vectors of the width that is used (vpmaddwd).
bool hasWordPairs(const Processor &processor);
/// Whether the processor has a matrix unit (AMX) for integers of 8 bits, and
/// vectors of 512 bits with elements of all widths for what follows.
bool hasAMXInt8(const Processor &processor);

/// Width of the widest vector registers that these features give, in bits.
int64_t getVectorBits(std::string_view features);

} // namespace tandem

#endif // TANDEM_ANALYSIS_HOSTPROCESSOR_H
