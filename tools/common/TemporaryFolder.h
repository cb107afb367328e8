//===- TemporaryFolder.h - A folder that goes with its object ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_TEMPORARYFOLDER_H
#define TANDEM_TOOLS_COMMON_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tandem::tools {

/// A folder that is removed with the object. `path` is empty where it could not
/// be made.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tandem-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      path = pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_TEMPORARYFOLDER_H
