//===- DiskCache.cpp - What processes keep for one another ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/DiskCache.h"

#include "EntryFile.h"
#include "Folder.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <unistd.h>

using namespace tandem;
using namespace tandem::cache;

DiskCache &DiskCache::in(const std::string &directory) {
  static std::mutex mutex;
  // Never destroyed: threads may still compile at exit.
  static auto *caches =
      new std::map<std::string, std::unique_ptr<DiskCache>, std::less<>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<DiskCache> &cache = (*caches)[directory];
  if (!cache)
    cache.reset(new DiskCache(directory));
  return *cache;
}

DiskCache::DiskCache(const std::string &directory)
    : directory(directory), path(entryFolder(directory)) {}

static std::string join(const std::string &folder, const CacheKey &key) {
  return folder + "/" + key.fileName();
}

void DiskCache::complain(const Error &error) {
  const std::string *expected = nullptr;
  auto text = std::make_unique<const std::string>(
      error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
  // The first one stays, and is never freed, as this object.
  if (problem.compare_exchange_strong(expected, text.get()))
    (void)text.release();
}

std::optional<std::string> DiskCache::takeProblem() {
  const std::string *text = problem;
  if (!text || isSaid.exchange(true))
    return std::nullopt;
  return *text;
}

std::optional<CacheEntry> DiskCache::find(const CacheKey &key) {
  bool isThere = false;
  if (path.empty())
    return std::nullopt;
  if (Status status = checkFolder(path, &isThere); !status)
    complain(status.error());
  else if (isThere) {
    const std::string file = join(path, key);
    Expected<EntryFile> entry = openEntry(file, /*markUse=*/true, &isThere);
    if (entry && entry->fields == key.fields())
      return CacheEntry(std::move(*entry));
    if (isThere)
      (void)unlink(file.c_str());
  }
  return std::nullopt;
}

Status DiskCache::write(const CacheKey &key,
                        std::span<const CacheSection> sections) {
  if (path.empty())
    return fail("cache", "there is no home to keep compiled programs in",
                "TANDEM_CACHE_DIR names a folder");
  TANDEM_ASSIGN_OR_RETURN(const uint64_t limit, cacheLimit());
  uint64_t bytes = key.fields().size();
  for (CacheSection section : sections)
    bytes += section.size();
  if (bytes > limit / 8)
    return {};
  TANDEM_RETURN_IF_ERROR(makeFolder(path));
  TANDEM_RETURN_IF_ERROR(writeEntry(join(path, key), key.fields(), sections));
  makeRoom(bytes);
  return {};
}

void DiskCache::put(const CacheKey &key,
                    std::span<const CacheSection> sections) {
  if (Status status = write(key, sections); !status)
    complain(status.error());
}

bool DiskCache::has(const CacheKey &key) const {
  return !path.empty() && access(join(path, key).c_str(), R_OK) == 0;
}

void DiskCache::remove(const CacheKey &key) {
  if (!path.empty())
    (void)unlink(join(path, key).c_str());
}

/// Looking through a folder takes as long as it has files; so it is done only
/// after a sixteenth of the room that was left has been used up, of which other
/// processes may take as much.
void DiskCache::makeRoom(uint64_t written) {
  constexpr uint64_t kShare = 16;
  const auto used = static_cast<int64_t>(written);
  if (room.fetch_sub(used) > used)
    return;
  const Expected<uint64_t> limit = cacheLimit();
  const auto entries = listEntries(path);
  if (!limit || !entries)
    return;
  uint64_t held = 0;
  for (const CacheFile &entry : *entries)
    held += entry.bytes;
  const uint64_t goal = held > *limit ? *limit - *limit / 8 : *limit;
  (void)pruneEntries(path, goal); // Another one tries again.
  room = static_cast<int64_t>((*limit - std::min(held, goal)) / kShare);
}

Status tandem::verifyEntry(const std::string &path) {
  bool isThere = false;
  TANDEM_ASSIGN_OR_RETURN(EntryFile entry,
                          openEntry(path, /*markUse=*/false, &isThere));
  const std::string name = std::filesystem::path(path).filename().string();
  if (!name.ends_with("-" + digestOf(entry.fields) + std::string(kEntrySuffix)))
    return fail("read", path + ": its name is not that of its key");
  return {};
}
