//===- HostCaches.cpp - The caches of the host ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/HostCaches.h"

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <sched.h>
#include <unistd.h>

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// The first word of a file; empty where it cannot be read.
std::string readWord(const fs::path &file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// The bytes that "48K" or "32M" stands for; none for other texts.
std::optional<int64_t> parseSize(const std::string &text) {
  char *end = nullptr;
  int64_t size = std::strtoll(text.c_str(), &end, 10);
  const std::string unit = end;
  if (size <= 0 || (unit != "" && unit != "K" && unit != "M"))
    return std::nullopt;
  return size << (unit == "M" ? 20 : unit == "K" ? 10 : 0);
}

/// The processors that this process may run on.
std::vector<int> allowedCPUs() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
  return cpus;
}

int64_t ask(int name, int64_t otherwise) {
  long value = sysconf(name);
  return value > 0 ? value : otherwise;
}

std::vector<HostCache> askCaches() {
  const int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<HostCache> caches = {
      {ask(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), cores},
      {ask(_SC_LEVEL2_CACHE_SIZE, 512 << 10), cores}};
  if (int64_t last = ask(_SC_LEVEL3_CACHE_SIZE, 0))
    caches.push_back({last, 1});
  return caches;
}

std::vector<HostCache> detect() {
  std::vector<HostCache> caches =
      readCaches("/sys/devices/system/cpu", allowedCPUs());
  return caches.empty() ? askCaches() : caches;
}

} // namespace

std::vector<HostCache> readCaches(const fs::path &directory,
                                  std::span<const int> cpus) {
  // By level: the size of one, and the sets of processors that share one.
  std::map<int, std::pair<int64_t, std::set<std::string>>> levels;
  for (int cpu : cpus) {
    fs::path caches = directory / ("cpu" + std::to_string(cpu)) / "cache";
    for (int index = 0;; ++index) {
      fs::path cache = caches / ("index" + std::to_string(index));
      std::string type = readWord(cache / "type");
      if (type.empty())
        break;
      std::optional<int64_t> bytes = parseSize(readWord(cache / "size"));
      if (type == "Instruction" || !bytes)
        continue;
      auto &[size, sharers] =
          levels[std::atoi(readWord(cache / "level").c_str())];
      size = std::max(size, *bytes);
      sharers.insert(readWord(cache / "shared_cpu_list"));
    }
  }
  std::vector<HostCache> result;
  for (const auto &[level, found] : levels)
    result.push_back({found.first, int64_t(found.second.size())});
  return result;
}

std::span<const HostCache> hostCaches() {
  static const auto &caches = *new std::vector<HostCache>(detect());
  return caches;
}

} // namespace tandem
