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

/// Whether a value of type `given` may be where `declared` is written: dims
/// that either does not know aside.
inline bool agree(const TensorType &declared, const TensorType &given) {
  bool agrees = declared.dtype == given.dtype &&
                declared.shape.rank() == given.shape.rank();
  for (int i = 0; agrees && i < declared.shape.rank(); ++i)
    agrees = declared.shape[i] == given.shape[i] ||
             declared.shape[i] == kDynamic || given.shape[i] == kDynamic;
  return agrees;
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
