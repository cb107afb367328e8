//===- NVRTC.cpp - CUDA C++ to PTX and cubin, by NVRTC --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/NVRTC.h"

#include "tandem/Runtime/Libraries/CUDA.h"

#include <vector>

namespace tandem {
namespace {

/// NVRTC_ERROR_COMPILATION.
constexpr int kCompilationFailed = 6;

/// An error of this phase where it is missing.
Expected<const cuda::NVRTC *> library() {
  if (const Expected<cuda::NVRTC> &nvrtc = cuda::nvrtc())
    return &*nvrtc;
  Error error = cuda::nvrtc().error();
  error.phase = "codegen";
  return tl::unexpected(std::move(error));
}

//===----------------------------------------------------------------------===//
// One compilation
//===----------------------------------------------------------------------===//

class Program {
public:
  explicit Program(const cuda::NVRTC &nvrtc) : nvrtc(nvrtc) {}
  ~Program() {
    if (program)
      nvrtc.destroyProgram(&program);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// For an architecture, real ("sm_90") or virtual ("compute_90").
  Status compile(const std::string &source, const std::string &name,
                 const std::string &target, bool isVerbose = false);
  using Size = cuda::Result (*)(_nvrtcProgram *, size_t *);
  using Text = cuda::Result (*)(_nvrtcProgram *, char *);
  std::string read(Size size, Text text);
  std::string readText(Size size, Text text);

private:
  tl::unexpected<Error> failure(const std::string &name, int result);

  const cuda::NVRTC &nvrtc;
  _nvrtcProgram *program = nullptr;
};

std::string Program::read(Size size, Text text) {
  size_t bytes = 0;
  if (size(program, &bytes) != cuda::kSuccess || bytes == 0)
    return {};
  std::string result(bytes, '\0');
  if (text(program, result.data()) != cuda::kSuccess)
    return {};
  return result;
}

std::string Program::readText(Size size, Text text) {
  std::string result = read(size, text);
  // What NVRTC hands out ends in a NUL, which ptxas does not take.
  while (!result.empty() && result.back() == '\0')
    result.pop_back();
  return result;
}

tl::unexpected<Error> Program::failure(const std::string &name, int result) {
  std::string message = "NVRTC cannot compile kernel '" + name +
                        "': " + nvrtc.getErrorString(result);
  std::string log = result == kCompilationFailed && program
                        ? readText(nvrtc.getLogSize, nvrtc.getLog)
                        : std::string();
  return fail("codegen", log.empty() ? message : message + "\n" + log);
}

Status Program::compile(const std::string &source, const std::string &name,
                        const std::string &target, bool isVerbose) {
  std::vector<std::string> texts = nvrtcOptions(target);
  if (isVerbose) // It logs what each kernel takes of a multiprocessor.
    texts.push_back("--ptxas-options=-v");
  std::vector<const char *> options;
  for (const std::string &text : texts)
    options.push_back(text.c_str());
  int result = nvrtc.createProgram(&program, source.c_str(),
                                   (name + ".cu").c_str(), 0, nullptr, nullptr);
  if (result == cuda::kSuccess)
    result = nvrtc.compileProgram(program, int(options.size()), options.data());
  if (result != cuda::kSuccess)
    return failure(name, result);
  return {};
}

} // namespace

std::vector<std::string> nvrtcOptions(const std::string &target) {
  // A product is rounded before it is added to, but where a kernel asks for
  // fma. Without built-in declarations, which no kernel needs: a quarter
  // faster.
  return {"--gpu-architecture=" + target, "--std=c++17", "--fmad=false",
          "--minimal"};
}

Expected<std::string> compileToPTX(const std::string &source,
                                   const std::string &name,
                                   std::string_view arch) {
  TANDEM_ASSIGN_OR_RETURN(const cuda::NVRTC *nvrtc, library());
  Program program(*nvrtc);
  // "sm_90" is what runs; PTX is made for the virtual "compute_90".
  TANDEM_RETURN_IF_ERROR(program.compile(
      source, name, "compute_" + std::string(arch.substr(arch.find('_') + 1))));
  return program.readText(nvrtc->getPTXSize, nvrtc->getPTX);
}

Expected<std::string> compileToCubin(const std::string &source,
                                     const std::string &name,
                                     std::string_view arch,
                                     CubinListing *listing) {
  TANDEM_ASSIGN_OR_RETURN(const cuda::NVRTC *nvrtc, library());
  Program program(*nvrtc);
  TANDEM_RETURN_IF_ERROR(
      program.compile(source, name, std::string(arch), listing != nullptr));
  if (listing)
    *listing = {program.readText(nvrtc->getPTXSize, nvrtc->getPTX),
                program.readText(nvrtc->getLogSize, nvrtc->getLog)};
  return program.read(nvrtc->getCUBINSize, nvrtc->getCUBIN);
}

Expected<std::string> nvrtcVersion() {
  TANDEM_ASSIGN_OR_RETURN(const cuda::NVRTC *nvrtc, library());
  return nvrtc->version;
}

} // namespace tandem
