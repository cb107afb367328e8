//===- HostCompiler.cpp - CUDA C++ to a library of the host's -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries/HostCompiler.h"

#include "Driver/LoadCounts.h"

#include "tandem/Support/Environment.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

// Generated: the text of HostCUDA.h, as kHostHeaders.
#include "HostCUDA.inc"

extern char **environ;

using namespace tandem;

namespace {

/// Contraction would give other results than the reference's arithmetic. What a
/// kernel is called may be the name of something in another library.
constexpr const char *kOptions[] = {
    "-std=c++17",        "-O1",      "-w",         "-fPIC",         "-shared",
    "-ffp-contract=off", "-include", "HostCUDA.h", "-Wl,-Bsymbolic"};

/// Without optimizations, each access that the source has is one; the linker
/// finds the functions that count them (HostCUDA.h) in the library itself.
constexpr const char *kCountingOptions[] = {
    "-DTANDEM_COUNT_LOADS", "-O0", "-fsanitize=thread", "-mllvm",
    "-tsan-instrument-func-entry-exit=false"};

std::vector<std::string> optionsFor(const std::string &compiler) {
  std::vector<std::string> options(std::begin(kOptions), std::end(kOptions));
  if (fake::countsLoads())
    options.insert(options.end(), std::begin(kCountingOptions),
                   std::end(kCountingOptions));
  // A misaligned access is an error of the device.
  if (compiler.find("clang") != compiler.npos)
    options.insert(options.end(),
                   {"-fsanitize=alignment", "-fsanitize-trap=alignment"});
  return options;
}

bool isProgram(const std::string &path) {
  return access(path.c_str(), X_OK) == 0;
}

/// The path of the program by PATH; empty if PATH does not have the program.
std::string findProgram(const std::string &name) {
  if (name.find('/') != name.npos)
    return isProgram(name) ? name : std::string();
  const char *folders = std::getenv("PATH");
  std::istringstream list(folders ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');)
    if (isProgram(folder + "/" + name))
      return folder + "/" + name;
  return {};
}

Expected<std::string> findCompiler() {
  if (const char *chosen = lookUp(Variable::hostCompiler)) {
    if (std::string path = findProgram(chosen); !path.empty())
      return path;
    return fail("load", std::string(name(Variable::hostCompiler)) +
                            ": there is no program '" + chosen + "'");
  }
  for (const char *name : {"clang++-22", "clang++", "c++", "g++"})
    if (std::string path = findProgram(name); !path.empty())
      return path;
  return fail("load", "no C++ compiler to run CUDA C++ on the host with",
              "install clang or g++, or set TANDEM_HOST_CXX");
}

/// A folder of this user's alone, which goes with its contents.
class Folder {
public:
  Folder() {
    path = (std::filesystem::temp_directory_path() / "fake-cuda-XXXXXX");
    if (!mkdtemp(path.data()))
      path.clear();
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string operator/(const char *name) const { return path + "/" + name; }
  void write(const char *name, std::string_view text) const {
    std::ofstream(*this / name) << text;
  }
  std::string read(const char *name) const {
    std::ostringstream text;
    text << std::ifstream(*this / name).rdbuf();
    return text.str();
  }

  std::string path;
};

/// This process's, but for where its own libraries are: those of a compiler may
/// have the same names.
std::vector<char *> environmentOfCompiler() {
  std::vector<char *> variables;
  for (char **variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("LD_LIBRARY_PATH="))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Runs a program to its end; what it says goes to the file.
int runToEnd(const std::vector<std::string> &command,
             const std::string &output) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(),
                                   O_CREAT | O_WRONLY, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int status = posix_spawn(&child, arguments[0], &actions, nullptr,
                           arguments.data(), environmentOfCompiler().data());
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0)
    waitpid(child, &status, 0);
  return status;
}

/// The kernels, and an entry of each.
std::string withEntries(const std::string &source) {
  std::string text = source + "\n";
  for (const std::string &kernel : fake::kernelNames(source))
    text += "extern \"C\" const tandem_host::Entry *" +
            fake::entryName(kernel) + "() {\n  return &tandem_host::EntryOf<" +
            kernel + ">::value;\n}\n";
  return text;
}

Expected<void *> open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW);
  if (!library)
    return fail("load", std::string("cannot load the kernels: ") + dlerror());
  return library;
}

/// The file in which FAKE_CUDA_CACHE keeps what a compiler makes of a source,
/// so that other processes need not compile it; empty if nothing is kept.
std::string keptPath(const std::string &compiler, const std::string &source) {
  const char *directory = std::getenv("FAKE_CUDA_CACHE");
  if (!directory || !*directory)
    return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const auto changed = std::filesystem::last_write_time(compiler, error);
  std::string key =
      compiler + std::to_string(changed.time_since_epoch().count()) + source;
  for (const auto &[name, text] : kHostHeaders)
    key += text;
  for (const std::string &option : optionsFor(compiler))
    key += option;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[64];
  std::snprintf(name, sizeof name, "%016llx%016llx.so",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return std::string(directory) + "/" + name;
}

/// Copies a library to where it is kept, whole or not at all; as if it were not
/// kept where that fails.
void keep(const std::string &library, const std::string &path) {
  const std::string temporary = path + "." + std::to_string(getpid());
  std::error_code error;
  std::filesystem::copy_file(library, temporary, error);
  if (!error)
    std::filesystem::rename(temporary, path, error);
}

Expected<void *> compile(const std::string &source) {
  TANDEM_ASSIGN_OR_RETURN(std::string compiler, findCompiler());
  const std::string kept = keptPath(compiler, source);
  if (!kept.empty() && std::filesystem::exists(kept))
    if (Expected<void *> library = open(kept))
      return library;
  const Folder folder;
  for (const auto &[name, text] : kHostHeaders)
    folder.write((std::string(name) + ".h").c_str(), text);
  folder.write("kernels.cpp", withEntries(source));
  std::vector<std::string> command = {compiler};
  for (std::string &option : optionsFor(compiler))
    command.push_back(std::move(option));
  command.insert(command.end(), {"-I" + folder.path, folder / "kernels.cpp",
                                 "-o", folder / "kernels.so"});
  if (runToEnd(command, folder / "errors.txt") != 0)
    return fail("load", compiler +
                            " cannot compile the kernels for the host\n" +
                            folder.read("errors.txt"));
  Expected<void *> library = open(folder / "kernels.so");
  if (library && !kept.empty())
    keep(folder / "kernels.so", kept);
  return library;
}

} // namespace

std::string fake::entryName(const std::string &kernel) {
  return "fake_cuda_entry_" + kernel;
}

std::vector<std::string> fake::kernelNames(const std::string &source) {
  static const std::regex pattern("__global__\\s+void\\s+(\\w+)\\s*\\(");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), pattern), end;
       at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

Expected<void *> fake::compileOnHost(const std::string &source) {
  static std::mutex mutex; // guards known; not held while compiling
  static std::map<std::string, void *> known;
  {
    std::lock_guard lock(mutex);
    if (auto library = known.find(source); library != known.end())
      return library->second;
  }
  TANDEM_ASSIGN_OR_RETURN(void *library, compile(source));
  std::lock_guard lock(mutex);
  return known.emplace(source, library).first->second;
}
