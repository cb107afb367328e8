//===- Folder.cpp - The folder of the entries -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folder.h"

#include "../core/AtomicFile.h"
#include "EntryFile.h"

#include "tandem/Support/Environment.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tandem;
using namespace tandem::cache;
namespace fs = std::filesystem;

static Status checkOne(const std::string &path, bool *isThere) {
  struct stat info;
  *isThere = stat(path.c_str(), &info) == 0;
  if (!*isThere && errno == ENOENT)
    return {};
  if (!*isThere)
    return fileError("cache", path, errno);
  if (!S_ISDIR(info.st_mode))
    return fileError("cache", path, ENOTDIR);
  if (info.st_uid != geteuid())
    return fail("cache", path + " belongs to another user");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail("cache", "other users can write to " + path,
                "chmod go-w makes it usable");
  return {};
}

Status cache::checkFolder(const std::string &folder, bool *isThere) {
  TANDEM_RETURN_IF_ERROR(
      checkOne(fs::path(folder).parent_path().string(), isThere));
  return *isThere ? checkOne(folder, isThere) : Status();
}

/// Makes the folders that are missing, which other users cannot read.
static Status makeAll(const fs::path &folder) {
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)
    return {};
  if (errno != ENOENT || !folder.has_parent_path() ||
      folder.parent_path() == folder)
    return fileError("cache", folder.string(), errno);
  TANDEM_RETURN_IF_ERROR(makeAll(folder.parent_path()));
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)
    return {};
  return fileError("cache", folder.string(), errno);
}

Status cache::makeFolder(const std::string &folder) {
  bool isThere = false;
  TANDEM_RETURN_IF_ERROR(checkFolder(folder, &isThere));
  if (isThere)
    return {};
  TANDEM_RETURN_IF_ERROR(makeAll(folder));
  return checkFolder(folder, &isThere);
}

std::string tandem::entryFolder(const std::string &directory) {
  return directory.empty() ? "" : (fs::path(directory) / "compiled").string();
}

Expected<uint64_t> tandem::parseBytes(std::string_view text) {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view units = "KMG";
  const size_t unit =
      rest + 1 == end ? units.find(*rest) : std::string_view::npos;
  const bool isPlain = rest == end;
  const int shift = isPlain ? 0 : 10 * static_cast<int>(unit + 1);
  if (error != std::errc() || (!isPlain && unit == std::string_view::npos) ||
      number > UINT64_MAX >> shift)
    return fail("argument", "'" + std::string(text) + "' is no number of bytes",
                "as in 100000, 500M or 2G");
  return number << shift;
}

Expected<uint64_t> tandem::cacheLimit() {
  constexpr uint64_t kDefault = uint64_t(2) << 30;
  const char *text = lookUp(Variable::cacheLimit);
  return text ? parseBytes(text) : kDefault;
}

namespace {

/// What a folder holds.
struct Listing {
  std::vector<CacheFile> entries;
  /// Files that their writers have not renamed.
  std::vector<CacheFile> temporaries;
};

int64_t toNs(const timespec &time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Expected<Listing> list(const std::string &folder) {
  Listing listing;
  bool isThere = false;
  TANDEM_RETURN_IF_ERROR(checkFolder(folder, &isThere));
  if (!isThere)
    return listing;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool isEntry = name.ends_with(kEntrySuffix);
    struct stat info;
    // Another process may have removed it.
    if ((!isEntry && name.find(".tmp.") == std::string::npos) ||
        lstat(it->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    (isEntry ? listing.entries : listing.temporaries)
        .push_back({it->path().string(), "",
                    static_cast<uint64_t>(info.st_size), toNs(info.st_mtim)});
  }
  if (error)
    return fileError("cache", folder, error.value());
  std::ranges::sort(listing.entries, {}, [](const CacheFile &file) {
    return std::pair(file.lastUse, file.path);
  });
  return listing;
}

/// The bytes that were freed.
uint64_t removeFile(const CacheFile &file) {
  return unlink(file.path.c_str()) == 0 ? file.bytes : 0;
}

} // namespace

Expected<std::vector<CacheFile>> tandem::listEntries(const std::string &folder,
                                                     bool withFields) {
  TANDEM_ASSIGN_OR_RETURN(Listing listing, list(folder));
  if (withFields)
    for (CacheFile &file : listing.entries)
      file.fields = readFields(file.path);
  return std::move(listing.entries);
}

Expected<uint64_t> tandem::pruneEntries(const std::string &folder,
                                        uint64_t limit) {
  // A writer takes seconds at most.
  constexpr int64_t kAbandonedNs = int64_t(3600) * 1'000'000'000;
  TANDEM_ASSIGN_OR_RETURN(Listing listing, list(folder));
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t freed = 0, held = 0;
  for (const CacheFile &file : listing.temporaries)
    if (toNs(now) - file.lastUse > kAbandonedNs)
      freed += removeFile(file);
  for (const CacheFile &file : listing.entries)
    held += file.bytes;
  for (const CacheFile &file : listing.entries) {
    if (held <= limit)
      break;
    // What another process has removed is gone all the same.
    freed += removeFile(file);
    held -= file.bytes;
  }
  return freed;
}
