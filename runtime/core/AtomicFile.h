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

/// A file under construction beside its final name. Destroyed before commit,
/// it leaves nothing. Device files and pipes, which cannot be replaced, are
/// written to directly.
class AtomicFile {
public:
  static Expected<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Status write(const void *data, size_t bytes);
  /// Gives the file its final name.
  Status commit();

private:
  AtomicFile(std::string path, std::string temporary, int descriptor)
      : path(std::move(path)), temporary(std::move(temporary)),
        descriptor(descriptor) {}

  std::string path;
  std::string temporary; ///< Empty when written to directly.
  int descriptor = -1;
};

/// An error of phase "read" or "write" about a file, with errno's reason.
tl::unexpected<Error> fileError(const char *phase, const std::string &path,
                                int errorNumber);

} // namespace tandem

#endif // TANDEM_RUNTIME_CORE_ATOMICFILE_H
