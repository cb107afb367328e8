//===- ParallelFor.h - Parallel loops of the compiler -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_PARALLELFOR_H
#define TANDEM_LIB_COMPILER_SESSION_PARALLELFOR_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace tandem {

/// Calls body(0), ..., body(count - 1), each in a oneTBB task, and returns when
/// all calls have returned. A thread that waits here does not take unrelated
/// oneTBB tasks, such as those of a kernel that is being executed.
void parallelFor(int64_t count, llvm::function_ref<void(int64_t)> body);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_PARALLELFOR_H
