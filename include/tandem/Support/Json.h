//===- Json.h - Writing JSON text and reading numbers -----------*- C++ -*-===//
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

/// Converts `json` to text. The text has one line if `indent` is -1; otherwise
/// `indent` is the number of spaces per nesting level. Names of files and ops
/// can contain bytes that are not valid UTF-8. Such bytes are replaced by
/// U+FFFD.
inline std::string jsonText(const nlohmann::ordered_json &json,
                            int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

/// Sets `value` to the positive number at `key` in `object` and returns "". If
/// the number is missing, or is not a positive value of type T, returns a
/// description of the problem, e.g. "'cores' is missing", and leaves `value`
/// unchanged.
template <typename T>
std::string readPositive(const nlohmann::json &object, const char *key,
                         T &value) {
  constexpr bool isWhole = std::is_integral_v<T>;
  // The largest accepted number. A double cannot represent every whole number
  // above 2^53, and T cannot represent numbers above its maximum.
  constexpr double kMax =
      isWhole ? std::min(0x1p53, double(std::numeric_limits<T>::max()))
              : double(std::numeric_limits<T>::max());
  const std::string name = std::string("'") + key + "'";
  auto entry = object.find(key);
  if (entry == object.end())
    return name + " is missing";
  const double number = entry->is_number() ? entry->template get<double>() : 0;
  if (!(number > 0 && number <= kMax) ||
      (isWhole && number != std::trunc(number)))
    return name + " must be a positive " +
           (isWhole ? "whole number" : "number");
  value = static_cast<T>(number);
  return "";
}

} // namespace tandem

#endif // TANDEM_SUPPORT_JSON_H
