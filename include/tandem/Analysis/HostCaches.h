//===- HostCaches.h - The caches of the host --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_HOSTCACHES_H
#define TANDEM_ANALYSIS_HOSTCACHES_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace tandem {

/// The data caches of one level.
struct HostCache {
  /// The size of one cache, in bytes.
  int64_t bytes = 0;
  /// The number of these caches that belong to the processors on which this
  /// process may run.
  int64_t count = 1;
};

/// The host's caches, from the first level on, as Linux describes them. If
/// Linux does not describe them, they are read from sysconf, which is less
/// reliable: the C library computes the last level from thread counts, which
/// virtual machines may report wrongly. For example, sysconf has reported 384
/// MiB for a cache of 32 MiB. Detected once; thread-safe.
std::span<const HostCache> hostCaches();

/// Reads the caches of the processors `cpus` from a directory in the form of
/// /sys/devices/system/cpu. Empty if the directory describes no caches.
std::vector<HostCache> readCaches(const std::filesystem::path &directory,
                                  std::span<const int> cpus);

} // namespace tandem

#endif // TANDEM_ANALYSIS_HOSTCACHES_H
