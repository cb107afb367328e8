//===- TestGraph.h - A graph on all special values --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_REWRITES_TESTGRAPH_H
#define TANDEM_TEST_UNIT_REWRITES_TESTGRAPH_H

#include "SpecialValues.h"

#include "tandem/Runtime/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::test {

/// A piece of a graph whose result is %r. Values have names of one letter; %x,
/// %y and %z are inputs of the graph's element type and %p is one of i1. In the
/// text, {T} stands for the element type, {N} for the number of elements of an
/// input, {V} and {P} for the inputs' types, {S} for a scalar's type, {C} for a
/// constant (withEachConstant), and {=2} for the number 2 as a constant.
struct Variant {
  std::string body;
  /// The type of %r.
  std::string result = "{V}";
};

/// One variant for each special value as {C}.
std::vector<Variant> withEachConstant(DType dtype,
                                      const std::vector<Variant> &variants);

/// A function @main with all variants. Its inputs are those that a variant
/// uses; element by element they run through all combinations of special
/// values.
struct TestGraph {
  /// `values` are those of the inputs of the graph's element type in place of
  /// its special values; empty for these.
  TestGraph(DType dtype, const std::vector<Variant> &variants,
            const std::vector<Bits> &values = {});

  std::string text;
  std::vector<Tensor> inputs;
  /// The letters of the inputs.
  std::string names;
};

using Outputs = std::vector<Tensor>;

/// The program as written, on the reference or on the providers of eager.
using SharedProgram = std::shared_ptr<const Program>;
Expected<Outputs> runReference(SharedProgram program,
                               const std::vector<Tensor> &inputs);
Expected<Outputs> runEager(SharedProgram program,
                           const std::vector<Tensor> &inputs);
/// Compiles the graph for a device and runs it there.
Expected<Outputs> runCompiled(const TestGraph &graph,
                              const std::string &device);

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_REWRITES_TESTGRAPH_H
