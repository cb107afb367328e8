//===- HostCompiler.cpp - C++ to a loaded library, at run time ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>
#include <utility>

// Generated: the text of HostCUDA.h, as kHostHeaders.
#include "HostCUDA.inc"

#include "tandem/Support/Environment.h"

using llvm::StringRef;

namespace tandem {
namespace {

Expected<std::string> findCompiler() {
  if (const char *chosen = lookUp(Variable::hostCompiler)) {
    if (auto path = llvm::sys::findProgramByName(chosen))
      return *path;
    return fail("load", std::string(name(Variable::hostCompiler)) +
                            ": there is no program '" + chosen + "'");
  }
  for (StringRef name : {"clang++-22", "clang++", "c++", "g++"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return fail("load", "no C++ compiler to run CUDA C++ on the host with",
              "install clang or g++, or set TANDEM_HOST_CXX");
}

Status writeFile(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return fail("load", "cannot write " + path + ": " + error.message());
  return {};
}

std::string readWhole(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Writes header and source, and what stands in for CUDA's own headers.
Status writeSources(const std::string &directory, const std::string &source) {
  for (const char *header : {"/cuda_fp16.h", "/cuda_bf16.h"})
    TANDEM_RETURN_IF_ERROR(writeFile(directory + header, ""));
  for (const auto &[name, text] : kHostHeaders)
    TANDEM_RETURN_IF_ERROR(
        writeFile(directory + "/" + std::string(name) + ".h", text));
  return writeFile(directory + "/kernels.cpp", source);
}

Status runCompiler(const std::string &compiler, const std::string &directory) {
  std::string include = "-I" + directory;
  std::string source = directory + "/kernels.cpp";
  std::string output = directory + "/kernels.so";
  std::string errors = directory + "/errors.txt";
  // Contraction would give other results than the reference's arithmetic.
  llvm::SmallVector<StringRef> arguments = {compiler,
                                            "-std=c++17",
                                            "-O1",
                                            "-w",
                                            "-fPIC",
                                            "-shared",
                                            "-ffp-contract=off",
                                            include,
                                            "-include",
                                            "HostCUDA.h",
                                            source,
                                            "-o",
                                            output};
  std::string problem;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(errors),
                                          StringRef(errors)};
  int result = llvm::sys::ExecuteAndWait(compiler, arguments, std::nullopt,
                                         redirects, /*SecondsToWait=*/120,
                                         /*MemoryLimit=*/0, &problem);
  if (result == 0)
    return {};
  return fail("load", compiler + " cannot compile the kernels for the host\n" +
                          problem + readWhole(errors));
}

} // namespace

HostLibrary::~HostLibrary() { dlclose(handle); }

void *HostLibrary::symbol(const std::string &name) const {
  return dlsym(handle, name.c_str());
}

Expected<std::shared_ptr<HostLibrary>>
compileOnHost(const std::string &source) {
  TANDEM_ASSIGN_OR_RETURN(std::string compiler, findCompiler());
  // Unlike LLVM's unique directories, mkdtemp's belong to this user alone.
  llvm::SmallString<128> directory;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, directory);
  llvm::sys::path::append(directory, "tandem-host-XXXXXX");
  std::string path = directory.str().str();
  if (!mkdtemp(path.data()))
    return fail("load", "cannot make " + path + ": " + std::strerror(errno));
  llvm::scope_exit clean([&] { llvm::sys::fs::remove_directories(path); });
  TANDEM_RETURN_IF_ERROR(writeSources(path, source));
  TANDEM_RETURN_IF_ERROR(runCompiler(compiler, path));
  void *handle = dlopen((path + "/kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail("load", std::string("cannot load the kernels: ") + dlerror());
  return std::make_shared<HostLibrary>(handle);
}

} // namespace tandem
