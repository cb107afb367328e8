//===- Library.cpp - Shared libraries opened at run time ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/Library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <glob.h>
#include <vector>

using namespace tandem;

namespace {

constexpr const char *kDefaultToolkit = "/usr/local/cuda";

/// Folders to look in, in order, and how a message calls them together.
struct Place {
  std::string description;
  /// The empty one: where the loader looks.
  std::vector<std::string> folders;
};

const char *environment(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

std::vector<std::string> matching(const std::string &pattern) {
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

Place toolkitPlace(const std::string &root) {
  Place place{root, {}};
  for (const char *folder : {"/lib64", "/lib", "/targets/*/lib"})
    for (std::string &path : matching(root + folder))
      place.folders.push_back(std::move(path));
  return place;
}

/// The packages of the environment that is active, the user's, the system's.
Place pythonPlace() {
  std::vector<std::string> roots;
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char *root = environment(variable))
      roots.emplace_back(root);
  if (const char *home = environment("HOME"))
    roots.push_back(std::string(home) + "/.local");
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  Place place{"packages of Python", {}};
  for (const std::string &root : roots)
    for (std::string &path :
         matching(root + "/lib/python3*/*-packages/nvidia/*/lib"))
      place.folders.push_back(std::move(path));
  return place;
}

std::vector<Place> placesOf(const LibrarySpec &spec) {
  std::vector<Place> places;
  if (spec.toolkit != Toolkit::no) {
    const char *root = environment("CUDAToolkit_ROOT");
    places.push_back(toolkitPlace(root ? root : kDefaultToolkit));
    if (root)
      places.back().description = "CUDAToolkit_ROOT=" + std::string(root);
    if (root && spec.toolkit == Toolkit::holds)
      return places;
  }
  places.push_back({"the folders of the loader", {""}});
  if (spec.isInPythonPackages)
    places.push_back(pythonPlace());
  return places;
}

std::string pathOf(void *library, const std::string &name) {
  Dl_info info;
  if (void *symbol = dlsym(library, name.c_str());
      symbol && dladdr(symbol, &info))
    return std::filesystem::weakly_canonical(info.dli_fname).string();
  return {};
}

/// One look for a library.
class Search {
public:
  Search(const LibrarySpec &spec, std::span<const LibrarySymbol> symbols)
      : spec(spec), symbols(symbols) {}

  Expected<std::string> run();

private:
  /// Tries one file; true when it is open and complete.
  bool open(const std::string &file);
  bool openIn(const std::string &folder);
  bool bind(void *library, const std::string &file);
  tl::unexpected<Error> failure(const std::string &what) const;

  const LibrarySpec &spec;
  std::span<const LibrarySymbol> symbols;
  std::string path;
  /// What was wrong with files that are there.
  std::string problems;
};

bool Search::bind(void *library, const std::string &file) {
  for (const LibrarySymbol &symbol : symbols) {
    *symbol.function = dlsym(library, symbol.name);
    if (!*symbol.function && !symbol.isOptional) {
      problems += "; " + file + " lacks " + symbol.name;
      return false;
    }
  }
  return true;
}

bool Search::open(const std::string &file) {
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    // dlerror says more of a file that exists than that the file is missing.
    if (std::filesystem::exists(file))
      problems += std::string("; ") + dlerror();
    return false;
  }
  if (bind(library, file)) {
    path = pathOf(library, symbols.front().name);
    return true;
  }
  dlclose(library);
  return false;
}

bool Search::openIn(const std::string &folder) {
  for (const char *name : spec.names)
    if (open(folder.empty() ? name : folder + "/" + name))
      return true;
  return false;
}

tl::unexpected<Error> Search::failure(const std::string &what) const {
  return fail("load", "no usable " + std::string(spec.title) + " " + what,
              std::string(spec.hint));
}

Expected<std::string> Search::run() {
  if (const char *file = lookUp(spec.variable)) {
    if (open(file))
      return path;
    return failure("in " + std::string(name(spec.variable)) + "=" + file +
                   (problems.empty() ? ": there is no such file" : problems));
  }
  std::string tried;
  for (const Place &place : placesOf(spec)) {
    for (const std::string &folder : place.folders)
      if (openIn(folder))
        return path;
    tried += (tried.empty() ? "" : ", ") + place.description;
  }
  std::string names;
  for (const char *name : spec.names)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return failure("(" + names + ") in " + tried + problems);
}

} // namespace

Expected<std::string>
tandem::openLibrary(const LibrarySpec &spec,
                    std::span<const LibrarySymbol> symbols) {
  return Search(spec, symbols).run();
}
