//===- Choices.h - Options that take one of several names -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CHOICES_H
#define TANDEM_SUPPORT_CHOICES_H

#include <span>
#include <string_view>

namespace tandem {

/// The precision of f32 contractions that a library computes. Regardless of
/// this option, f64 contractions use f64 products and sums, and contractions of
/// the other float types use products and sums of at least f32 precision.
enum class Precision {
  strict, ///< f32 products and f32 sums.
  tf32,   ///< Operands may be rounded to the 10 mantissa bits of TF32.
};

/// One value of an option, with its name and description.
template <typename Value> struct Choice {
  Value value;
  /// The value's name on command lines, in pass pipelines and in reports, e.g.
  /// "auto".
  std::string_view name;
  /// A one-line description for `--help`.
  std::string_view help;
};

/// Returns all values of an option, in the order of the enumeration.
template <typename Value> std::span<const Choice<Value>> choicesOf();
template <> std::span<const Choice<Precision>> choicesOf();

/// Returns the name of a value (Choice::name).
template <typename Value> std::string_view choiceName(Value value) {
  for (const Choice<Value> &choice : choicesOf<Value>())
    if (choice.value == value)
      return choice.name;
  return "";
}
inline std::string_view name(Precision precision) {
  return choiceName(precision);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICES_H
