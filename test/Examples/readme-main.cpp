//===- readme-main.cpp - Runs the README's program ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Error.h"

#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

/// The README's.
tandem::Status run();

/// The environment, and the process it was given to.
static std::vector<std::string> identity() {
  std::vector<std::string> all = {std::to_string(getpid())};
  for (char **variable = environ; *variable; ++variable)
    all.push_back(*variable);
  return all;
}

int main() {
  std::vector<std::string> before = identity();
  tandem::Status status = run();
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
    return 1;
  }
  if (identity() != before) {
    std::fprintf(stderr, "the environment has changed\n");
    return 1;
  }
  std::puts("the README's program has run");
  return 0;
}
