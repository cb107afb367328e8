//===- Grain.h - Duration of the smallest useful task -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELS_GRAIN_H
#define TANDEM_RUNTIME_KERNELS_GRAIN_H

namespace tandem {

/// The target duration of `grain` iterations of a kernel, in nanoseconds. The
/// compiler derives each kernel's grain from this constant. The value is close
/// to the time that oneTBB takes to hand a task to an awake thread and to learn
/// that the task has finished: 4.2 us, measured on two cores.
inline constexpr double kGrainNs = 4000;

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELS_GRAIN_H
