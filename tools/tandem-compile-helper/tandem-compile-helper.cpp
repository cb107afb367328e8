//===- tandem-compile-helper.cpp - Compiles for a program -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Started by the library, never by people: programs that call functions have
// them compiled by it in the background (docs/Engine.md).
//
//===----------------------------------------------------------------------===//

#include "Compiler/Remote/CompileServer.h"

#include "process/HelperProcess.h"

#include <cstdio>
#include <cstdlib>

using namespace tandem;

static Status run(const char *parent) {
  TANDEM_RETURN_IF_ERROR(beginHelper(std::atoi(parent)));
  Channel channel{Descriptor(kHelperSocket)};
  // So long, it is worth its memory.
  constexpr double kIdleSeconds = 300;
  return serveCompilations(channel, kIdleSeconds);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::puts("tandem-compile-helper is started by programs that use Tandem, "
              "to compile for them.");
    return 1;
  }
  const Status status = run(argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
  // What threads still use is not destroyed.
  std::_Exit(status ? 0 : 1);
}
