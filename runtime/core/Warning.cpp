//===- Warning.cpp - What a compiler has to tell --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compiler.h"

std::string tandem::Warning::str() const {
  std::string text = location.empty() ? "" : location + ": ";
  text += "warning: " + message;
  if (!reproducer.empty())
    text += "; reproducer: " + reproducer;
  return text;
}
