//===- Library.h - Shared libraries opened at run time ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_LIBRARIES_LIBRARY_H
#define TANDEM_RUNTIME_LIBRARIES_LIBRARY_H

#include "tandem/Support/Environment.h"
#include "tandem/Support/Error.h"

#include <span>
#include <string>
#include <string_view>

namespace tandem {

/// Whether a library is looked for in the CUDA toolkit: in CUDAToolkit_ROOT
/// where that is set, else in /usr/local/cuda, before all other places.
enum class Toolkit {
  no,
  mayHold,
  holds, ///< Where CUDAToolkit_ROOT is set it is looked for nowhere else.
};

/// A library that is used where it is installed, and how it is looked for.
struct LibrarySpec {
  /// The name of the library in messages, such as "NVRTC".
  std::string_view title;
  /// Names the file to open, in place of every other.
  Variable variable;
  /// File names, the newest first.
  std::span<const char *const> names;
  Toolkit toolkit = Toolkit::no;
  /// Whether packages of Python may hold it (site-packages/nvidia/*/lib).
  bool isInPythonPackages = false;
  /// What to install where it is missing.
  std::string_view hint;
};

/// A function that a library has, and the pointer that it is stored in.
struct LibrarySymbol {
  const char *name;
  void **function;
  /// May be missing: null then.
  bool isOptional = false;
};

/// Opens the first library of `spec` that has all `symbols`, and sets their
/// pointers. Returns its path, links resolved. It is never closed, for such
/// libraries keep threads and state of their own. The Error, of phase "load",
/// says which files were looked for where, and what was wrong with those that
/// are there. Thread-safe.
Expected<std::string> openLibrary(const LibrarySpec &spec,
                                  std::span<const LibrarySymbol> symbols);

} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARIES_LIBRARY_H
