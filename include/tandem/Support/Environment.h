//===- Environment.h - The environment variables that are read --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_ENVIRONMENT_H
#define TANDEM_SUPPORT_ENVIRONMENT_H

#include <span>
#include <string_view>

namespace tandem {

/// All of Tandem's own (Environment.def).
enum class Variable {
#define TANDEM_VARIABLE(identifier, name, meaning) identifier,
#include "tandem/Support/Environment.def"
};

struct VariableInfo {
  /// "TANDEM_DEVICE", and one line for a user.
  std::string_view name, meaning;
};
std::span<const VariableInfo> environmentVariables();
inline std::string_view name(Variable variable) {
  return environmentVariables()[static_cast<size_t>(variable)].name;
}

/// Its value; null where it is not set, or empty. As getenv: valid until the
/// environment changes, which no other thread may do meanwhile.
const char *lookUp(Variable variable);

} // namespace tandem

#endif // TANDEM_SUPPORT_ENVIRONMENT_H
