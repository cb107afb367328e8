//===- CheckUpdates.h - Random graphs that update inputs --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_CHECKUPDATES_H
#define TANDEM_TEST_FUZZ_CHECKUPDATES_H

#include "CheckGraph.h"

#include "tandem/Tandem.h"

namespace tandem::fuzz {

/// Pairs each output with an input of its type, as far as there is one left. A
/// graph with unknown dims has no updates.
std::vector<InputUpdate> findUpdates(const RandomGraph &random);

/// Calls the graph with outputs that update inputs, eagerly and compiled for
/// `device`. Fails if an output does not have the bits that the same tier
/// computes without updates, or is not in the memory of the input.
Status checkUpdates(const RandomGraph &random, const Graph &graph,
                    const CheckOptions &options, const std::string &device);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_CHECKUPDATES_H
