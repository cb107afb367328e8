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
  /// Choose whichever has the lower time, as estimated by the cost models.
  predict,
  /// Choose whichever has the lower measured time. The generated kernel and the
  /// library call are both run on random data during compilation, with the
  /// current number of threads. The process keeps each choice, keyed by the
  /// op's types and attributes.
  autotune,
  /// Choose a generated kernel if one can compute the op.
  generated,
  /// Choose the library if the library can compute the op.
  library,
};

/// When kernels compute convolutions by Winograd's method. This method needs
/// fewer multiplications than direct convolution, but its rounding error is
/// about twice as large (docs/Contractions.md).
enum class Winograd {
  /// Never use the method.
  never,
  /// Use the method if the cost model estimates that it is faster.
  automatic,
  /// Use the method for every convolution that it can compute.
  always,
};

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
template <> std::span<const Choice<Contractions>> choicesOf();
template <> std::span<const Choice<Winograd>> choicesOf();
template <> std::span<const Choice<Precision>> choicesOf();

/// Returns the name of a value (Choice::name).
std::string_view name(Contractions contractions);
std::string_view name(Winograd winograd);
std::string_view name(Precision precision);

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICES_H
