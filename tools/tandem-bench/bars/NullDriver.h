//===- NullDriver.h - A driver that does nothing ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_NULLDRIVER_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_NULLDRIVER_H

namespace tandem::bench {

/// Puts a driver in place of libcuda whose functions succeed at once and do
/// nothing, and likewise an NVRTC: what remains is the host's own cost. To be
/// called before a device is opened.
void useNullDriver();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_NULLDRIVER_H
