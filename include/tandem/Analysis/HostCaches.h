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

/// The caches for data of one level.
struct HostCache {
  /// The size of one of them, in bytes.
  int64_t bytes = 0;
  /// How many of them the processors have that this process may run on.
  int64_t count = 1;
};

/// The host's caches, from the first level on, as Linux describes them. Where
/// it does not, they are taken from sysconf. That is the second choice, because
/// the C library computes the last level from counts of threads that virtual
/// machines report wrongly: 384 MiB were seen for 32. Detected once;
/// thread-safe.
std::span<const HostCache> hostCaches();

/// Reads the caches of the processors `cpus` from a directory in the form of
/// /sys/devices/system/cpu. Empty where it describes none.
std::vector<HostCache> readCaches(const std::filesystem::path &directory,
                                  std::span<const int> cpus);

} // namespace tandem

#endif // TANDEM_ANALYSIS_HOSTCACHES_H
