//===- tandem-cache.cpp - Looks after compiled programs on disk -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/CommandLine.h"
#include "common/Format.h"
#include "common/RunEnvironment.h"

#include "tandem/Runtime/DiskCache.h"
#include "tandem/Support/Environment.h"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>

using namespace tandem;
using namespace tandem::tools;

namespace {

struct CacheOptions {
  std::string directory = cacheDirectory();
  bool withKeys = false;
  bool removeBad = false;
  std::string limit;
};

/// The values of all fields of that label, joined by ", ".
std::string valuesOf(const std::string &fields, const std::string &label) {
  std::string values;
  const std::string begin = label + ": ";
  for (size_t at = 0; at < fields.size();) {
    const size_t end = std::min(fields.find('\n', at), fields.size());
    if (fields.compare(at, begin.size(), begin) == 0)
      values += (values.empty() ? "" : ", ") +
                fields.substr(at + begin.size(), end - at - begin.size());
    at = end + 1;
  }
  return values;
}

std::string kindOf(const CacheFile &file) {
  const std::string kind = valuesOf(file.fields, "kind");
  return kind.empty() ? "unreadable" : kind;
}

/// "@main(8x64xf32)", "cpu", "sm_90".
std::string describe(const CacheFile &file) {
  const std::string function = valuesOf(file.fields, "function");
  if (!function.empty())
    return "@" + function + "(" + valuesOf(file.fields, "input") + ")";
  return valuesOf(file.fields, "target") +
         valuesOf(file.fields, "architecture");
}

std::string formatDate(int64_t ns) {
  const std::time_t seconds = ns / 1'000'000'000;
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

std::string nameOf(const CacheFile &file) {
  return std::filesystem::path(file.path).filename().string();
}

Expected<std::string> folderOf(const CacheOptions &options) {
  if (options.directory.empty())
    return fail("argument", "there is no cache: no home is known",
                "--dir or TANDEM_CACHE_DIR names one");
  return entryFolder(options.directory);
}

Expected<std::vector<CacheFile>> listOf(const CacheOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::string folder, folderOf(options));
  return listEntries(folder, /*withFields=*/true);
}

Expected<bool> ls(const CacheOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<CacheFile> files, listOf(options));
  Table table({{"kind", false},
               {"size"},
               {"last use", false},
               {"holds", false},
               {"file", false}});
  for (const CacheFile &file : files) {
    table.addRow({kindOf(file), formatBytes(static_cast<int64_t>(file.bytes)),
                  formatDate(file.lastUse), describe(file), nameOf(file)});
    if (options.withKeys)
      table.addRow({file.fields});
  }
  std::printf("%s", table.str().c_str());
  return true;
}

Expected<bool> stat(const CacheOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::string folder, folderOf(options));
  TANDEM_ASSIGN_OR_RETURN(const std::vector<CacheFile> files, listOf(options));
  TANDEM_ASSIGN_OR_RETURN(const uint64_t limit, cacheLimit());
  struct Sum {
    int64_t files = 0, bytes = 0;
  };
  std::map<std::string, Sum> kinds;
  Sum all;
  for (const CacheFile &file : files)
    for (Sum *sum : {&kinds[kindOf(file)], &all}) {
      ++sum->files;
      sum->bytes += static_cast<int64_t>(file.bytes);
    }
  std::printf("%s\n", folder.c_str());
  Table table({{"kind", false}, {"entries"}, {"size"}});
  for (const auto &[kind, sum] : kinds)
    table.addRow({kind, std::to_string(sum.files), formatBytes(sum.bytes)});
  table.addRow({"all", std::to_string(all.files), formatBytes(all.bytes)});
  table.addRow({"limit", "", formatBytes(static_cast<int64_t>(limit))});
  std::printf("%s", table.str().c_str());
  return true;
}

Expected<bool> verify(const CacheOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<CacheFile> files, listOf(options));
  size_t bad = 0;
  for (const CacheFile &file : files) {
    Status status = verifyEntry(file.path);
    // One that another process has removed meanwhile is no bad one.
    std::error_code error;
    if (status || !std::filesystem::exists(file.path, error))
      continue;
    ++bad;
    std::printf("%s\n", status.error().message.c_str());
    if (options.removeBad)
      std::filesystem::remove(file.path, error);
  }
  std::printf("%zu entries, %zu bad%s\n", files.size(), bad,
              bad && options.removeBad ? ", which are removed" : "");
  return bad == 0 || options.removeBad;
}

Expected<bool> prune(const CacheOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::string folder, folderOf(options));
  TANDEM_ASSIGN_OR_RETURN(const uint64_t limit,
                          options.limit.empty() ? cacheLimit()
                                                : parseBytes(options.limit));
  TANDEM_ASSIGN_OR_RETURN(const uint64_t freed, pruneEntries(folder, limit));
  std::printf("%s removed\n", formatBytes(static_cast<int64_t>(freed)).c_str());
  return true;
}

using Command = Expected<bool> (*)(const CacheOptions &options);

void addCommands(CLI::App &app, CacheOptions &options, Command &command) {
  app.add_option("--dir", options.directory,
                 "The cache's directory (default: $TANDEM_CACHE_DIR, or tandem "
                 "among the user's caches)");
  app.require_subcommand(1);
  app.fallthrough();
  auto add = [&](const char *name, const char *help, Command function) {
    CLI::App *added = app.add_subcommand(name, help);
    added->callback([&command, function] { command = function; });
    return added;
  };
  add("ls", "List the entries, the least recently used first", ls)
      ->add_flag("--keys", options.withKeys,
                 "Print all that each entry depends on");
  add("stat", "Print how many entries there are, of what kind and size", stat);
  add("verify", "Check every byte; exit with 1 if an entry is bad", verify)
      ->add_flag("--remove", options.removeBad, "Remove bad entries");
  add("prune", "Remove the least recently used entries", prune)
      ->add_option("--limit", options.limit,
                   "The bytes to keep, as in 500M; 0 removes all (default: "
                   "$TANDEM_CACHE_LIMIT, or 2G)");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Looks after the compiled programs that Tandem keeps on disk.",
               "tandem-cache"};
  CacheOptions options;
  Command command = nullptr;
  addCommands(app, options, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return finish(command(options));
}
