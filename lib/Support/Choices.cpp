//===- Choices.cpp - Options that take one of several names ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Choices.h"

namespace tandem {

template <> std::span<const Choice<Precision>> choicesOf() {
  static constexpr Choice<Precision> choices[] = {
      {Precision::strict, "strict", "f32 throughout"},
      {Precision::tf32, "tf32", "operands may be rounded to 10 mantissa bits"},
  };
  return choices;
}

} // namespace tandem
