//===- GraphInputs.h - Inputs of random graphs ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_GRAPHINPUTS_H
#define TANDEM_TEST_FUZZ_GRAPHINPUTS_H

#include "CheckGraph.h"

#include "tandem/Tandem.h"

namespace tandem::fuzz {

using Outputs = std::vector<Tensor>;

/// Inputs of a graph, with a few special values if the graph asks for them.
/// Each number of a set has elements of its own.
Expected<std::vector<Tensor>> makeInputs(const RandomGraph &graph,
                                         uint64_t set = 0);

/// How a graph is compiled for a device.
CompileOptions compileOptions(const CheckOptions &options,
                              const std::string &device);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_GRAPHINPUTS_H
