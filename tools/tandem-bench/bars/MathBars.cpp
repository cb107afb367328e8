//===- MathBars.cpp - Functions beside MLIR's own -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/StockMath.h"
#include "sweep/BenchmarkGraph.h"

namespace tandem::bench {
namespace {

using measure::Summary;

/// The same loop, the same program; only tanh and exp differ.
Status addStockBar(const BarsOptions &options, int exponent, Bars &bars) {
  const int64_t n = int64_t(1) << exponent;
  TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                          loadBenchmarkGraph(options, "chain8", {{"n", n}}));
  const std::string dims = std::to_string(n);
  TANDEM_ASSIGN_OR_RETURN(
      Compiled stock,
      compileWithStockMath(tools::sharePath("graphs/chain8.mlir"), {dims, dims},
                           *benchmark.compiled->program));
  ExecutorOptions executorOptions;
  executorOptions.kernels = stock.kernels;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                          Executor::create(stock.program, executorOptions));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  sampler.add("MLIR's", [&](size_t call) {
    return executor->run(benchmark.inputs[call], benchmark.outputs);
  });
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(ratioBar("chain8 2^" + std::to_string(exponent) +
                              ": compiled / with MLIR's expansions",
                          {"compiled", times[0]}, {"MLIR's", times[1]}, 0.8,
                          true));
  return {};
}

} // namespace

Status addMathBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(addStockBar(options, 20, bars));
  return addStockBar(options, 26, bars);
}

} // namespace tandem::bench
