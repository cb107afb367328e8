//===- count-first-call.cpp - Logs what a process starts ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library for LD_PRELOAD, which count-first-call.py builds. It appends one
// line to the file TANDEM_COUNT_LOG for each process that loads it, each
// MLIRContext, each module that is parsed, and each entry of the disk cache
// that is looked for. It replaces functions of libMLIR and libc, and calls the
// originals.
//
//===----------------------------------------------------------------------===//

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

template <typename Function>
Function *next(const char *symbol) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, symbol));
}

int openFile(const char *path, int flags, mode_t mode) {
  return next<int(const char *, int, ...)>("open")(path, flags, mode);
}

/// Appends "PID event".
void log(const std::string &event) {
  const char *path = std::getenv("TANDEM_COUNT_LOG");
  if (!path)
    return;
  const std::string line = std::to_string(getpid()) + " " + event + "\n";
  const int file = openFile(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || write(file, line.data(), line.size()) < 0)
    std::perror(path);
  close(file);
}

bool endsWith(const char *text, const char *suffix) {
  const size_t length = std::strlen(text), end = std::strlen(suffix);
  return length >= end && std::strcmp(text + length - end, suffix) == 0;
}

struct LogProcess {
  LogProcess() { log("process"); }
} process;

} // namespace

// The argument lists are those of LLVM 22. Only pointers are passed on.
#define CONTEXT _ZN4mlir11MLIRContextC1ERKNS_15DialectRegistryENS0_9ThreadingE
#define PARSE_FILE                                                             \
  _ZN4mlir15parseSourceFileERKSt10shared_ptrIN4llvm9SourceMgrEEPNS_5BlockERKNS_12ParserConfigEPNS_12LocationAttrE
#define PARSE_STRING                                                           \
  _ZN4mlir17parseSourceStringEN4llvm9StringRefEPNS_5BlockERKNS_12ParserConfigES1_PNS_12LocationAttrE
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

extern "C" {

void CONTEXT(void *self, const void *registry, int threading) {
  log("context");
  next<void(void *, const void *, int)>(TEXT(CONTEXT))(self, registry,
                                                       threading);
}

bool PARSE_FILE(const void *sources, void *block, const void *config,
                void *location) {
  log("graph parsed");
  return next<bool(const void *, void *, const void *, void *)>(
      TEXT(PARSE_FILE))(sources, block, config, location);
}

bool PARSE_STRING(const char *data, size_t size, void *block,
                  const void *config, const char *name, size_t nameSize,
                  void *location) {
  log("kernel parsed");
  return next<bool(const char *, size_t, void *, const void *, const char *,
                   size_t, void *)>(TEXT(PARSE_STRING))(
      data, size, block, config, name, nameSize, location);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (endsWith(path, ".entry") && !(flags & O_CREAT))
    log(std::strstr(path, "program-") ? "program looked up"
        : std::strstr(path, "kernel-") ? "kernel looked up"
                                       : "profile looked up");
  return openFile(path, flags, mode);
}
}
