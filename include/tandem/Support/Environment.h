//===- Environment.h - Tandem's environment variables -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_ENVIRONMENT_H
#define TANDEM_SUPPORT_ENVIRONMENT_H

#include "tandem/Support/Error.h"

#include <span>
#include <string>
#include <string_view>

namespace tandem {

/// The environment variables that Tandem reads (Environment.def).
enum class Variable {
#define TANDEM_VARIABLE(identifier, name, meaning) identifier,
#include "tandem/Support/Environment.def"
};

/// The description of an environment variable in help texts.
struct VariableInfo {
  /// The name, e.g. "TANDEM_DEVICE", and the meaning in one line.
  std::string_view name, meaning;
};
/// Returns the descriptions of all variables, in the order of the enumeration.
std::span<const VariableInfo> environmentVariables();
/// Returns the name of a variable in the environment.
inline std::string_view name(Variable variable) {
  return environmentVariables()[static_cast<size_t>(variable)].name;
}

/// Returns the value of a variable. Returns null if the variable is not set or
/// empty. As with getenv, the text is valid until the environment changes, and
/// no other thread may change the environment during the call.
const char *lookUp(Variable variable);

/// Returns an Error if a variable with a fixed list of values has any other
/// value. The tools report this Error. The library ignores such a value.
Status checkEnvironment();

/// Returns the directory for files that are shared between processes:
/// $TANDEM_CACHE_DIR or, if that variable is not set, `tandem` in the user's
/// cache directory. The directory need not exist. Returns an empty string if
/// the user has no home directory.
std::string cacheDirectory();

} // namespace tandem

#endif // TANDEM_SUPPORT_ENVIRONMENT_H
