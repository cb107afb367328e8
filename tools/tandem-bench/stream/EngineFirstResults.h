//===- EngineFirstResults.h - First results beside compilations -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINEFIRSTRESULTS_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINEFIRSTRESULTS_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// The types of the inputs where the first named dim has this size, and all
/// others have `others`.
Expected<std::vector<TensorType>> typesFor(const Program &program, int64_t size,
                                           int64_t others = 16);
/// Random inputs of these types.
Expected<std::vector<Tensor>> inputsFor(const Program &program, int64_t size,
                                        int64_t others = 16);

/// Times to first results of shapes that were never seen, in nanoseconds, in
/// ascending order.
struct FirstResults {
  /// Eager alone, an unrelated process compiling.
  std::vector<double> alone;
  /// Eager alone, another thread of the process counting: what a second thread
  /// costs whatever it does, as with each change of a page's rights all
  /// processors that run the process are interrupted.
  std::vector<double> besideThread;
  /// The engine's choice, the function compiling others in the background.
  std::vector<double> besideCompiling;
  /// Programs that were compiled meanwhile, and those of them that were in a
  /// helper process.
  size_t compiled = 0, compiledInHelper = 0;
};

/// Times `shapes` shapes on each side, in alternation. The graph has at least
/// two named dims.
Expected<FirstResults> measureFirstResults(const std::string &file, int shapes,
                                           CompileIn place);

/// Compiles shape after shape, until it is killed.
Status compileForEver(const std::string &file);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINEFIRSTRESULTS_H
