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

/// Whether a library is searched for in the CUDA toolkit before all other
/// places. The toolkit is in $CUDAToolkit_ROOT or, if that variable is not set,
/// in /usr/local/cuda.
enum class Toolkit {
  no,
  mayHold,
  holds, ///< Where CUDAToolkit_ROOT is set it is looked for nowhere else.
};

/// A library that is used if it is installed, and the places to search for it.
struct LibrarySpec {
  /// The name of the library in messages, such as "NVRTC".
  std::string_view title;
  /// The environment variable that, if set, names the only file to open.
  Variable variable;
  /// File names, the newest first.
  std::span<const char *const> names;
  Toolkit toolkit = Toolkit::no;
  /// Whether packages of Python may hold it (site-packages/nvidia/*/lib).
  bool isInPythonPackages = false;
  /// The software to install if the library is missing.
  std::string_view hint;
};

/// A function that a library has, and the pointer that it is stored in.
struct LibrarySymbol {
  const char *name;
  void **function;
  /// If true, the library may lack the function. `*function` is then null.
  bool isOptional = false;
};

/// Opens the first library of `spec` that has all `symbols`, and sets their
/// pointers. Returns the path of the library, with links resolved. The library
/// is never closed, because such libraries have threads and state of their own.
/// The Error has phase "load". It lists the files that were searched for, with
/// their places, and the problems of the files that exist. Thread-safe.
Expected<std::string> openLibrary(const LibrarySpec &spec,
                                  std::span<const LibrarySymbol> symbols);

} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARIES_LIBRARY_H
