//===- DebugOutput.h - Messages where decisions are made --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PIPELINES_DEBUGOUTPUT_H
#define TANDEM_PIPELINES_DEBUGOUTPUT_H

namespace tandem {

/// Prints the messages of LLVM_DEBUG on stderr from now on, of the types that
/// the environment variable TANDEM_DEBUG names, with commas between them
/// (docs/Debugging.md lists them). Release builds of LLVM have no option
/// --debug-only. Does nothing where the variable is not set, where Tandem was
/// built with NDEBUG, and when called again. Thread-safe.
void enableDebugOutput();

} // namespace tandem

#endif // TANDEM_PIPELINES_DEBUGOUTPUT_H
