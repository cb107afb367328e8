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

/// How to choose between a generated kernel and the library (oneDNN) for
/// convolutions and matrix products that both can compute.
enum class Contractions {
  /// The one with the lower estimated time, by a cost model of both.
  predict,
  /// The one that is measured to be faster (autotuning). Both are run on random
  /// data during compilation, with the present number of threads. The result is
  /// kept for the rest of the process, by types and attributes.
  autotune,
  /// Always a generated kernel, where there is one.
  generated,
  /// Always the library, where it can.
  library,
};

/// When kernels compute convolutions by Winograd's method, which takes fewer
/// multiplications but about doubles the rounding error (docs/Contractions.md).
enum class Winograd {
  never,
  /// Where the cost model estimates it to be faster.
  automatic,
  /// Where it is possible.
  always,
};

/// How exact a library's contractions of f32 are. Those of other types are
/// always computed with products and sums of at least f32, f64 in f64.
enum class Precision {
  strict, ///< Products of f32, sums of f32.
  tf32,   ///< Operands may be rounded to the 10 mantissa bits of TF32.
};

/// One value of an option.
template <typename Value> struct Choice {
  Value value;
  /// The name on command lines, in pass pipelines and in reports: "auto".
  std::string_view name;
  /// One line for `--help`.
  std::string_view help;
};

/// All values of an option, in the order of the enumeration.
template <typename Value> std::span<const Choice<Value>> choicesOf();
template <> std::span<const Choice<Contractions>> choicesOf();
template <> std::span<const Choice<Winograd>> choicesOf();
template <> std::span<const Choice<Precision>> choicesOf();

/// The name of a value.
std::string_view name(Contractions contractions);
std::string_view name(Winograd winograd);
std::string_view name(Precision precision);

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICES_H
