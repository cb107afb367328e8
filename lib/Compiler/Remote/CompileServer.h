//===- CompileServer.h - Compiles for another process --------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_COMPILESERVER_H
#define TANDEM_LIB_COMPILER_REMOTE_COMPILESERVER_H

#include "process/Channel.h"

namespace tandem {

/// Runs tandem-compile-helper: compiles the jobs that the other end of the
/// channel sends, one at a time. Returns when the channel is closed, or when no
/// job has arrived for `idleSeconds` seconds. Fails if a message cannot be
/// understood.
Status serveCompilations(Channel &channel, double idleSeconds);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_COMPILESERVER_H
