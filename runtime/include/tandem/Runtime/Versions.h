//===- Versions.h - Versions of the CPU's libraries -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_VERSIONS_H
#define TANDEM_RUNTIME_VERSIONS_H

#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// Returns the names and versions of the loaded libraries that execute op steps
/// on the CPU: "onednn", "eigen" and "onetbb".
std::vector<std::pair<std::string, std::string>> libraryVersions();

} // namespace tandem

#endif // TANDEM_RUNTIME_VERSIONS_H
