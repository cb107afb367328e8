//===- CheckEngine.h - Calls a random graph in mode auto --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_CHECKENGINE_H
#define TANDEM_TEST_FUZZ_CHECKENGINE_H

#include "CheckGraph.h"

#include "tandem/Tandem.h"

namespace tandem::fuzz {

/// Calls a graph 50 times in mode auto, with two sets of inputs. Compiling,
/// promotion, demotion, retries and, where the device has it, capture are
/// forced at random calls. Fails where the outputs of a call
/// - are beyond the error bounds of its inputs, unless those are weak, or
/// - differ from those of the first call with the same inputs by more than the
///   tolerance, and no error bound that is not weak allows for that.
/// Adds what was done to `result`.
Status checkEngine(const RandomGraph &random, const Graph &graph,
                   const CheckOptions &options, const std::string &device,
                   CheckResult &result);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_CHECKENGINE_H
