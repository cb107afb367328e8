//===- CoreSlices.h - How threads take turns on a core ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_CORESLICES_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_CORESLICES_H

namespace tandem::bench {

/// How long a thread runs, in nanoseconds, before the system gives its
/// processor to another one that could run all the time, too: the median of
/// some such times. 0 where none was seen, in a tenth of a second.
double measureSliceNs();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_CORESLICES_H
