//===- Choices.cpp - Options that take one of several names ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Choices.h"

namespace tandem {

template <> std::span<const Choice<Contractions>> choicesOf() {
  static constexpr Choice<Contractions> choices[] = {
      {Contractions::predict, "predict",
       "the one with the lower estimated cost"},
      {Contractions::autotune, "autotune",
       "the one that is measured to be faster"},
      {Contractions::generated, "generated",
       "always kernels, where there are any"},
      {Contractions::library, "library", "always the library, where it can"},
  };
  return choices;
}

template <> std::span<const Choice<Winograd>> choicesOf() {
  static constexpr Choice<Winograd> choices[] = {
      {Winograd::never, "never", "not at all"},
      {Winograd::automatic, "auto", "where it is estimated to be faster"},
      {Winograd::always, "always", "where it is possible"},
  };
  return choices;
}

template <> std::span<const Choice<Precision>> choicesOf() {
  static constexpr Choice<Precision> choices[] = {
      {Precision::strict, "strict", "f32 throughout"},
      {Precision::tf32, "tf32", "operands may be rounded to 10 mantissa bits"},
  };
  return choices;
}

template <typename Value> static std::string_view nameOf(Value value) {
  for (const Choice<Value> &choice : choicesOf<Value>())
    if (choice.value == value)
      return choice.name;
  return "";
}

std::string_view name(Contractions contractions) {
  return nameOf(contractions);
}

std::string_view name(Winograd winograd) { return nameOf(winograd); }

std::string_view name(Precision precision) { return nameOf(precision); }

} // namespace tandem
