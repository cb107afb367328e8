//===- Environment.cpp - The environment variables that are read ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Environment.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

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

Status checkEnvironment() {
  const std::pair<Variable, std::vector<std::string_view>> choices[] = {
      {Variable::x86Level, {"avx512", "avx2", "baseline"}},
      {Variable::diskCache, {"on", "off"}},
      {Variable::cudaSync, {"0", "1"}}};
  for (const auto &[variable, values] : choices) {
    const char *value = lookUp(variable);
    if (!value ||
        std::find(values.begin(), values.end(), value) != values.end())
      continue;
    std::string allowed;
    for (std::string_view each : values)
      allowed += (allowed.empty() ? "" : ", ") + std::string(each);
    return fail("argument",
                std::string(name(variable)) + " is '" + value +
                    "' in the environment",
                "it may be " + allowed);
  }
  return {};
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
