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
/// executor's threads agree: four times what it takes until an idle thread has
/// been handed them and their end is known (0.5 us, measured by
/// `tandem-bench bars --only=calls`).
inline constexpr double kGrainNs = 2000;

} // namespace tandem

#endif // TANDEM_RUNTIME_GRAIN_H
