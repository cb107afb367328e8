//===- TargetOptions.h - Options of targets ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_TARGETOPTIONS_H
#define TANDEM_SUPPORT_TARGETOPTIONS_H

#include "tandem/Support/Error.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Options of a target: their names and, as text, their values, e.g.
/// {{"contractions", "generated"}}. An option that is not in the map has its
/// default value.
using TargetOptions = std::map<std::string, std::string>;

/// The description of one option of a target.
struct TargetOptionInfo {
  std::string_view name;
  /// A one-line description for `--help`.
  std::string help;
  /// The names of all values. Empty if the value may be any text.
  std::vector<std::string_view> values;
};

/// Checks that each of `options` is one of `known`, the options of the target
/// `target`, and has one of its values. The Error names the option, and its
/// hint lists what is valid.
Status checkTargetOptions(std::string_view target,
                          std::span<const TargetOptionInfo> known,
                          const TargetOptions &options);

/// Sets the option that `text` gives as NAME=VALUE.
Status addTargetOption(std::string_view text, TargetOptions &options);

} // namespace tandem

#endif // TANDEM_SUPPORT_TARGETOPTIONS_H
