//===- StreamRecord.h - A stream as it went, for a replay -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRECORD_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRECORD_H

#include "stream/StreamRun.h"

namespace tandem::bench {

/// What a run under policy eager and one under compile took, call by call, with
/// what the engine was told in a run under policy auto: C, Ĉ, ĉ and the spare
/// cores.
RecordedStream recordOf(const CallStream &stream, const StreamRun &eager,
                        const StreamRun &compiled, const StreamRun &automatic);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRECORD_H
