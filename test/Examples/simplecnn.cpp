//===- simplecnn.cpp - A program that embeds Tandem -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written after the README, with nothing that only Tandem's own tools do: runs
// simplecnn eagerly and then fused and prints the median time of a call of
// each, in ns. Usage: example-simplecnn GRAPH BATCH SECONDS
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compare.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tandem;
using Clock = std::chrono::steady_clock;

static double nsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// The median time of a call, of calls that take `seconds` in all.
static Expected<double>
measure(Executor &executor, const std::vector<Tensor> &inputs, double seconds) {
  std::vector<Tensor> outputs;
  std::vector<double> times;
  for (Clock::time_point start = Clock::now();
       times.size() < 15 || nsSince(start) < seconds * 1e9;) {
    Clock::time_point before = Clock::now();
    TANDEM_RETURN_IF_ERROR(executor.run(inputs, outputs));
    times.push_back(nsSince(before));
  }
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

static Status run(const char *path, int64_t batch, double seconds) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseFile(path));
  std::vector<TensorType> types;
  for (Shape shape : {Shape{batch, 3, 32, 32}, Shape{32, 3, 3, 3}, Shape{32},
                      Shape{64, 32, 3, 3}, Shape{64}, Shape{512, 4096},
                      Shape{512}, Shape{10, 512}, Shape{10}})
    types.push_back({DType::f32, shape});
  std::vector<Tensor> inputs;
  for (const TensorType &type : types) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
    fillRandom(tensor, /*seed=*/inputs.size());
    inputs.push_back(tensor);
  }
  TANDEM_ASSIGN_OR_RETURN(auto eager, Executor::create(graph->eagerProgram()));
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler());
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler->compile(types));
  ExecutorOptions options;
  options.kernels = compiled.kernels;
  TANDEM_ASSIGN_OR_RETURN(auto fused,
                          Executor::create(compiled.program, options));
  for (Executor *executor : {eager.get(), fused.get()}) {
    TANDEM_ASSIGN_OR_RETURN(double ns, measure(*executor, inputs, seconds));
    std::printf("%s %.0f\n", executor == fused.get() ? "compiled" : "eager",
                ns);
  }
  return {};
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: example-simplecnn GRAPH BATCH SECONDS\n");
    return 1;
  }
  if (Status status = run(argv[1], std::atoll(argv[2]), std::atof(argv[3]));
      !status) {
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
    return 1;
  }
  return 0;
}
