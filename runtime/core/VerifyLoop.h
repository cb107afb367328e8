//===- VerifyLoop.h - Checks of a loop step ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CORE_VERIFYLOOP_H
#define TANDEM_RUNTIME_CORE_VERIFYLOOP_H

#include "tandem/Runtime/Program/ProgramLoops.h"

#include <sstream>

namespace tandem {

template <typename... Parts>
[[gnu::cold]] tl::unexpected<Error> invalid(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return fail("verify", text.str());
}

/// How many of everything a loop has that is `depth` loops deep in `program`.
Status verifyLoopCounts(const fb::ProgramT &program, const fb::StepT &step,
                        int depth, const std::string &what);
/// What its body, which has been verified, is written to take and to give fits
/// what the loop does.
Status verifyLoopTypes(const fb::ProgramT &program, const fb::StepT &step,
                       const std::string &what);

} // namespace tandem

#endif // TANDEM_RUNTIME_CORE_VERIFYLOOP_H
