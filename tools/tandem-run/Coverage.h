//===- Coverage.h - What runs each op of a file -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_COVERAGE_H
#define TANDEM_TOOLS_TANDEM_RUN_COVERAGE_H

#include "Run.h"

namespace tandem::tools {

/// Prints, for each op of the file, how many of its nodes run in which way, and
/// why nodes cannot be imported, all of them. Returns whether all can.
Expected<bool> printCoverage(const RunOptions &options);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_COVERAGE_H
