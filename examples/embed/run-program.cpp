//===- run-program.cpp - Runs a saved program without a compiler ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: run-program FILE, which build-graph has written
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Executor.h"

#include <cstdio>
#include <vector>

using namespace tandem;

static Status run(const char *path) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  TANDEM_ASSIGN_OR_RETURN(Program program, deserialize(bytes));
  TANDEM_ASSIGN_OR_RETURN(
      auto executor,
      Executor::create(std::make_shared<Program>(std::move(program))));
  std::vector<float> x = {1, 2, 3, 0, 1, 0};
  std::vector<Tensor> inputs = {Tensor::borrow({DType::f32, {2, 3}}, x.data())},
                      outputs;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  const float *y = outputs[0].as<float>();
  std::printf("run: %g %g %g %g\n", y[0], y[1], y[2], y[3]);
  return {};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 1;
  }
  Status status = run(argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
  return status ? 0 : 1;
}
