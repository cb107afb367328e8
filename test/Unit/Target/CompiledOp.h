//===- CompiledOp.h - Kernels as a provider of ops --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_TARGET_COMPILEDOP_H
#define TANDEM_TEST_UNIT_TARGET_COMPILEDOP_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Provider.h"
#include "tandem/Target/CPU/CPUTarget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tandem::test {

/// A kernel that was compiled and loaded.
struct CompiledKernel {
  fb::KernelT kernel;
  LoadedKernels loaded;

  /// Runs [0, extent) in three ranges, so that a kernel which does not honor
  /// its range is found out.
  void run(std::vector<void *> args) const;
  /// The same with a workspace of the caller's.
  void run(std::vector<void *> args, std::byte *workspace) const;
};

/// Compiles `module @k { func.func @k … }` in tandem ops.
Expected<CompiledKernel> compileKernel(const std::string &source,
                                       const CPUTargetOptions &options = {});

/// What CPUTargetOptions::features takes from the host, in the suites that test
/// bf16: nothing, its instructions, and all of AVX-512; and a suite's name.
inline auto bf16Hosts() {
  return testing::Values("", "-avx512bf16", "-avx512f");
}
inline std::string hostName(const testing::TestParamInfo<const char *> &info) {
  std::string features = info.param;
  std::replace(features.begin(), features.end(), ',', '_');
  std::erase(features, '-');
  return features.empty() ? "Whole" : "Less_" + features;
}

/// Compiles each op as a kernel of its own. Supports what can be emitted
/// elementally.
const Provider &compilingProvider();

/// The same for kernels of kind contraction. `features`: see CPUTargetOptions.
const Provider &contractingProvider(const std::string &features = "");

/// The same as kernels of kind reduction, for what can be one.
const Provider &reducingProvider();

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_TARGET_COMPILEDOP_H
