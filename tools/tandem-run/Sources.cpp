//===- Sources.cpp - Names of nodes in tables -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sources.h"

namespace tandem::tools {

std::vector<std::string> withoutFile(std::vector<std::string> sources,
                                     const std::string &file) {
  for (std::string &source : sources)
    if (source.starts_with(file + ":"))
      source.erase(0, file.size() + 1);
  return sources;
}

} // namespace tandem::tools
