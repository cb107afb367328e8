//===- AtomicFile.cpp - Files that appear whole or not at all -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicFile.h"

#include "tandem/Runtime/Program.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tandem;

tl::unexpected<Error>
tandem::fileError(const char *phase, const std::string &path, int errorNumber) {
  return fail(phase, path + ": " + std::strerror(errorNumber));
}

/// The file behind a symbolic link, so that the link stays one.
static std::string resolveLinks(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> resolved(
      realpath(path.c_str(), nullptr), &std::free);
  return resolved ? std::string(resolved.get()) : path;
}

/// Opens a new file beside `path`, whose name nobody can foresee, and sets
/// `name`; -1 with errno. Unlike mkstemp's, its mode follows the umask.
static int createBeside(const std::string &path, unsigned mode,
                        std::string &name) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
      return -1;
    char suffix[32];
    std::snprintf(suffix, sizeof(suffix), ".tmp.%016" PRIx64, random);
    name = path + suffix;
    int descriptor =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

Expected<AtomicFile> AtomicFile::create(const std::string &path,
                                        unsigned mode) {
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return fileError("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
      return fileError("write", path, errno);
    return AtomicFile(path, "", descriptor);
  }
  std::string target = resolveLinks(path), temporary;
  int descriptor = createBeside(target, mode, temporary);
  if (descriptor < 0)
    return fileError("write", path, errno);
  return AtomicFile(target, temporary, descriptor);
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      descriptor(std::exchange(other.descriptor, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  close(descriptor);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

bool tandem::writeAll(int descriptor, const void *data, size_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::write(descriptor, next, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    next += written;
    bytes -= written;
  }
  return true;
}

Status AtomicFile::write(const void *data, size_t bytes) {
  if (!writeAll(descriptor, data, bytes))
    return fileError("write", path, errno);
  return {};
}

Status AtomicFile::sync() {
  // A pipe, which is written to directly, cannot be synchronized.
  if (temporary.empty() || fsync(descriptor) == 0)
    return {};
  return fileError("write", path, errno);
}

Status AtomicFile::commit() {
  // Some file systems report a full disk only here.
  int closed = close(std::exchange(descriptor, -1));
  if (temporary.empty())
    return closed == 0 ? Status() : fileError("write", path, errno);
  if (closed == 0 && std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  int reason = errno;
  unlink(temporary.c_str());
  return fileError("write", path, reason);
}

Status tandem::writeFileAtomically(const std::string &path,
                                   std::span<const uint8_t> bytes) {
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return tl::unexpected<Error>(std::move(file.error()));
  TANDEM_RETURN_IF_ERROR(file->write(bytes.data(), bytes.size()));
  return file->commit();
}

Expected<std::vector<uint8_t>> tandem::readFile(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fileError("read", path, errno);
  std::vector<uint8_t> bytes;
  size_t size = 0;
  while (true) {
    if (size == bytes.size())
      bytes.resize(std::max<size_t>(2 * size, 1 << 16));
    ssize_t count = read(descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int reason = errno;
      close(descriptor);
      if (count < 0)
        return fileError("read", path, reason);
      bytes.resize(size);
      return bytes;
    }
    size += count;
  }
}
