//===- KernelMethods.h - Methods of generated kernels -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_KERNELMETHODS_H
#define TANDEM_TARGET_CPU_KERNELMETHODS_H

#include "tandem/Support/TargetOptions.h"

namespace tandem {

/// A method by which generated kernels of the target "cpu" compute
/// contractions. Benchmarks compare all methods.
struct KernelMethod {
  /// The name in JSON, the title of its column in tables, and the abbreviation
  /// in a table's cells.
  std::string_view name, title, abbreviation;
  /// The options that select the method for every contraction it can compute.
  TargetOptions options;
};

/// Returns all methods. The first one is possible for every contraction for
/// which a kernel can be generated.
std::span<const KernelMethod> kernelMethods();

} // namespace tandem

#endif // TANDEM_TARGET_CPU_KERNELMETHODS_H
