//===- DiskCache.h - What processes keep for one another --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of entries by content: compiled programs, single kernels, modules of
// a GPU. docs/Cache.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DISKCACHE_H
#define TANDEM_RUNTIME_DISKCACHE_H

#include "tandem/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The 128-bit XXH3 of some bytes, as 32 hexadecimal digits.
std::string digestOf(std::span<const uint8_t> bytes);
std::string digestOf(std::string_view text);

/// Everything that the contents of an entry depend on, as labelled fields.
class CacheKey {
public:
  /// `kind` says what the entry holds: "program".
  explicit CacheKey(std::string_view kind);

  /// Adds a field. A value of several lines, or of more than kMaxFieldBytes,
  /// is replaced by its digest.
  CacheKey &add(std::string_view label, std::string_view value);
  /// Adds the digest of bytes that are no text.
  CacheKey &addDigest(std::string_view label, std::string_view bytes);

  /// The fields, a line each: "label: value\n". Two keys are equal where these
  /// texts are.
  const std::string &fields() const { return text; }
  /// The name of the entry's file: the kind and the digest of the fields.
  std::string fileName() const;

  static constexpr size_t kMaxFieldBytes = 4096;

private:
  std::string kind;
  std::string text;
};

using CacheSection = std::span<const uint8_t>;

/// An entry that was found. Its sections are aligned to Allocator::kAlignment,
/// and are the file's own pages, mapped read-only as long as `owner` lives,
/// even if the file is removed.
struct CacheEntry {
  std::shared_ptr<const void> owner;
  std::vector<CacheSection> sections;
};

/// Kinds of entries end with this suffix as files.
inline constexpr std::string_view kEntrySuffix = ".entry";

/// A folder of entries, which any number of threads and processes may use at a
/// time. Files are written whole and renamed, never changed, and may vanish at
/// any time; readers take no lock. Every byte of an entry is covered by a
/// checksum that is verified before the entry is used; an entry that does not
/// hold what it should is removed. Thread-safe.
class DiskCache {
public:
  /// The cache in `directory`, which need not exist: one object per directory
  /// and process. An empty name is that of a cache which cannot be used.
  static DiskCache &in(const std::string &directory);

  /// The entry of that key, which becomes the most recently used one.
  std::optional<CacheEntry> find(const CacheKey &key);
  /// Keeps an entry, and removes the least recently used ones where there are
  /// more bytes than the limit. An entry that is larger than an eighth of the
  /// limit is not kept.
  void put(const CacheKey &key, std::span<const CacheSection> sections);
  /// Whether there is an entry of that key, of which nothing is checked.
  bool has(const CacheKey &key) const;
  /// Removes an entry that turned out to be useless.
  void remove(const CacheKey &key);

  /// Why nothing can be kept or found in the folder, the first time that this
  /// is asked after it has turned out.
  std::optional<std::string> takeProblem();

  /// The folder of the entries, within the directory.
  const std::string &folder() const { return path; }

private:
  explicit DiskCache(const std::string &directory);
  Status write(const CacheKey &key, std::span<const CacheSection> sections);
  void makeRoom(uint64_t written);
  void complain(const Error &error);

  const std::string directory, path;
  std::atomic<const std::string *> problem{nullptr};
  std::atomic<bool> isSaid{false};
  /// The bytes that may still be written before the folder is looked through.
  std::atomic<int64_t> room{0};
};

/// An entry as its file describes it.
struct CacheFile {
  std::string path;
  /// The key's fields; empty where the file cannot be read.
  std::string fields;
  uint64_t bytes = 0;
  /// The time of its last use, in nanoseconds since 1970.
  int64_t lastUse = 0;
};

/// The entries of a folder, the least recently used first. Reads their keys
/// where `withFields` is set. Fails for a folder that DiskCache would not use.
Expected<std::vector<CacheFile>> listEntries(const std::string &folder,
                                             bool withFields = false);

/// Checks every byte of an entry, and that its name is that of its key.
Status verifyEntry(const std::string &path);

/// Removes the least recently used entries until at most `limit` bytes are
/// left, and what writers that were killed have left behind. Returns the number
/// of bytes that were removed.
Expected<uint64_t> pruneEntries(const std::string &folder, uint64_t limit);

/// The most bytes of entries: $TANDEM_CACHE_LIMIT, or 2 GiB.
Expected<uint64_t> cacheLimit();
/// "500M", "2G", "100000" as a number of bytes.
Expected<uint64_t> parseBytes(std::string_view text);

/// The folder of the entries in a cache directory.
std::string entryFolder(const std::string &directory);

} // namespace tandem

#endif // TANDEM_RUNTIME_DISKCACHE_H
