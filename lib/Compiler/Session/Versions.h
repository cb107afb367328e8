//===- Versions.h - The versions that programs depend on --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_VERSIONS_H
#define TANDEM_LIB_COMPILER_SESSION_VERSIONS_H

#include "tandem/Runtime/DiskCache.h"

namespace tandem {

/// Adds the digest of Tandem's sources, the version of the Program format, and
/// the version of the LLVM library that is loaded.
void addCompilerVersions(CacheKey &key);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_VERSIONS_H
