//===- FrameLog.h - The largest frame of a process's kernels ---*- C++ -*-===//
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

/// Where TANDEM_FRAME_LOG names a file, a process that compiles kernels appends
/// one line to it when it ends: the bytes of the largest of their frames. The
/// test suite asks for it. Thread-safe.
void logFrame(int64_t bytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_FRAMELOG_H
