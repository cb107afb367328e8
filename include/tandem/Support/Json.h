//===- Json.h - JSON as text, and numbers out of it -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_JSON_H
#define TANDEM_SUPPORT_JSON_H

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tandem {

/// `json` as text, on one line unless there is an `indent`. Of bytes that are
/// no UTF-8, which names of files and ops may have, each becomes U+FFFD.
inline std::string jsonText(const nlohmann::ordered_json &json,
                            int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

/// Sets `value` to the positive number that an object has there. Returns what
/// is wrong with it otherwise, as "'cores' must be …": it is missing, or no
/// number that T has.
template <typename T>
std::string readPositive(const nlohmann::json &object, const char *key,
                         T &value) {
  constexpr bool isWhole = std::is_integral_v<T>;
  // Beyond 2^53 a double has no fractions, and beyond T's largest no T.
  constexpr double kMost =
      isWhole ? std::min(0x1p53, double(std::numeric_limits<T>::max()))
              : double(std::numeric_limits<T>::max());
  const std::string name = std::string("'") + key + "'";
  auto entry = object.find(key);
  if (entry == object.end())
    return name + " is missing";
  const double number = entry->is_number() ? entry->template get<double>() : 0;
  if (!(number > 0 && number <= kMost) ||
      (isWhole && number != std::trunc(number)))
    return name + " must be a positive " +
           (isWhole ? "whole number" : "number");
  value = static_cast<T>(number);
  return "";
}

} // namespace tandem

#endif // TANDEM_SUPPORT_JSON_H
