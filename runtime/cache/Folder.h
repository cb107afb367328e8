//===- Folder.h - The folder of the entries ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CACHE_FOLDER_H
#define TANDEM_RUNTIME_CACHE_FOLDER_H

#include "tandem/Runtime/DiskCache.h"

namespace tandem::cache {

/// Whether the folder, and the directory that it is in, belong to this user and
/// can be written to by no other. Sets `*isThere` to whether there is one.
Status checkFolder(const std::string &folder, bool *isThere);

/// Makes the folder, for this user alone, where there is none, and checks it.
Status makeFolder(const std::string &folder);

} // namespace tandem::cache

#endif // TANDEM_RUNTIME_CACHE_FOLDER_H
