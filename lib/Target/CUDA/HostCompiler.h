//===- HostCompiler.h - C++ to a loaded library, at run time ---*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_HOSTCOMPILER_H
#define TANDEM_LIB_TARGET_CUDA_HOSTCOMPILER_H

#include "tandem/Support/Error.h"

#include <memory>
#include <string>

namespace tandem {

/// A shared library in this process, closed with the last owner.
class HostLibrary {
public:
  explicit HostLibrary(void *handle) : handle(handle) {}
  ~HostLibrary();
  HostLibrary(const HostLibrary &) = delete;
  HostLibrary &operator=(const HostLibrary &) = delete;

  /// Null where there is none of that name.
  void *symbol(const std::string &name) const;

private:
  void *handle;
};

/// Compiles `source`, kernels in CUDA C++, behind HostCUDA.h with the host's
/// C++ compiler ($TANDEM_HOST_CXX, or the first there is of clang++-22,
/// clang++, c++ and g++) and loads the result. Leaves no file behind.
Expected<std::shared_ptr<HostLibrary>> compileOnHost(const std::string &source);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_HOSTCOMPILER_H
