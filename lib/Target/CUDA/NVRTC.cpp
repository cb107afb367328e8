//===- NVRTC.cpp - CUDA C++ to PTX, with NVRTC if it is here --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CUDA/NVRTC.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <vector>

namespace tandem {
namespace {

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

// Own prototypes, after NVRTC's documentation, so that building needs no CUDA.
struct OpaqueProgram;
using NVRTCProgram = OpaqueProgram *;
constexpr int kSuccess = 0;
constexpr int kCompilationFailed = 6;

struct NVRTC {
  /// Of the toolkit's headers; empty where only the library was found.
  std::string includeDir;

  int (*version)(int *major, int *minor) = nullptr;
  const char *(*errorString)(int result) = nullptr;
  int (*createProgram)(NVRTCProgram *program, const char *source,
                       const char *name, int numHeaders,
                       const char *const *headers,
                       const char *const *includeNames) = nullptr;
  int (*destroyProgram)(NVRTCProgram *program) = nullptr;
  int (*compileProgram)(NVRTCProgram program, int numOptions,
                        const char *const *options) = nullptr;
  int (*ptxSize)(NVRTCProgram program, size_t *size) = nullptr;
  int (*ptx)(NVRTCProgram program, char *text) = nullptr;
  int (*logSize)(NVRTCProgram program, size_t *size) = nullptr;
  int (*log)(NVRTCProgram program, char *text) = nullptr;

  bool bind(void *library);
};

bool NVRTC::bind(void *library) {
  bool complete = true;
  auto symbol = [&](auto &function, const char *name) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
    complete &= function != nullptr;
  };
  symbol(version, "nvrtcVersion");
  symbol(errorString, "nvrtcGetErrorString");
  symbol(createProgram, "nvrtcCreateProgram");
  symbol(destroyProgram, "nvrtcDestroyProgram");
  symbol(compileProgram, "nvrtcCompileProgram");
  symbol(ptxSize, "nvrtcGetPTXSize");
  symbol(ptx, "nvrtcGetPTX");
  symbol(logSize, "nvrtcGetProgramLogSize");
  symbol(log, "nvrtcGetProgramLog");
  return complete;
}

/// Tries the library in `folder`, or for an empty one where the loader looks.
bool openIn(const std::string &folder, NVRTC &nvrtc) {
  for (const char *name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
    std::string path = folder.empty() ? name : folder + "/" + name;
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      continue;
    // Never closed where it is used: NVRTC keeps threads and state of its own.
    if (nvrtc.bind(library))
      return true;
    dlclose(library);
  }
  return false;
}

bool openInToolkit(const std::string &root, NVRTC &nvrtc) {
  for (const char *folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
    if (openIn(root + folder, nvrtc)) {
      nvrtc.includeDir = root + "/include";
      return true;
    }
  return false;
}

Expected<NVRTC> open() {
  NVRTC nvrtc;
  const char *hint =
      "install the CUDA toolkit, from NVIDIA or as Debian's package "
      "nvidia-cuda-toolkit, and set CUDAToolkit_ROOT to the folder that holds "
      "lib64/libnvrtc.so where that is not /usr/local/cuda";
  if (const char *root = std::getenv("CUDAToolkit_ROOT"); root && *root) {
    if (openInToolkit(root, nvrtc))
      return nvrtc;
    return fail("codegen",
                "no usable NVRTC (libnvrtc.so) in CUDAToolkit_ROOT=" +
                    std::string(root),
                hint);
  }
  if (openInToolkit("/usr/local/cuda", nvrtc))
    return nvrtc;
  if (openIn("", nvrtc)) {
    nvrtc.includeDir = "/usr/include";
    return nvrtc;
  }
  return fail("codegen", "NVRTC (libnvrtc.so) is not on this machine", hint);
}

const Expected<NVRTC> &library() {
  static const Expected<NVRTC> opened = open();
  return opened;
}

//===----------------------------------------------------------------------===//
// One compilation
//===----------------------------------------------------------------------===//

class Program {
public:
  explicit Program(const NVRTC &nvrtc) : nvrtc(nvrtc) {}
  ~Program() {
    if (program)
      nvrtc.destroyProgram(&program);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  Expected<std::string> compile(const std::string &source,
                                const std::string &name, std::string_view arch);

private:
  std::string read(int (*size)(NVRTCProgram, size_t *),
                   int (*text)(NVRTCProgram, char *));
  tl::unexpected<Error> failure(const std::string &name, int result);

  const NVRTC &nvrtc;
  NVRTCProgram program = nullptr;
};

std::string Program::read(int (*size)(NVRTCProgram, size_t *),
                          int (*text)(NVRTCProgram, char *)) {
  size_t bytes = 0;
  if (size(program, &bytes) != kSuccess || bytes == 0)
    return {};
  std::string result(bytes, '\0');
  if (text(program, result.data()) != kSuccess)
    return {};
  // What NVRTC hands out ends in a NUL, which ptxas does not take.
  while (!result.empty() && result.back() == '\0')
    result.pop_back();
  return result;
}

tl::unexpected<Error> Program::failure(const std::string &name, int result) {
  std::string message = "NVRTC cannot compile kernel '" + name +
                        "': " + nvrtc.errorString(result);
  std::string log = result == kCompilationFailed && program
                        ? read(nvrtc.logSize, nvrtc.log)
                        : std::string();
  return fail("codegen", log.empty() ? message : message + "\n" + log);
}

Expected<std::string> Program::compile(const std::string &source,
                                       const std::string &name,
                                       std::string_view arch) {
  // "sm_90" is what runs; PTX is made for the virtual "compute_90".
  std::string target = "--gpu-architecture=compute_" +
                       std::string(arch.substr(arch.find('_') + 1));
  // Without built-in declarations that kernels do not need: a quarter faster.
  bool halves = source.find("#include <cuda_") != std::string::npos;
  std::string include = "--include-path=" + nvrtc.includeDir;
  std::vector<const char *> options = {target.c_str(), "--std=c++17"};
  options.push_back(halves ? include.c_str() : "--minimal");
  int result = nvrtc.createProgram(&program, source.c_str(),
                                   (name + ".cu").c_str(), 0, nullptr, nullptr);
  if (result == kSuccess)
    result = nvrtc.compileProgram(program, int(options.size()), options.data());
  if (result != kSuccess)
    return failure(name, result);
  return read(nvrtc.ptxSize, nvrtc.ptx);
}

} // namespace

Expected<std::string> compileToPTX(const std::string &source,
                                   const std::string &name,
                                   std::string_view arch) {
  const Expected<NVRTC> &nvrtc = library();
  if (!nvrtc)
    return tl::unexpected<Error>(nvrtc.error());
  return Program(*nvrtc).compile(source, name, arch);
}

Expected<std::string> nvrtcVersion() {
  const Expected<NVRTC> &nvrtc = library();
  if (!nvrtc)
    return tl::unexpected<Error>(nvrtc.error());
  int major = 0, minor = 0;
  nvrtc->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

} // namespace tandem
