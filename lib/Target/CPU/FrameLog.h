//===- FrameLog.h - The largest stack frame of a process --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_FRAMELOG_H
#define TANDEM_LIB_TARGET_CPU_FRAMELOG_H

#include <cstdint>

namespace tandem {

/// Records the stack frame of a kernel, in bytes. If the environment variable
/// TANDEM_FRAME_LOG names a file, the process appends one line to it when it
/// ends: the size of the largest frame. The test suite uses this. Thread-safe.
void logFrame(int64_t bytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_FRAMELOG_H
