//===- MemoryFile.cpp - Memory that processes share -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"

#include "../core/AtomicFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace tandem;

static constexpr int kSeals =
    F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Expected<MemoryFile> MemoryFile::create(const char *name) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file)
    return fileError("share", "memory", errno);
  return MemoryFile(std::move(file));
}

Status MemoryFile::write(const void *data, size_t bytes) {
  if (!writeAll(file.get(), data, bytes))
    return fileError("share", "memory", errno);
  return {};
}

Expected<Descriptor> MemoryFile::seal() && {
  if (fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    return fileError("share", "memory", errno);
  return std::move(file);
}

Expected<MappedBytes> tandem::mapFile(int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return fileError("read", "a file", errno);
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return MappedBytes();
  void *mapped =
      mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
  if (mapped == MAP_FAILED)
    return fileError("read", "a file", errno);
  return MappedBytes{
      {mapped, [size](const void *p) { munmap(const_cast<void *>(p), size); }},
      {static_cast<const uint8_t *>(mapped), size}};
}

Expected<MappedBytes> tandem::mapSealed(int descriptor) {
  if ((fcntl(descriptor, F_GET_SEALS) & kSeals) != kSeals ||
      fcntl(descriptor, F_GET_SEALS) < 0)
    return fail("read", "the memory of another process is not sealed");
  return mapFile(descriptor);
}
