//===- RunEnvironment.cpp - The machine and build of a measurement --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/RunEnvironment.h"
#include "common/MeasurementJson.h"

#include "tandem/Analysis/HostCaches.h"
#include "tandem/Measure/CoreKind.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Versions.h"

#include <climits>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tandem::tools {
namespace {

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "unknown";
}

int usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return CPU_COUNT(&set);
}

std::string osName() {
  utsname names{};
  uname(&names);
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME=\""))
      return line.substr(13, line.size() - 14) + ", " + names.sysname + " " +
             names.release;
  return std::string(names.sysname) + " " + names.release;
}

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// Quotes `word` as one would type it in a shell.
std::string shellQuote(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"
                                     "PQRSTUVWXYZ0123456789-_=+./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string commandLine(int argc, const char *const *argv) {
  std::string text = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i)
    text += " " + shellQuote(argv[i]);
  return text;
}

} // namespace

/// The names and versions of the parts of this build.
static std::vector<std::pair<std::string, std::string>> versions() {
  std::vector<std::pair<std::string, std::string>> all = {
      {"tandem", TANDEM_VERSION}, {"llvm", TANDEM_LLVM_VERSION}};
  for (auto &library : libraryVersions())
    all.push_back(std::move(library));
  all.push_back({"compiler", __VERSION__});
  return all;
}

std::string versionText() {
  std::string text;
  for (const auto &[name, version] : versions())
    text += (text.empty() ? "" : "\n") + name + " " + version;
  return text;
}

RunEnvironment describeRunEnvironment(int argc, const char *const *argv) {
  RunEnvironment environment;
  environment.cpu = cpuModel();
  environment.coreKind = measure::currentCoreKind();
  environment.os = osName();
  environment.cores = usableCores();
  environment.threads = numThreads();
  environment.memoryBytes =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  environment.cacheBytes = hostCaches().back().bytes;
  environment.versions = versions();
  environment.command = commandLine(argc, argv);
  environment.time = now();
  return environment;
}

nlohmann::ordered_json toJson(const RunEnvironment &environment) {
  nlohmann::ordered_json versions;
  for (const auto &[name, version] : environment.versions)
    versions[name] = version;
  auto orNull = [](const std::string &text) {
    return text.empty() ? nlohmann::ordered_json()
                        : nlohmann::ordered_json(text);
  };
  return {{"cpu_model", environment.cpu},
          {"core_kinds", orNull(coreKinds(environment))},
          {"gpu_model", orNull(environment.gpuModel)},
          {"os", environment.os},
          {"cores", environment.cores},
          {"threads", environment.threads},
          {"memory_bytes", environment.memoryBytes},
          {"cache_bytes", environment.cacheBytes},
          {"versions", versions},
          {"command", environment.command},
          {"time", environment.time}};
}

std::string coreKinds(const RunEnvironment &environment) {
  const std::string now = measure::currentCoreKind();
  return now == environment.coreKind ? now : environment.coreKind + ", " + now;
}

std::string headingOf(const RunEnvironment &environment) {
  const std::string kinds = coreKinds(environment);
  return environment.cpu + ", " + std::to_string(environment.threads) +
         (environment.threads == 1 ? " thread" : " threads") +
         (kinds.empty() ? "" : "; the calling one on " + kinds) + "\n";
}

std::string executablePath() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "";
}

std::string sharePath(std::string_view name) {
  return std::filesystem::path(executablePath()).parent_path().parent_path() /
         "share" / "tandem" / name;
}

Status writeText(const std::string &path, std::string_view text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      return fail("write", "cannot write to standard output");
    return {};
  }
  auto *bytes = reinterpret_cast<const uint8_t *>(text.data());
  return writeFileAtomically(path, {bytes, text.size()});
}

int report(const Error &error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", error.str().c_str());
  return 1;
}

int finish(const Expected<bool> &passed) {
  if (!passed)
    return report(passed.error());
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return report({"cannot write to standard output", "write", {}, {}});
  return *passed ? 0 : 1;
}

} // namespace tandem::tools
