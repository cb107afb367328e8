//===- Grain.h - The smallest task worth sharing out ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_GRAIN_H
#define TANDEM_RUNTIME_GRAIN_H

namespace tandem {

/// The time that a kernel's `grain` iterations should take, in nanoseconds. The
/// compiler derives the grain of each kernel from it. It is about what oneTBB
/// takes to hand a task to a thread that is awake and to learn that the task
/// has finished: 4.2 us, measured on two cores.
inline constexpr double kGrainNs = 4000;

} // namespace tandem

#endif // TANDEM_RUNTIME_GRAIN_H
