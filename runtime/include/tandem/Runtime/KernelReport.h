//===- KernelReport.h - What is known of a compiled kernel ------*- C++ -*-===//
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

/// What a target that generates source tells of a kernel: empty and 0 where it
/// has nothing to tell.
struct KernelListing {
  /// CUDA C++, and PTX.
  std::string source, assembly;
  /// Registers of a thread.
  int64_t registers = 0;
  /// Bytes of registers that a thread stores to memory for want of room.
  int64_t spillBytes = 0;
  /// Bytes of memory that the threads of a block share.
  int64_t sharedBytes = 0;
};

/// A kernel of a compiled program.
struct KernelReport {
  /// As in Program::kernels.
  std::string name;
  /// `file:line:col` of the root of its ops; empty when unknown.
  std::string location;
  /// Whether it was compiled before.
  bool isCached = false;
  /// What compiling took of one thread, in nanoseconds; 0 where it is cached.
  double compileNs = 0;
  /// Bytes of code; of those that are compiled together, of all of them.
  int64_t codeBytes = 0;
  KernelListing listing;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELREPORT_H
