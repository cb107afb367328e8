//===- DiskCache.h - A cache on disk that processes share -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of content-addressed entries, such as compiled programs, single
// kernels and GPU modules. docs/Cache.md describes the cache.
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

/// Returns the 128-bit XXH3 hash of the bytes as 32 hexadecimal digits.
std::string digestOf(std::span<const uint8_t> bytes);
std::string digestOf(std::string_view text);

/// The key of an entry: everything that the contents of the entry depend on, as
/// labeled fields. Not thread-safe.
class CacheKey {
public:
  /// `kind` names the kind of content, e.g. "program".
  explicit CacheKey(std::string_view kind);

  /// Adds a field. A value that has several lines or more than kMaxFieldBytes
  /// bytes is replaced by its digest.
  CacheKey &add(std::string_view label, std::string_view value);
  /// Adds a field with the digest of binary data.
  CacheKey &addDigest(std::string_view label, std::string_view bytes);

  /// All fields, each as a line "label: value\n". Two keys are equal if and
  /// only if these texts are equal.
  const std::string &fields() const { return text; }
  /// The name of the entry's file, which consists of the kind, the digest of
  /// the fields and kEntrySuffix.
  std::string fileName() const;

  static constexpr size_t kMaxFieldBytes = 4096;

private:
  std::string kind;
  std::string text;
};

/// One of the byte ranges of which an entry consists.
using CacheSection = std::span<const uint8_t>;

/// An entry that was found. Its sections are aligned to Allocator::kAlignment.
/// They are read-only mapped pages of the file and stay valid while `owner`
/// lives, even if the file is removed.
struct CacheEntry {
  std::shared_ptr<const void> owner;
  std::vector<CacheSection> sections;
};

/// Suffix of the file names of entries.
inline constexpr std::string_view kEntrySuffix = ".entry";

/// A folder of entries that any number of threads and processes may use at the
/// same time. A file is written completely and then renamed. It is never
/// modified afterwards, but may be removed at any time. Readers take no lock. A
/// checksum covers every byte of an entry and is verified before the entry is
/// used; an invalid entry is removed. Thread-safe.
class DiskCache {
public:
  /// Returns the cache in `directory`, which need not exist. There is one
  /// object per directory in a process, which is never destroyed. If
  /// `directory` is empty, the cache is unusable: nothing is found or kept.
  static DiskCache &in(const std::string &directory);

  /// Returns the entry of `key`, which becomes the most recently used entry.
  std::optional<CacheEntry> find(const CacheKey &key);
  /// Writes an entry. If the entries exceed the size limit (cacheLimit),
  /// removes the least recently used entries. An entry larger than one eighth
  /// of the limit is not kept. Failures are reported by takeProblem.
  void put(const CacheKey &key, std::span<const CacheSection> sections);
  /// True if an entry of `key` exists. The contents are not checked.
  bool has(const CacheKey &key) const;
  /// Removes an entry that turned out to be unusable.
  void remove(const CacheKey &key);

  /// Returns the reason why the folder cannot be used. The reason is returned
  /// only once; all other calls return nothing.
  std::optional<std::string> takeProblem();

  /// The path of the folder of entries in the cache directory; empty if
  /// unusable.
  const std::string &folder() const { return path; }

private:
  explicit DiskCache(const std::string &directory);
  Status write(const CacheKey &key, std::span<const CacheSection> sections);
  void makeRoom(uint64_t written);
  void complain(const Error &error);

  const std::string directory, path;
  std::atomic<const std::string *> problem{nullptr};
  std::atomic<bool> isSaid{false};
  /// The number of bytes that may still be written before the folder is
  /// scanned.
  std::atomic<int64_t> room{0};
};

/// An entry as seen in the file system.
struct CacheFile {
  std::string path;
  /// The fields of the key; empty if the file cannot be read.
  std::string fields;
  /// The size of the file in bytes.
  uint64_t bytes = 0;
  /// Time of the last use, in nanoseconds since 1970.
  int64_t lastUse = 0;
};

/// Returns the entries of a folder, the least recently used first. Reads the
/// entries' keys only if `withFields` is set. Fails if DiskCache would not use
/// the folder, for example because another user can write to it.
Expected<std::vector<CacheFile>> listEntries(const std::string &folder,
                                             bool withFields = false);

/// Checks every byte of an entry, and that the file name matches the key.
Status verifyEntry(const std::string &path);

/// Removes the least recently used entries until the entries have at most
/// `limit` bytes. Also removes temporary files older than one hour, which
/// killed writers have left. Returns the number of bytes that were removed.
Expected<uint64_t> pruneEntries(const std::string &folder, uint64_t limit);

/// Returns the maximum total size of the entries in bytes: $TANDEM_CACHE_LIMIT,
/// or 2 GiB by default.
Expected<uint64_t> cacheLimit();
/// Parses a number of bytes such as "100000", "500M" or "2G". The suffixes K, M
/// and G stand for powers of 1024.
Expected<uint64_t> parseBytes(std::string_view text);

/// Returns the path of the folder of entries in a cache directory; empty if
/// `directory` is empty.
std::string entryFolder(const std::string &directory);

} // namespace tandem

#endif // TANDEM_RUNTIME_DISKCACHE_H
