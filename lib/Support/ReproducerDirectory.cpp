//===- ReproducerDirectory.cpp - Where failures are written ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/ReproducerDirectory.h"

#include "tandem/Support/Environment.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem {

/// A directory of this user's alone among the temporary files, where others can
/// put nothing in the way.
static Expected<std::string> privateDirectory() {
  std::error_code code;
  const std::string path = std::filesystem::temp_directory_path(code) /
                           ("tandem-reproducers-" + std::to_string(geteuid()));
  if (code)
    return fail("write", "the directory of temporary files: " + code.message());
  struct stat info;
  if ((mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) ||
      lstat(path.c_str(), &info) != 0)
    return fail("write", path + ": " + std::strerror(errno));
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail("write", path + ": others may write there");
  return path;
}

Expected<std::string> openReproducerDirectory(const std::string &chosen) {
  const char *named = lookUp(Variable::reproducerDir);
  const std::string path = chosen.empty() && named ? named : chosen;
  if (path.empty())
    return privateDirectory();
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code)
    return fail("write", path + ": " + code.message());
  return path;
}

} // namespace tandem
