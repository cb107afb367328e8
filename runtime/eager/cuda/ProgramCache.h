//===- ProgramCache.h - Compiled programs kept on disk ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_PROGRAMCACHE_H
#define TANDEM_RUNTIME_EAGER_CUDA_PROGRAMCACHE_H

#include "tandem/Support/Error.h"

#include <string>

namespace tandem::cuda {

/// A program as machine code.
struct CompiledProgram {
  std::string cubin;
  /// Whether it was on disk, and nothing was compiled.
  bool wasKept = false;
};

/// Compiles CUDA C++ to a cubin for `arch` ("sm_90"), and keeps it under a name
/// of its contents: source, architecture, NVRTC's version and options. A file
/// that is damaged is compiled anew, and one that cannot be written is not
/// missed. `name` is the source's in errors. Thread-safe; processes may share
/// the directory.
Expected<CompiledProgram> compileOrLoad(const std::string &source,
                                        const std::string &name,
                                        const std::string &arch);

/// Removes what is kept of a program, for one that the driver refuses.
void forgetProgram(const std::string &source, const std::string &arch);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_PROGRAMCACHE_H
