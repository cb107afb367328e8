//===- HostCompiler.h - CUDA C++ to a library of the host's -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_LIBRARIES_HOSTCOMPILER_H
#define TANDEM_TEST_FAKECUDA_LIBRARIES_HOSTCOMPILER_H

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace fake {

/// Compiles CUDA C++ with the host's C++ compiler ($TANDEM_HOST_CXX, or the
/// first there is of clang++-22, clang++, c++ and g++), behind a header that
/// emulates what CUDA has, and loads it. For each of its kernels the library
/// has a function of type `const tandem_host::Entry *()` (entryName). The same
/// text is compiled once a process; libraries are never closed. Thread-safe.
tandem::Expected<void *> compileOnHost(const std::string &source);

/// Names of the kernels in a source.
std::vector<std::string> kernelNames(const std::string &source);
std::string entryName(const std::string &kernel);

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_LIBRARIES_HOSTCOMPILER_H
