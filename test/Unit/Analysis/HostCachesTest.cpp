//===- HostCachesTest.cpp - Tests of HostCaches.h -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/HostCaches.h"

#include "gtest/gtest.h"

#include <fstream>
#include <string>
#include <utility>

using namespace tandem;
namespace fs = std::filesystem;

namespace {

/// A directory like /sys/devices/system/cpu, which goes with its test.
class HostCachesTest : public testing::Test {
protected:
  HostCachesTest() {
    std::string path = fs::temp_directory_path() / "tandem-caches-XXXXXX";
    root = mkdtemp(path.data());
  }
  ~HostCachesTest() override { fs::remove_all(root); }

  void add(int cpu, int index, const char *level, const char *type,
           const char *size, const char *sharers) {
    fs::path cache = root / ("cpu" + std::to_string(cpu)) / "cache" /
                     ("index" + std::to_string(index));
    fs::create_directories(cache);
    for (auto [file, text] : {std::pair{"level", level},
                              {"type", type},
                              {"size", size},
                              {"shared_cpu_list", sharers}})
      std::ofstream(cache / file) << text << "\n";
  }

  fs::path root;
};

TEST_F(HostCachesTest, CountsEachCacheOnce) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    const char *core = cpu < 2 ? "0-1" : "2-3";
    add(cpu, 0, "1", "Data", "48K", core);
    add(cpu, 1, "1", "Instruction", "32K", core);
    add(cpu, 2, "2", "Unified", "1024K", core);
    add(cpu, 3, "3", "Unified", "32M", "0-3");
  }
  const int all[] = {0, 1, 2, 3}, one[] = {3};
  std::vector<HostCache> caches = readCaches(root, all);
  ASSERT_EQ(caches.size(), 3U);
  EXPECT_EQ(caches[0].bytes, 48 << 10);
  EXPECT_EQ(caches[0].count, 2);
  EXPECT_EQ(caches[1].bytes, 1 << 20);
  EXPECT_EQ(caches[1].count, 2);
  EXPECT_EQ(caches[2].bytes, 32 << 20);
  EXPECT_EQ(caches[2].count, 1);
  EXPECT_EQ(readCaches(root, one)[0].count, 1);
}

TEST_F(HostCachesTest, PassesOverWhatItCannotRead) {
  add(0, 0, "1", "Data", "huge", "0");
  add(0, 1, "2", "Unified", "512K", "0");
  const int cpus[] = {0, 7};
  std::vector<HostCache> caches = readCaches(root, cpus);
  ASSERT_EQ(caches.size(), 1U);
  EXPECT_EQ(caches[0].bytes, 512 << 10);
  EXPECT_TRUE(readCaches(root / "none", cpus).empty());
}

TEST(HostCaches, TheHostHasSome) {
  ASSERT_FALSE(hostCaches().empty());
  for (const HostCache &cache : hostCaches()) {
    EXPECT_GE(cache.bytes, 1 << 10);
    EXPECT_GE(cache.count, 1);
  }
}

} // namespace
