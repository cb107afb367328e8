//===- CompilerConfig.h - What all sessions of a compiler share -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_COMPILERCONFIG_H
#define TANDEM_LIB_COMPILER_SESSION_COMPILERCONFIG_H

#include "Session/FailureRequest.h"

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Runtime/DiskCache.h"
#include "tandem/Tandem.h"
#include "tandem/Target/Target.h"

#include <string>

namespace tandem {

/// Specifies how and for which machine programs are compiled: the checked
/// options, and the objects and values that they select. Creating a
/// CompilerConfig does not initialize MLIR or LLVM.
struct CompilerConfig {
  /// Fails for an unknown device, or one that cannot be started, for a bad
  /// TANDEM_CPU, and for invalid options.
  static Expected<CompilerConfig> create(const CompileOptions &options);

  const Target *target = nullptr;
  CompileOptions options;
  FailureRequest failures;
  /// The model of the machine by which programs are planned, and its spec.
  DeviceModel model;
  std::string deviceSpec;
  /// The spec of one core of the machine, for which kernels are compiled.
  std::string coreSpec;
  /// The number of threads that programs are planned for.
  int threads = 1;
  /// Whether the program is the only result of compiling that the options ask
  /// for.
  bool wantsProgramOnly = false;
  /// Whether kernels are loaded into this process. A process that compiles for
  /// another one never runs them.
  bool loadsKernels = true;
  /// The cache on disk; null if it is not used.
  DiskCache *disk = nullptr;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_COMPILERCONFIG_H
