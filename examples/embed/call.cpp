//===- call.cpp - Calls a graph from C++ ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: call-cpp graph.mlir
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"

#include <cstdio>
#include <vector>

using namespace tandem;

static void print(const char *name, const Tensor &tensor) {
  std::printf("%s:", name);
  for (int64_t i = 0; i < tensor.shape().numElements(); ++i)
    std::printf(" %g", tensor.as<float>()[i]);
  std::printf("\n");
}

static Status run(const char *path) {
  TANDEM_ASSIGN_OR_RETURN(auto function, loadFunction(path));
  std::vector<float> x = {1, -2, 3}, y = {1, 2, 3};
  TensorType type{DType::f32, {3}};
  std::vector<Tensor> inputs = {Tensor::borrow(type, x.data()),
                                Tensor::borrow(type, y.data())};
  // At once, op by op; then fused, compiled at the first call of these shapes.
  TANDEM_ASSIGN_OR_RETURN(auto outputs, function->call(inputs, Tier::eager));
  print("eager", outputs[0]);
  TANDEM_ASSIGN_OR_RETURN(outputs, function->call(inputs, Tier::compiled));
  print("compiled", outputs[0]);
  // Errors are values: a message, and what it is about.
  inputs.pop_back();
  auto refused = function->call(inputs);
  std::printf("%s\n", refused ? "" : refused.error().str().c_str());
  return {};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s graph.mlir\n", argv[0]);
    return 1;
  }
  Status status = run(argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
  return status ? 0 : 1;
}
