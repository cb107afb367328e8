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

/// From now on, prints LLVM_DEBUG messages to stderr if their debug type is in
/// the comma-separated list in the environment variable TANDEM_DEBUG
/// (docs/Debugging.md lists the types). The variable exists because release
/// builds of LLVM have no option --debug-only. Does nothing if the variable is
/// not set, if Tandem was built with NDEBUG, or if the function has been called
/// before. Thread-safe.
void enableDebugOutput();

} // namespace tandem

#endif // TANDEM_PIPELINES_DEBUGOUTPUT_H
