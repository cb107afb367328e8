//===- FatalErrors.h - Survive fatal errors of LLVM -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If LLVM's code generation meets code for which it has no instructions, it
// reports a fatal error, which ends the process by default. Tandem would rather
// run such a kernel op by op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_FATALERRORS_H
#define TANDEM_LIB_TARGET_CPU_FATALERRORS_H

#include "tandem/Support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tandem {

/// Runs `body`. If LLVM reports a fatal error on this thread, `body` ends there
/// and the error is returned (phase "codegen"). The destructors of objects in
/// `body` do not run then: `body` must not hold a lock, and the memory that
/// LLVM has allocated in it is not freed.
///
/// The first call installs LLVM's fatal error handler, of which a process has
/// one. Errors elsewhere end the process, as without a handler. Thread-safe.
Status runUntilFatalError(llvm::function_ref<void()> body);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_FATALERRORS_H
