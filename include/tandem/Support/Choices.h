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

/// How to choose between a generated kernel and the library (oneDNN) for a
/// convolution or matrix product that both can compute.
enum class Contractions {
  /// Choose the one with the lower time, as estimated by the cost models.
  predict,
  /// Choose the one with the lower measured time. Both are run on random data
  /// during compilation, with the current number of threads. The process keeps
  /// each choice, keyed by the op's types and attributes.
  autotune,
  /// Choose a generated kernel if one can compute the op.
  generated,
  /// Choose the library if the library can compute the op.
  library,
};

/// When kernels compute convolutions by Winograd's method. The method needs
/// fewer multiplications, but about doubles the rounding error
/// (docs/Contractions.md).
enum class Winograd {
  never,
  /// If the cost model estimates that the method is faster.
  automatic,
  /// Whenever the method is possible.
  always,
};

/// The precision of f32 contractions in a library. Contractions of f64 always
/// use f64 products and sums, and contractions of other float types use at
/// least f32 products and sums.
enum class Precision {
  strict, ///< f32 products and f32 sums.
  tf32,   ///< Operands may be rounded to the 10 mantissa bits of TF32.
};

/// One value of an option.
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
template <> std::span<const Choice<Contractions>> choicesOf();
template <> std::span<const Choice<Winograd>> choicesOf();
template <> std::span<const Choice<Precision>> choicesOf();

/// Returns the name of a value (Choice::name).
std::string_view name(Contractions contractions);
std::string_view name(Winograd winograd);
std::string_view name(Precision precision);

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICES_H
