//===- NVRTC.h - Compiling CUDA C++ with NVRTC ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_LIBRARIES_NVRTC_H
#define TANDEM_RUNTIME_LIBRARIES_NVRTC_H

#include "tandem/Support/Error.h"

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Compiles CUDA C++ to PTX for `arch` ("sm_90"). Thread-safe.
///
/// The NVRTC library is opened at the first call
/// (tandem/Runtime/Libraries/CUDA.h). Errors (phase "codegen") say how to
/// install NVRTC if it is missing, and contain the compiler's log if the source
/// does not compile. `name` is the name of the source in that log.
Expected<std::string> compileToPTX(const std::string &source,
                                   const std::string &name,
                                   std::string_view arch);

/// The output of NVRTC for a cubin.
struct CubinListing {
  /// The PTX from which the cubin was made, and the output of ptxas -v.
  std::string ptx, log;
};

/// Like compileToPTX, but compiles to a cubin, which runs only on this
/// architecture. If `listing` is not null, sets `*listing` to a description of
/// the cubin.
Expected<std::string> compileToCubin(const std::string &source,
                                     const std::string &name,
                                     std::string_view arch,
                                     CubinListing *listing = nullptr);

/// The options with which a source is compiled for an architecture, real
/// ("sm_90") or virtual ("compute_90").
std::vector<std::string> nvrtcOptions(const std::string &target);

/// The version of NVRTC, such as "13.0"; fails if NVRTC is missing.
Expected<std::string> nvrtcVersion();

} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARIES_NVRTC_H
