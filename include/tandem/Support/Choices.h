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

/// Who computes convolutions and matrix products where a kernel of Tandem's and
/// the library (oneDNN) both can.
enum class Contractions {
  /// The one that costs less by a model of both.
  predict,
  /// The one that is faster on random data, tried when compiling, with the
  /// threads of that time; remembered for the process, by types and attributes.
  measure,
  generated,
  library,
};

/// Where convolutions that a kernel computes take fewer products, at the price
/// of an error of about twice that of the sums themselves
/// (docs/Contractions.md).
enum class Winograd {
  never,
  /// Where a model says that it pays.
  automatic,
  /// Where it is possible.
  always,
};

/// One value of an option.
template <typename Value> struct Choice {
  Value value;
  /// What command lines, pipelines of passes and reports call it: "auto".
  std::string_view name;
  /// One line for `--help`.
  std::string_view help;
};

/// All values, in the order of the enumeration.
template <typename Value> std::span<const Choice<Value>> choicesOf();
template <> std::span<const Choice<Contractions>> choicesOf();
template <> std::span<const Choice<Winograd>> choicesOf();

std::string_view name(Contractions contractions);
std::string_view name(Winograd winograd);

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICES_H
