//===- Capacity.cpp - Cores that compiling may use ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/Capacity.h"

#include "tandem/Support/Clocks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace tandem::tiering {

namespace fs = std::filesystem;

double Capacity::spareCores() const {
  const double unused = idleCores + backgroundCores;
  const double granted = std::min(allowedCores, quotaCores) - foregroundCores;
  return std::max(0.0, std::min(unused, granted) - waitingThreads);
}

//===----------------------------------------------------------------------===//
// CgroupQuota
//===----------------------------------------------------------------------===//

namespace {

/// A mounted hierarchy of control groups that may limit processor time.
struct CgroupMount {
  /// The group that the mount shows, and where.
  fs::path group, point;
  bool unified; // version 2
};

bool listHas(const std::string &list, std::string_view entry) {
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');)
    if (word == entry)
      return true;
  return false;
}

/// Reads a line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
std::optional<CgroupMount> parseMount(const std::string &line) {
  std::istringstream fields(line);
  std::string ignored, group, point, word, type, options;
  fields >> ignored >> ignored >> ignored >> group >> point;
  while (fields >> word && word != "-")
    ;
  fields >> type >> ignored >> options;
  const bool unified = type == "cgroup2";
  if (!unified && !(type == "cgroup" && listHas(options, "cpu")))
    return std::nullopt;
  return CgroupMount{group, point, unified};
}

/// The group of this process in the hierarchy of `mount`, from a line of
/// /proc/self/cgroup (cgroups(7)); none where the line is of another one.
std::optional<fs::path> parseGroup(const std::string &line,
                                   const CgroupMount &mount) {
  const size_t first = line.find(':'), second = line.find(':', first + 1);
  if (second == std::string::npos)
    return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (mount.unified ? !controllers.empty() : !listHas(controllers, "cpu"))
    return std::nullopt;
  return fs::path(line.substr(second + 1));
}

std::vector<std::string> readLines(const fs::path &path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// The quota that two words stand for, "max" or a negative one for none, and
/// the period, both in microseconds.
double quotaOf(const std::string &quota, double period) {
  double value = 0;
  auto end = quota.data() + quota.size();
  auto [rest, error] = std::from_chars(quota.data(), end, value);
  if (error != std::errc() || rest != end || value <= 0 || period <= 0)
    return std::numeric_limits<double>::infinity();
  return value / period;
}

double quotaOfGroup(const fs::path &group) {
  std::string v2, v1;
  double v2Period = 0, v1Period = 0;
  std::ifstream(group / "cpu.max") >> v2 >> v2Period;
  std::ifstream(group / "cpu.cfs_quota_us") >> v1;
  std::ifstream(group / "cpu.cfs_period_us") >> v1Period;
  return std::min(quotaOf(v2, v2Period), quotaOf(v1, v1Period));
}

/// `path` as it is seen under `root`.
fs::path under(const fs::path &root, const fs::path &path) {
  return root / path.relative_path();
}

} // namespace

CgroupQuota::CgroupQuota(const fs::path &root) {
  const auto memberships = readLines(under(root, "/proc/self/cgroup"));
  for (const std::string &line : readLines(under(root, "/proc/self/mountinfo")))
    if (auto mount = parseMount(line))
      for (const std::string &membership : memberships)
        if (auto group = parseGroup(membership, *mount))
          addLevels(under(root, mount->point),
                    group->lexically_relative(mount->group));
}

/// Adds a group, relative to what is mounted, and those above it. In a
/// container that sees less than the group, only what is mounted is known.
void CgroupQuota::addLevels(const fs::path &mount, const fs::path &group) {
  groups.push_back(mount);
  if (group.empty() || *group.begin() == "..")
    return;
  fs::path level = mount;
  for (const fs::path &name : group)
    if (name != "." && !name.empty())
      groups.push_back(level /= name);
}

double CgroupQuota::cores() const {
  double least = std::numeric_limits<double>::infinity();
  for (const fs::path &group : groups)
    least = std::min(least, quotaOfGroup(group));
  return least;
}

//===----------------------------------------------------------------------===//
// CapacityMonitor
//===----------------------------------------------------------------------===//

/// Adds the processors of a list such as "0-3,8" (cpuset(7)).
static void addList(std::set<int> &cpus, const std::string &list) {
  std::istringstream stream(list);
  for (std::string range; std::getline(stream, range, ',');) {
    int first = 0, last = 0;
    const int fields = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    for (int cpu = first; fields > 0 && cpu <= (fields == 2 ? last : first);
         ++cpu)
      cpus.insert(cpu);
  }
}

CapacityMonitor::CapacityMonitor(fs::path root, std::set<int> atStart)
    : root(std::move(root)), atStart(std::move(atStart)), quota(this->root) {}

/// Reads the affinity as /proc shows it, which has no limit on the number of
/// processors as sched_getaffinity's set has.
std::set<int> CapacityMonitor::readAllowed(const std::string &which) const {
  std::set<int> cpus;
  const std::string key = "Cpus_allowed_list:";
  for (const std::string &line :
       readLines(under(root, "/proc/" + which + "/status")))
    if (line.starts_with(key))
      addList(cpus, line.substr(key.size()));
  return cpus;
}

std::set<int> CapacityMonitor::backgroundProcessors() const {
  std::set<int> cpus;
  for (pid_t thread : background)
    cpus.merge(readAllowed("self/task/" + std::to_string(thread)));
  if (cpus.empty())
    cpus = atStart;
  return cpus.empty() ? readAllowed("thread-self") : cpus;
}

std::map<int, CapacityMonitor::CpuTicks> CapacityMonitor::readCpus() const {
  std::map<int, CpuTicks> cpus;
  for (const std::string &line : readLines(under(root, "/proc/stat"))) {
    int cpu = 0;
    double user, nice, system, idle, iowait, irq, softirq, steal;
    if (std::sscanf(line.c_str(), "cpu%d %lf %lf %lf %lf %lf %lf %lf %lf", &cpu,
                    &user, &nice, &system, &idle, &iowait, &irq, &softirq,
                    &steal) == 9)
      cpus[cpu] = {idle + iowait, user + nice + system + idle + iowait + irq +
                                      softirq + steal};
  }
  return cpus;
}

std::map<pid_t, CapacityMonitor::ThreadTimes>
CapacityMonitor::readThreads(const std::string &which) const {
  std::map<pid_t, ThreadTimes> threads;
  std::error_code ignored; // a thread may end meanwhile
  for (const auto &entry : fs::directory_iterator(
           under(root, "/proc/" + which + "/task"), ignored)) {
    ThreadTimes times;
    if (std::ifstream(entry.path() / "schedstat") >> times.run >> times.delay)
      threads[std::atoi(entry.path().filename().c_str())] = times;
  }
  return threads;
}

CapacityMonitor::Snapshot CapacityMonitor::take(double nowNs) const {
  Snapshot snapshot{nowNs, readCpus(), readThreads("self"), {}};
  for (pid_t helper : helpers)
    snapshot.helpers.merge(readThreads(std::to_string(helper)));
  const std::set<int> allowed = backgroundProcessors();
  if (!allowed.empty())
    std::erase_if(snapshot.cpus, [&](const auto &cpu) {
      return !allowed.contains(cpu.first);
    });
  return snapshot;
}

double CapacityMonitor::guessIdle(const Snapshot &snapshot) const {
  std::string ignored, runnable;
  std::ifstream(under(root, "/proc/loadavg")) >> ignored >> ignored >>
      ignored >> runnable; // "runnable/all"
  const double online = static_cast<double>(readCpus().size());
  return std::clamp(online - std::atof(runnable.c_str()), 0.0,
                    static_cast<double>(snapshot.cpus.size()));
}

void CapacityMonitor::compare(const Snapshot &before, const Snapshot &after) {
  const double wall = after.nowNs - before.nowNs;
  double idle = 0, own = 0, ownBackground = 0, waiting = 0;
  for (const auto &[cpu, now] : after.cpus)
    if (auto then = before.cpus.find(cpu); then != before.cpus.end()) {
      const double ticks = now.total - then->second.total;
      if (ticks > 0)
        idle += std::clamp((now.idle - then->second.idle) / ticks, 0.0, 1.0);
    }
  auto since = [](const auto &threads, pid_t thread) {
    auto known = threads.find(thread);
    return known == threads.end() ? ThreadTimes() : known->second;
  };
  for (const auto &[thread, now] : after.helpers)
    ownBackground += std::max(0.0, now.run - since(before.helpers, thread).run);
  for (const auto &[thread, now] : after.threads) {
    const ThreadTimes then = since(before.threads, thread);
    const double run = std::max(0.0, now.run - then.run);
    if (background.contains(thread)) {
      ownBackground += run;
      continue;
    }
    own += run;
    waiting += std::max(0.0, now.delay - then.delay);
  }
  capacity.backgroundCores = ownBackground / wall;
  capacity.foregroundCores = own / wall;
  capacity.waitingThreads = waiting / wall;
  // If processor times are hidden, cores that this process did not use count as
  // idle.
  capacity.idleCores =
      after.cpus.empty()
          ? std::max(0.0, capacity.allowedCores - capacity.foregroundCores -
                              capacity.backgroundCores)
          : idle;
}

const Capacity &CapacityMonitor::sample(double nowNs) {
  if (last && nowNs < nextNs)
    return capacity;
  const double start = threadNs();
  Snapshot snapshot = take(nowNs);
  capacity.allowedCores =
      snapshot.cpus.empty() ? std::max(1U, std::thread::hardware_concurrency())
                            : static_cast<double>(snapshot.cpus.size());
  capacity.quotaCores = quota.cores();
  if (last)
    compare(*last, snapshot);
  else
    capacity.idleCores = guessIdle(snapshot);
  last = std::move(snapshot);
  const double window = 10e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  nextNs = nowNs + std::max(window, 1000 * (threadNs() - start));
  return capacity;
}

} // namespace tandem::tiering
