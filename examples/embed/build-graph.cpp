//===- build-graph.cpp - Builds a graph without text ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a layer of a network, runs it, and saves its eager program for
// run-program. Usage: build-graph FILE
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"
#include "tandem/Tandem.h"

#include <cstdio>
#include <vector>

using namespace tandem;

static Expected<std::unique_ptr<Graph>> buildLayer() {
  std::vector<float> weights = {1, 0, -1, 2, 1, 0};
  GraphBuilder b;
  auto x = b.input({DType::f32, {kDynamic, 3}}, {"n", ""});
  auto w = b.constant(Tensor::borrow({DType::f32, {3, 2}}, weights.data()));
  b.setLocation("layer 1");
  auto y = b.relu(b.add(b.matmul({x, w}), b.splat({DType::f32, {}}, 0.5)));
  return b.build(y);
}

static Status run(const char *path) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, buildLayer());
  TANDEM_ASSIGN_OR_RETURN(auto function, graph->createFunction());
  std::vector<float> x = {1, 2, 3};
  std::vector<Tensor> inputs = {Tensor::borrow({DType::f32, {1, 3}}, x.data())};
  TANDEM_ASSIGN_OR_RETURN(auto outputs, function->call(inputs));
  const float *y = outputs[0].as<float>();
  std::printf("built: %g %g\n", y[0], y[1]);
  return writeFileAtomically(path, serialize(*graph->eagerProgram()));
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
