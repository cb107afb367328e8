//===- Grain.h - What is worth handing to another thread --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_GRAIN_H
#define TANDEM_RUNTIME_GRAIN_H

namespace tandem {

/// The time of a kernel's `grain` iterations, on which the compiler and the
/// executor agree: what oneTBB takes to hand work to a thread that is awake
/// and to know its end, 4.2 us on two cores.
inline constexpr double kGrainNs = 4000;

} // namespace tandem

#endif // TANDEM_RUNTIME_GRAIN_H
