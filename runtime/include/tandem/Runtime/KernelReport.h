//===- KernelReport.h - Facts about a compiled kernel -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELREPORT_H
#define TANDEM_RUNTIME_KERNELREPORT_H

#include <cstdint>
#include <string>

namespace tandem {

/// The generated code of a kernel and the hardware resources that the kernel
/// uses. Fields are empty or 0 for targets that do not generate source code.
struct KernelListing {
  /// `source` is the CUDA C++ source and `assembly` is the PTX.
  std::string source, assembly;
  /// The number of registers per thread.
  int64_t registers = 0;
  /// The number of bytes of spilled registers per thread.
  int64_t spillBytes = 0;
  /// The number of bytes of shared memory per block.
  int64_t sharedBytes = 0;
};

/// Facts about one kernel of a compiled program.
struct KernelReport {
  /// The name of the kernel, as in Program::kernels.
  std::string name;
  /// Source location of the kernel's root op, `file:line:col`; empty if
  /// unknown.
  std::string location;
  /// True if the kernel was found in the kernel cache of this process.
  bool isCached = false;
  /// The compile time of the kernel on a single thread, in nanoseconds; 0 if
  /// `isCached`.
  double compileNs = 0;
  /// The size of the kernel's code in bytes. Kernels that are compiled together
  /// share one code object, and each of them reports the size of the whole
  /// object.
  int64_t codeBytes = 0;
  KernelListing listing;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELREPORT_H
