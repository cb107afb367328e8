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

/// Checks the slots that are in the memory of other slots (Slot.host). Views
/// are where their operands are. A step may write another slot to the memory of
/// a host only if a step computes the host, so that the memory can be there
/// ahead of it, and if the slot is not used once the host is computed, unless a
/// concat leaves it where it is. All else of the program must be verified.
Status verifyHosts(const fb::ProgramT &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_CORE_VERIFYLOOP_H
