//===- Auto.h - tandem-run --tier=auto ------------------------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_AUTO_H
#define TANDEM_TOOLS_TANDEM_RUN_AUTO_H

#include "Run.h"

namespace tandem::tools {

/// Calls the graph as often as --repeat says, in the tiers that a Function
/// chooses, and prints what came of it: with --explain, its whole report.
Status runAutomatically(const RunOptions &options);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_AUTO_H
