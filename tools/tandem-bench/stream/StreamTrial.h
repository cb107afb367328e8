//===- StreamTrial.h - A stream under all policies --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMTRIAL_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMTRIAL_H

#include "stream/StreamBench.h"

namespace tandem::bench {

/// What all streams of a command share.
struct StreamBench {
  const StreamOptions &options;
  std::unique_ptr<Graph> graph;
  StreamBenchmark subject;
  std::vector<measure::DimSizes> dims;
  std::vector<SignatureCosts> costs;
  tiering::ReplayMachine machine;
  bool hasSpareCore = false;
  std::vector<StreamPolicy> policies;
};

/// Runs a stream under each policy, in rounds, and under one of them (the
/// engine's, if it is among them) twice in each round. `what` is shown
/// meanwhile.
Expected<StreamFigures> measureStream(const StreamBench &bench,
                                      CallStream stream,
                                      const std::string &what);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMTRIAL_H
