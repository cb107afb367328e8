//===- TargetOptions.cpp - Options of targets -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/TargetOptions.h"

#include <algorithm>

namespace tandem {

static std::string list(std::span<const std::string_view> names) {
  std::string text;
  for (std::string_view name : names)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

static tl::unexpected<Error>
noSuchOption(std::string_view target, std::span<const TargetOptionInfo> known,
             const std::string &name) {
  std::vector<std::string_view> names;
  for (const TargetOptionInfo &info : known)
    names.push_back(info.name);
  return fail(
      "compile",
      "the target '" + std::string(target) + "' has no option '" + name + "'",
      names.empty() ? "it has no options" : "its options are " + list(names));
}

Status checkTargetOptions(std::string_view target,
                          std::span<const TargetOptionInfo> known,
                          const TargetOptions &options) {
  for (const auto &[name, value] : options) {
    auto info = std::find_if(
        known.begin(), known.end(),
        [&](const TargetOptionInfo &info) { return info.name == name; });
    if (info == known.end())
      return noSuchOption(target, known, name);
    const std::vector<std::string_view> &values = info->values;
    if (!values.empty() &&
        std::find(values.begin(), values.end(), value) == values.end())
      return fail("compile",
                  "the option '" + name + "' of the target '" +
                      std::string(target) + "' has no value '" + value + "'",
                  "its values are " + list(values));
  }
  return {};
}

Status addTargetOption(std::string_view text, TargetOptions &options) {
  size_t end = text.find('=');
  if (end == std::string_view::npos || end == 0)
    return fail("compile", "'" + std::string(text) + "' does not set an option",
                "an option of a target is set as NAME=VALUE");
  options[std::string(text.substr(0, end))] = text.substr(end + 1);
  return {};
}

} // namespace tandem
