//===- Sources.h - Names of nodes in tables ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_SOURCES_H
#define TANDEM_TOOLS_TANDEM_RUN_SOURCES_H

#include <string>
#include <vector>

namespace tandem::tools {

/// `sources` without the name of the file that they all have: "conv1",
/// "relu_2"; "3:8" of MLIR.
std::vector<std::string> withoutFile(std::vector<std::string> sources,
                                     const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_SOURCES_H
