//===- EntryFile.h - The file of an entry -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CACHE_ENTRYFILE_H
#define TANDEM_RUNTIME_CACHE_ENTRYFILE_H

#include "../process/Descriptor.h"

#include "tandem/Runtime/DiskCache.h"

namespace tandem::cache {

/// Writes an entry under a temporary name, then renames it to `path`.
Status writeEntry(const std::string &path, std::string_view fields,
                  std::span<const CacheSection> sections);
/// The same as a sealed MemoryFile.
Expected<Descriptor> writeEntry(std::string_view fields,
                                std::span<const CacheSection> sections);

/// An entry with its key.
struct EntryFile : CacheEntry {
  std::string_view fields;
};

/// Maps an entry and checks every byte of it. `*isThere` is set to whether
/// there is a file at all. With `markUse` the file's time becomes the present.
/// Errors have phase "read".
Expected<EntryFile> openEntry(const std::string &path, bool markUse,
                              bool *isThere);
/// The same of a MemoryFile that another process has sent.
Expected<EntryFile> openEntry(int descriptor);

/// The key of an entry, of which nothing else is checked; empty where it cannot
/// be read.
std::string readFields(const std::string &path);

} // namespace tandem::cache

#endif // TANDEM_RUNTIME_CACHE_ENTRYFILE_H
