//===- StepInfo.h - What the steps of a program are -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_STEPINFO_H
#define TANDEM_TOOLS_TANDEM_RUN_STEPINFO_H

#include "common/Tiers.h"

#include <span>
#include <string>
#include <vector>

namespace tandem::tools {

/// What runs a step.
enum class StepKind {
  kernel,    ///< Generated code.
  library,   ///< A library, or a prebuilt kernel.
  reference, ///< The plain loops of the reference provider.
  view,      ///< Nothing: the same bytes under another type.
};
std::string_view name(StepKind kind);

/// A step of a program for inputs of certain types.
struct StepInfo {
  /// "kernel_3", "conv+relu".
  std::string name;
  StepKind kind = StepKind::kernel;
  /// The provider that runs an op step.
  std::string provider;
  /// The locations of all ops that it was made of.
  std::vector<std::string> sources;
  /// What one run works on. A multiply-add counts as two operations.
  int64_t bytesRead = 0, bytesWritten = 0, flops = 0;
  /// The size of an element of the result, in bytes.
  int64_t elementBytes = 4;
};

/// "kernel_3", "conv+relu", "loop".
std::string nameOf(const std::vector<std::unique_ptr<fb::KernelT>> &kernels,
                   const fb::StepT &step);
/// The locations of all ops that a step was made of.
std::vector<std::string> sourcesOf(const fb::StepT &step);

/// Describes all steps of a tier's program for inputs of these types, in order.
/// `options` are those that the tier was prepared with.
Expected<std::vector<StepInfo>>
describeSteps(const PreparedTier &prepared, Tier tier,
              std::span<const TensorType> inputs,
              const CompileOptions &options);

/// `sources` without the name of the file that they all have: "conv1",
/// "relu_2"; "3:8" of MLIR.
std::vector<std::string> withoutFile(std::vector<std::string> sources,
                                     const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_STEPINFO_H
