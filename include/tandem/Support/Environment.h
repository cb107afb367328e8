//===- Environment.h - The environment variables that are read --*- C++ -*-===//
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

/// Tandem's environment variables (Environment.def).
enum class Variable {
#define TANDEM_VARIABLE(identifier, name, meaning) identifier,
#include "tandem/Support/Environment.def"
};

/// An environment variable as help texts show it.
struct VariableInfo {
  /// The name, such as "TANDEM_DEVICE", and its meaning in one line.
  std::string_view name, meaning;
};
/// All variables, in the order of the enumeration.
std::span<const VariableInfo> environmentVariables();
inline std::string_view name(Variable variable) {
  return environmentVariables()[static_cast<size_t>(variable)].name;
}

/// The value of a variable; null where it is not set, or empty. As with getenv,
/// the text is valid until the environment changes, and no other thread may
/// change it meanwhile.
const char *lookUp(Variable variable);

/// An Error where a variable that takes one of a few values has another. The
/// library takes such a variable as not set; tools refuse it.
Status checkEnvironment();

/// The directory of what is kept between processes: $TANDEM_CACHE_DIR, or
/// `tandem` among the user's caches; empty where there is no home. It need not
/// exist.
std::string cacheDirectory();

} // namespace tandem

#endif // TANDEM_SUPPORT_ENVIRONMENT_H
