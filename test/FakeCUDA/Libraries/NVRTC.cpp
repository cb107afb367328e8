//===- NVRTC.cpp - NVRTC that passes the source through -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image of a program is its source, which the fake driver compiles for the
// host when it loads it.
//
//===----------------------------------------------------------------------===//

#include "Reports.h"

#include <cstring>

using namespace tandem::cuda;
using fake::injected;

#pragma GCC visibility push(default)
extern "C" {
#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  result symbol parameters;
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL
#include "tandem/Runtime/Libraries/NVRTC.def"
}

struct _nvrtcProgram {
  std::string source, log;
};

/// With the NUL that NVRTC hands out, too.
static Result writeText(const std::string &text, char *to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return fake::kSuccess;
}
static Result writeSize(const std::string &text, size_t *bytes) {
  *bytes = text.size() + 1;
  return fake::kSuccess;
}

Result nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return fake::kSuccess;
}
const char *nvrtcGetErrorString(Result result) {
  return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}
Result nvrtcCreateProgram(_nvrtcProgram **program, const char *source,
                          const char *, int, const char *const *,
                          const char *const *) {
  *program = new _nvrtcProgram{source, {}};
  return injected(__func__);
}
Result nvrtcDestroyProgram(_nvrtcProgram **program) {
  delete *program;
  *program = nullptr;
  return fake::kSuccess;
}
Result nvrtcCompileProgram(_nvrtcProgram *program, int, const char *const *) {
  const Result result = injected(__func__);
  if (result != fake::kSuccess)
    program->log = "it was asked to fail";
  return result;
}
Result nvrtcGetPTXSize(_nvrtcProgram *program, size_t *bytes) {
  return writeSize(program->source, bytes);
}
Result nvrtcGetPTX(_nvrtcProgram *program, char *text) {
  return writeText(program->source, text);
}
Result nvrtcGetCUBINSize(_nvrtcProgram *program, size_t *bytes) {
  return writeSize(program->source, bytes);
}
Result nvrtcGetCUBIN(_nvrtcProgram *program, char *image) {
  return writeText(program->source, image);
}
Result nvrtcGetProgramLogSize(_nvrtcProgram *program, size_t *bytes) {
  return writeSize(program->log, bytes);
}
Result nvrtcGetProgramLog(_nvrtcProgram *program, char *text) {
  return writeText(program->log, text);
}
