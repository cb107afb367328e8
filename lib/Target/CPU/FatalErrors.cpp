//===- FatalErrors.cpp - Survive fatal errors of LLVM ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <csetjmp>
#include <mutex>
#include <string>

namespace tandem {

namespace {
/// The state to which a fatal error returns.
struct Recovery {
  jmp_buf place;
  std::string message;
};
} // namespace

/// The state of the innermost call of runUntilFatalError on this thread.
static thread_local Recovery *current = nullptr;

static void handleFatalError(void *, const char *message, bool) {
  if (!current) { // LLVM ends the process when this function returns.
    llvm::errs() << "LLVM ERROR: " << message << "\n";
    return;
  }
  current->message = message;
  longjmp(current->place, 1);
}

Status runUntilFatalError(llvm::function_ref<void()> body) {
  static std::once_flag isInstalled;
  std::call_once(isInstalled,
                 [] { llvm::install_fatal_error_handler(handleFatalError); });
  Recovery recovery;
  Recovery *const before = current;
  const auto restore = llvm::make_scope_exit([&] { current = before; });
  current = &recovery;
  if (setjmp(recovery.place) == 0) {
    body();
    return {};
  }
  // The lines after the first one print the graph of instructions.
  return fail("codegen", "LLVM: " + recovery.message.substr(
                                        0, recovery.message.find('\n')));
}

} // namespace tandem
