//===- HideOptions.h - A --help of what a tool is for -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_HIDEOPTIONS_H
#define TANDEM_TOOLS_COMMON_HIDEOPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace tandem::tools {

/// Leaves options of LLVM's code generators, of which there are hundreds, to
/// `--help-hidden`. They are those that exist when main starts, except help,
/// version, and what is in a category whose name ends in "(Tandem)"; MLIR adds
/// its own later. To be called first in main.
inline void hideLibraryOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    auto isShown = [&](const llvm::cl::OptionCategory *category) {
      return category->getName().ends_with("(Tandem)") ||
             category->getName() == "Generic Options";
    };
    if (llvm::none_of(option->Categories, isShown) &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  }
}

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_HIDEOPTIONS_H
