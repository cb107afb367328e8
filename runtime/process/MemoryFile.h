//===- MemoryFile.h - Memory that processes share ------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROCESS_MEMORYFILE_H
#define TANDEM_RUNTIME_PROCESS_MEMORYFILE_H

#include "Descriptor.h"

#include "tandem/Support/Error.h"

#include <cstdint>
#include <memory>
#include <span>

namespace tandem {

/// A file without a name, in memory, whose descriptor another process may be
/// sent. It is written once, and sealed before it is sent: nobody can change or
/// truncate it any more, so that whoever maps it may trust what was checked.
class MemoryFile {
public:
  /// `name` is shown by /proc, for people.
  static Expected<MemoryFile> create(const char *name);

  /// Appends bytes.
  Status write(const void *data, size_t bytes);
  /// Seals it, and gives it away.
  Expected<Descriptor> seal() &&;

private:
  explicit MemoryFile(Descriptor file) : file(std::move(file)) {}
  Descriptor file;
};

/// Memory that is mapped read-only as long as `owner` lives.
struct MappedBytes {
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> bytes;
};

/// Maps a whole file, whose pages are all read at once. Of a MemoryFile that
/// another process has sent, use mapSealed.
Expected<MappedBytes> mapFile(int descriptor);
/// The same of a MemoryFile. Fails where it is not sealed.
Expected<MappedBytes> mapSealed(int descriptor);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROCESS_MEMORYFILE_H
