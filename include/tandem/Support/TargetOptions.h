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

/// The options of a target: a map from their names to their values, which are
/// text, e.g. {{"contractions", "generated"}}. An option that is not in the map
/// has its default value.
using TargetOptions = std::map<std::string, std::string>;

/// The description of one option of a target.
struct TargetOptionInfo {
  std::string_view name;
  /// A one-line description for `--help`.
  std::string help;
  /// The names of all values. Empty if the value may be any text.
  std::vector<std::string_view> values;
};

/// Checks that each of `options` is among `known`, the options of the target
/// named `target`, and has a valid value. The Error names the invalid option,
/// and the Error's hint lists the valid options or values.
Status checkTargetOptions(std::string_view target,
                          std::span<const TargetOptionInfo> known,
                          const TargetOptions &options);

/// Sets the option NAME to VALUE in `options`. `text` must be "NAME=VALUE".
Status addTargetOption(std::string_view text, TargetOptions &options);

} // namespace tandem

#endif // TANDEM_SUPPORT_TARGETOPTIONS_H
