//===- CommandLine.h - CLI11, quickly compiled ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_COMMANDLINE_H
#define TANDEM_TOOLS_COMMON_COMMANDLINE_H

// CLI11 is all inline, and runs once: to optimise it takes longer than to
// compile the tool that includes it.
#ifdef __clang__
#pragma clang optimize off
#endif
#include <CLI/CLI.hpp>
#ifdef __clang__
#pragma clang optimize on
#endif

#endif // TANDEM_TOOLS_COMMON_COMMANDLINE_H
