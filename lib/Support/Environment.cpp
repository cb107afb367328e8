//===- Environment.cpp - The environment variables that are read ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Environment.h"

#include <cstdlib>

namespace tandem {

static constexpr VariableInfo kVariables[] = {
#define TANDEM_VARIABLE(identifier, name, meaning) {name, meaning},
#include "tandem/Support/Environment.def"
};

std::span<const VariableInfo> environmentVariables() { return kVariables; }

const char *lookUp(Variable variable) {
  // The names are literals: they end with a NUL.
  const char *value = std::getenv(name(variable).data());
  return value && *value ? value : nullptr;
}

std::string cacheDirectory() {
  if (const char *named = lookUp(Variable::cacheDir))
    return named;
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
    return std::string(xdg) + "/tandem";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/tandem";
  return {};
}

} // namespace tandem
