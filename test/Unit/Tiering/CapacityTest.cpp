//===- CapacityTest.cpp - Tests of Capacity.h -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/Capacity.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tandem::tiering;
namespace fs = std::filesystem;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kSecond = 1e9; // in nanoseconds

/// A directory with a /proc and a /sys, which goes with its test.
class FakeRoot : public testing::Test {
protected:
  FakeRoot() {
    std::string path = fs::temp_directory_path() / "tandem-capacity-XXXXXX";
    root = mkdtemp(path.data());
  }
  ~FakeRoot() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  void thread(int id, double runNs, double delayNs) {
    write("proc/self/task/" + std::to_string(id) + "/schedstat",
          std::to_string(static_cast<long>(runNs)) + " " +
              std::to_string(static_cast<long>(delayNs)) + " 7");
  }
  /// One line of /proc/stat for each pair of busy and idle ticks.
  void cpus(const std::vector<std::pair<int, int>> &ticks) {
    std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
    for (size_t i = 0; i < ticks.size(); ++i)
      text += "cpu" + std::to_string(i) + " " + std::to_string(ticks[i].first) +
              " 0 0 " + std::to_string(ticks[i].second) + " 0 0 0 0 0 0\n";
    write("proc/stat", text + "intr 1 2 3");
  }
  void unified(const std::string &group, const std::string &shown = "/") {
    write("proc/self/cgroup", "0::" + group);
    write("proc/self/mountinfo",
          "22 1 0:21 / /proc rw - proc proc rw\n"
          "30 1 0:26 " +
              shown +
              " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw");
  }

  fs::path root;
};

using CgroupQuotaTest = FakeRoot;
using CapacityMonitorTest = FakeRoot;

TEST_F(CgroupQuotaTest, HasNoneWhereNothingSaysSo) {
  EXPECT_EQ(CgroupQuota(root).cores(), kNone);
  unified("/a");
  EXPECT_EQ(CgroupQuota(root).cores(), kNone);
  for (const char *text : {"max 100000", "nonsense", "", "-1 100000", "5 0"}) {
    write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(CgroupQuota(root).cores(), kNone) << text;
  }
}

TEST_F(CgroupQuotaTest, TakesTheLeastOfAllLevels) {
  unified("/a/b/c");
  write("sys/fs/cgroup/a/cpu.max", "150000 100000");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  write("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000");
  write("sys/fs/cgroup/other/cpu.max", "1000 100000");
  const CgroupQuota quota(root);
  EXPECT_DOUBLE_EQ(quota.cores(), 1.5);
  write("sys/fs/cgroup/a/b/c/cpu.max", "50000 100000");
  EXPECT_DOUBLE_EQ(quota.cores(), 0.5); // read anew
}

TEST_F(CgroupQuotaTest, ReadsVersionOneBesideVersionTwo) {
  write("proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/jobs/7\n0::/a");
  write("proc/self/mountinfo",
        "31 1 0:9 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "32 1 0:9 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "33 1 0:9 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  write("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "250000");
  write("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/cpu/jobs/7/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/jobs/7/cpu.cfs_period_us", "100000");
  EXPECT_DOUBLE_EQ(CgroupQuota(root).cores(), 2.5);
  write("sys/fs/cgroup/unified/a/cpu.max", "200000 100000");
  EXPECT_DOUBLE_EQ(CgroupQuota(root).cores(), 2);
}

TEST_F(CgroupQuotaTest, FindsTheGroupInsideAContainer) {
  // The mount shows the container's group as its root.
  unified("/docker/1/inner", "/docker/1");
  write("sys/fs/cgroup/cpu.max", "300000 100000");
  write("sys/fs/cgroup/inner/cpu.max", "120000 100000");
  EXPECT_DOUBLE_EQ(CgroupQuota(root).cores(), 1.2);
  // The group is outside what is shown.
  unified("/../other", "/");
  EXPECT_DOUBLE_EQ(CgroupQuota(root).cores(), 3);
}

TEST_F(CapacityMonitorTest, GuessesFromWhatIsRunnableAtFirst) {
  cpus({{100, 100}, {100, 100}, {100, 100}, {100, 100}});
  write("proc/thread-self/status", "Name:\tx\nCpus_allowed_list:\t0,2-3");
  write("proc/loadavg", "9.99 9.99 9.99 2/150 4711");
  CapacityMonitor monitor(root);
  EXPECT_EQ(monitor.sample(0).allowedCores, 3);
  EXPECT_EQ(monitor.sample(0).spareCores(), 2);
}

TEST_F(CapacityMonitorTest, CountsIdleProcessorsAmongTheAllowed) {
  write("proc/thread-self/status", "Cpus_allowed_list:\t0-1,9");
  cpus({{0, 0}, {0, 0}, {0, 0}});
  thread(1, 0, 0);
  CapacityMonitor monitor(root);
  monitor.sample(0);
  cpus({{250, 750}, {1000, 0}, {0, 1000}});
  thread(1, 10 * kSecond, 0);
  const Capacity &capacity = monitor.sample(10 * kSecond);
  EXPECT_EQ(capacity.allowedCores, 2); // the tenth is not online
  EXPECT_DOUBLE_EQ(capacity.idleCores, 0.75);
  EXPECT_DOUBLE_EQ(capacity.foregroundCores, 1);
  EXPECT_DOUBLE_EQ(capacity.spareCores(), 0.75);
}

TEST_F(CapacityMonitorTest, ABoundCallerDoesNotBindBackgroundThreads) {
  write("proc/thread-self/status", "Cpus_allowed_list:\t0");
  cpus({{0, 0}, {0, 0}, {0, 0}});
  thread(1, 0, 0);
  thread(2, 0, 0);
  CapacityMonitor monitor(root, {0, 1});
  EXPECT_EQ(monitor.sample(0).allowedCores, 2);
  // The caller has the first processor to itself, and nobody uses the second.
  cpus({{1000, 0}, {0, 1000}, {0, 1000}});
  thread(1, 10 * kSecond, 0);
  EXPECT_DOUBLE_EQ(monitor.sample(10 * kSecond).spareCores(), 1);
  // From now on, the background thread is asked.
  monitor.addBackgroundThread(2);
  write("proc/self/task/2/status", "Cpus_allowed_list:\t1-2");
  EXPECT_EQ(monitor.sample(20 * kSecond).allowedCores, 2);
  write("proc/self/task/2/status", "Cpus_allowed_list:\t2");
  EXPECT_EQ(monitor.sample(30 * kSecond).allowedCores, 1);
}

TEST_F(CapacityMonitorTest, CountsWhatHelpersUseAsSpare) {
  cpus({{0, 0}, {0, 0}});
  thread(1, 0, 0);
  CapacityMonitor monitor(root);
  write("proc/77/task/77/schedstat", "5000000000 0 7");
  monitor.addHelper(77);
  monitor.sample(0);
  // Both processors are busy, one of them with two threads of the helper.
  cpus({{1000, 0}, {1000, 0}});
  thread(1, 10 * kSecond, 0);
  write("proc/77/task/77/schedstat", "11000000000 4000000000 7");
  write("proc/77/task/78/schedstat", "3000000000 0 7");
  EXPECT_DOUBLE_EQ(monitor.sample(10 * kSecond).spareCores(), 0.9);
  // Some other process has taken its place.
  monitor.removeHelper(77);
  cpus({{2000, 0}, {2000, 0}});
  thread(1, 20 * kSecond, 0);
  EXPECT_DOUBLE_EQ(monitor.sample(20 * kSecond).spareCores(), 0);
}

TEST_F(CapacityMonitorTest, CountsWhatBackgroundThreadsUseAsSpare) {
  cpus({{0, 0}, {0, 0}});
  thread(1, 0, 0);
  thread(2, 0, 0);
  CapacityMonitor monitor(root);
  monitor.addBackgroundThread(2);
  monitor.sample(0);
  // Both processors are busy, one of them with compiling, which also waited.
  cpus({{1000, 0}, {1000, 0}});
  thread(1, 10 * kSecond, 0);
  thread(2, 9 * kSecond, 5 * kSecond);
  EXPECT_DOUBLE_EQ(monitor.sample(10 * kSecond).spareCores(), 0.9);
  // The same, and the caller had to wait.
  cpus({{2000, 0}, {2000, 0}});
  thread(1, 17 * kSecond, 3 * kSecond);
  thread(2, 18 * kSecond, 5 * kSecond);
  const Capacity &capacity = monitor.sample(20 * kSecond);
  EXPECT_DOUBLE_EQ(capacity.waitingThreads, 0.3);
  EXPECT_DOUBLE_EQ(capacity.spareCores(), 0.6);
  // No longer a background thread.
  monitor.removeBackgroundThread(2);
  cpus({{3000, 0}, {3000, 0}});
  thread(2, 28 * kSecond, 5 * kSecond);
  EXPECT_EQ(monitor.sample(30 * kSecond).spareCores(), 0);
}

TEST_F(CapacityMonitorTest, KeepsWithinTheQuota) {
  cpus({{0, 0}, {0, 0}, {0, 0}, {0, 0}});
  thread(1, 0, 0);
  unified("/a");
  write("sys/fs/cgroup/a/cpu.max", "150000 100000");
  CapacityMonitor monitor(root);
  monitor.sample(0);
  cpus({{1000, 0}, {0, 1000}, {0, 1000}, {0, 1000}});
  thread(1, 10 * kSecond, 0);
  const Capacity &capacity = monitor.sample(10 * kSecond);
  EXPECT_DOUBLE_EQ(capacity.idleCores, 3);
  EXPECT_DOUBLE_EQ(capacity.spareCores(), 0.5);
}

TEST_F(CapacityMonitorTest, MeasuresNoMoreOftenThanItsWindow) {
  cpus({{0, 0}});
  CapacityMonitor monitor(root);
  monitor.sample(0);
  cpus({{500, 500}});
  EXPECT_EQ(monitor.sample(10 * kSecond).idleCores, 0.5);
  cpus({{500, 1500}});
  EXPECT_EQ(monitor.sample(10 * kSecond + 1).idleCores, 0.5);
  EXPECT_EQ(monitor.sample(20 * kSecond).idleCores, 1);
}

TEST_F(CapacityMonitorTest, DoesWithoutProc) {
  CapacityMonitor monitor(root / "missing");
  monitor.sample(0);
  const Capacity &capacity = monitor.sample(10 * kSecond);
  EXPECT_GE(capacity.allowedCores, 1);
  EXPECT_EQ(capacity.idleCores, capacity.allowedCores);
}

double nowNs() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TEST(HostCapacityTest, FollowsTheAffinityOfTheThread) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  EXPECT_EQ(CapacityMonitor().sample(nowNs()).allowedCores,
            CPU_COUNT(&allowed));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed))
      CPU_SET(cpu, &one);
  std::atomic<bool> stop{false};
  std::thread pinned([&] {
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    std::thread other([&] { // inherits the affinity
      while (!stop)
        ;
    });
    CapacityMonitor monitor;
    const Capacity *capacity = &monitor.sample(nowNs());
    EXPECT_EQ(capacity->allowedCores, 1);
    // Two threads spin on one processor. A window in which the whole process
    // was stopped shows it idle, so that one such window is enough.
    bool busy = false;
    for (int window = 0; window < 100 && !busy; ++window) {
      const double end = nowNs() + 0.3 * kSecond;
      while (nowNs() < end)
        ;
      capacity = &monitor.sample(nowNs());
      busy = capacity->spareCores() < 0.2 && capacity->foregroundCores > 0 &&
             capacity->waitingThreads > 0.2;
    }
    EXPECT_TRUE(busy);
    stop = true;
    other.join();
  });
  pinned.join();
}

/// A control group of version 1 with half a processor; none where this process
/// may not make one.
class HalfProcessor {
public:
  HalfProcessor()
      : group("/sys/fs/cgroup/cpu/tandem-test-" + std::to_string(getpid())) {
    std::error_code error;
    if (!fs::exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", error) ||
        !fs::create_directory(group, error))
      return;
    made = true;
    put("cpu.cfs_period_us", 100000);
    put("cpu.cfs_quota_us", 50000);
  }
  ~HalfProcessor() {
    if (made)
      rmdir(group.c_str());
  }
  bool put(const char *file, long value) const {
    std::ofstream stream(group / file);
    stream << value << std::flush;
    return made && stream.good();
  }

private:
  fs::path group;
  bool made = false;
};

TEST(HostCapacityTest, FollowsTheQuotaOfTheProcess) {
  const HalfProcessor group;
  constexpr int kEntered = 1, kRight = 2;
  const pid_t child = fork();
  if (child == 0) {
    if (!group.put("cgroup.procs", getpid()))
      _exit(0);
    _exit(kEntered | (CgroupQuota().cores() == 0.5 ? kRight : 0));
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 0)
    GTEST_SKIP() << "no control group can be made here";
  EXPECT_EQ(WEXITSTATUS(status), kEntered | kRight);
}

} // namespace
