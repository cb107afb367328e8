//===- Error.cpp - The one error type of Tandem's runtime edge ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Error.h"

std::string tandem::Error::str() const {
  std::string text;
  if (!location.empty())
    text += location + ": ";
  text += "error: ";
  if (!phase.empty())
    text += phase + ": ";
  text += message;
  if (!hint.empty())
    text += " (" + hint + ")";
  return text;
}
