//===- CompileOptions.cpp - The names of choices --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"

namespace tandem {

std::string_view name(Contractions contractions) {
  switch (contractions) {
  case Contractions::predict:
    return "predict";
  case Contractions::measure:
    return "measure";
  case Contractions::generated:
    return "generated";
  case Contractions::library:
    return "library";
  }
  return "";
}

std::string_view name(Winograd winograd) {
  switch (winograd) {
  case Winograd::never:
    return "never";
  case Winograd::automatic:
    return "auto";
  case Winograd::always:
    return "always";
  }
  return "";
}

} // namespace tandem
