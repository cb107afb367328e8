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

#include "Compiler/Remote/CompileHelper.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::puts("tandem-compile-helper is started by programs that use Tandem, "
              "to compile for them.");
    return 1;
  }
  const int status = tandemRunCompileHelper(argv[1]);
  // Threads may still use static objects, so exit without destroying them.
  std::_Exit(status);
}
