//===- ChoiceValues.h - Choices as LLVM options -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CHOICEVALUES_H
#define TANDEM_SUPPORT_CHOICEVALUES_H

#include "tandem/Support/Choices.h"

#include "llvm/ADT/StringRef.h"

namespace tandem {

/// Declares the values of a Choice (Choices.h) as the values of a command-line
/// option or a pass option. Used in place of llvm::cl::values.
template <typename Value> struct ChoiceValues {
  template <typename Option> void apply(Option &option) const {
    for (const Choice<Value> &choice : choicesOf<Value>())
      option.getParser().addLiteralOption(choice.name, choice.value,
                                          choice.help);
  }
};

} // namespace tandem

#endif // TANDEM_SUPPORT_CHOICEVALUES_H
