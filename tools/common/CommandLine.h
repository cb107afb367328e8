//===- CommandLine.h - CLI11, quickly compiled ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_COMMANDLINE_H
#define TANDEM_TOOLS_COMMON_COMMANDLINE_H

// Includes CLI11 without optimization. All of CLI11 is inline and runs only
// once, and optimizing it would take longer than compiling the rest of a tool.
#ifdef __clang__
#pragma clang optimize off
#endif
#include <CLI/CLI.hpp>
#ifdef __clang__
#pragma clang optimize on
#endif

#endif // TANDEM_TOOLS_COMMON_COMMANDLINE_H
