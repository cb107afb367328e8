//===- CoreKindTest.cpp - Kinds of cores, from files ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/CoreKind.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tandem::measure;

namespace {

/// A /sys/devices of its own.
class CoreKind : public testing::Test {
protected:
  void SetUp() override { std::filesystem::remove_all(devices); }
  void TearDown() override { std::filesystem::remove_all(devices); }

  void write(const std::string &file, const std::string &text) {
    std::filesystem::path path = devices / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  void writeOfCpu(int cpu, const std::string &file, const std::string &text) {
    write("system/cpu/cpu" + std::to_string(cpu) + "/" + file, text);
  }
  std::string kind(int cpu) { return coreKind(cpu, devices); }

  std::filesystem::path devices =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CoreKind, ListsNameTheKinds) {
  write("cpu_core/cpus", "0-3,12");
  write("cpu_atom/cpus", "4-11,13");
  for (int cpu : {0, 3, 12})
    EXPECT_EQ(kind(cpu), "cpu_core") << cpu;
  for (int cpu : {4, 11, 13})
    EXPECT_EQ(kind(cpu), "cpu_atom") << cpu;
  EXPECT_EQ(kind(14), "");
}

TEST_F(CoreKind, CapacitiesTellKindsApart) {
  for (int cpu = 0; cpu < 4; ++cpu)
    writeOfCpu(cpu, "cpu_capacity", cpu < 2 ? "446" : "1024");
  EXPECT_EQ(kind(0), "capacity 446 of 1024");
  EXPECT_EQ(kind(3), "capacity 1024 of 1024");
}

TEST_F(CoreKind, FrequenciesTellKindsApart) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    writeOfCpu(cpu, "cpu_capacity", "1024");
    writeOfCpu(cpu, "cpufreq/cpuinfo_max_freq",
               cpu < 2 ? "5100000" : "3900000");
  }
  EXPECT_EQ(kind(0), "5.1 of 5.1 GHz");
  EXPECT_EQ(kind(2), "3.9 of 5.1 GHz");
}

TEST_F(CoreKind, OneKindIsNotNamed) {
  EXPECT_EQ(kind(0), "");
  for (int cpu = 0; cpu < 2; ++cpu) {
    writeOfCpu(cpu, "cpu_capacity", "1024");
    writeOfCpu(cpu, "cpufreq/cpuinfo_max_freq", "3900000");
  }
  EXPECT_EQ(kind(1), "");
}

} // namespace
