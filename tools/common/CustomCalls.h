//===- CustomCalls.h - Libraries of custom_call functions -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_CUSTOMCALLS_H
#define TANDEM_TOOLS_COMMON_CUSTOMCALLS_H

#include "common/CommandLine.h"

namespace tandem::tools {

/// Adds --custom-calls, which loads a shared library whose
/// `tandemRegisterCustomCalls` registers functions (tandem-c/Tandem.h).
void addCustomCalls(CLI::App &app);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_CUSTOMCALLS_H
