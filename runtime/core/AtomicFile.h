//===- AtomicFile.h - Files that appear whole or not at all ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CORE_ATOMICFILE_H
#define TANDEM_RUNTIME_CORE_ATOMICFILE_H

#include "tandem/Support/Error.h"

#include <cstddef>
#include <string>

namespace tandem {

/// Writes all bytes to a file, also if that takes several writes; false, with
/// errno, where it fails.
bool writeAll(int descriptor, const void *data, size_t bytes);

/// Writes a file under a temporary name beside its final one, so that the final
/// name never shows a partial file. A file that is destroyed before commit
/// leaves nothing behind. Device files and pipes, which cannot be replaced, are
/// written to directly. Errors have phase "write". Not thread-safe.
class AtomicFile {
public:
  /// Creates the temporary file for `path`, with `mode` less the umask.
  static Expected<AtomicFile> create(const std::string &path,
                                     unsigned mode = 0666);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  /// Appends `bytes` bytes.
  Status write(const void *data, size_t bytes);
  /// Waits until all written bytes are on the disk. After a crash of the machine,
  /// a renamed file may be empty otherwise.
  Status sync();
  /// Renames the file to its final name. Nothing may be written afterwards.
  Status commit();

private:
  AtomicFile(std::string path, std::string temporary, int descriptor)
      : path(std::move(path)), temporary(std::move(temporary)),
        descriptor(descriptor) {}

  std::string path;
  std::string temporary; ///< Empty when written to directly.
  int descriptor = -1;
};

/// Makes an error of phase "read" or "write" about a file, with the reason that
/// `errorNumber` (an errno) stands for.
tl::unexpected<Error> fileError(const char *phase, const std::string &path,
                                int errorNumber);

} // namespace tandem

#endif // TANDEM_RUNTIME_CORE_ATOMICFILE_H
