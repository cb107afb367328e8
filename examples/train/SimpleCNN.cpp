//===- SimpleCNN.cpp - A small convolutional network
//-----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimpleCNN.h"

#include "tandem/GraphBuilder.h"
#include "tandem/Training.h"

using namespace tandem;

const std::vector<ParameterInfo> &parameterInfos() {
  static const std::vector<ParameterInfo> &infos =
      *new std::vector<ParameterInfo>{
          {"conv1.weight", {32, 3, 3, 3}, 27},   {"conv1.bias", {32}, 27},
          {"conv2.weight", {64, 32, 3, 3}, 288}, {"conv2.bias", {64}, 288},
          {"linear1.weight", {4096, 512}, 4096}, {"linear1.bias", {512}, 4096},
          {"linear2.weight", {512, 10}, 512},    {"linear2.bias", {10}, 512}};
  return infos;
}

Expected<std::unique_ptr<Graph>> buildSimpleCNN(double dropoutProbability,
                                                uint64_t seed) {
  GraphBuilder b("simplecnn");
  auto x =
      b.input({DType::f32, {kDynamic, 3, 32, 32}}, {"n", "", "", ""}, "images");
  auto labels = b.input({DType::i64, {kDynamic}}, {"n"}, "labels");
  auto steps = b.input({DType::ui64, {}}, {}, "steps");
  std::vector<GraphBuilder::Value> p;
  for (const ParameterInfo &info : parameterInfos())
    p.push_back(b.input({DType::f32, info.shape}, {}, info.name));

  for (size_t layer : {0, 1}) {
    b.setLocation("conv" + std::to_string(layer + 1));
    x = b.relu(b.conv({x, p[2 * layer], p[2 * layer + 1]},
                      {.pad_low = {1, 1}, .pad_high = {1, 1}}));
    x = b.max_pool(x, {.window = {2, 2}, .strides = {2, 2}});
  }
  b.setLocation("linear1");
  x = b.reshape(x, {.shape = {-1, 4096}});
  x = b.relu(b.add(b.matmul({x, p[4]}), p[5]));
  if (dropoutProbability > 0) {
    b.setLocation("dropout");
    auto key = b.constant(Tensor::borrow({DType::ui64, {}}, &seed));
    x = dropout(b, x,
                {.probability = dropoutProbability,
                 .key = key,
                 .step = steps,
                 .shape = "n, 512"});
  }
  b.setLocation("linear2");
  auto logits = b.add(b.matmul({x, p[6]}), p[7]);
  b.setLocation("loss");
  auto loss = crossEntropy(b, logits, labels);
  auto predicted =
      b.reduce(logits, {.kind = fb::ReduceKind::argmax, .dims = {1}});
  auto right =
      b.compare({predicted, labels}, {.predicate = fb::ComparePredicate::eq});
  auto count = b.reduce(b.cast(right, {.dtype = DType::i64}),
                        {.kind = fb::ReduceKind::sum, .dims = {0}});
  return b.build({loss, count}, {"loss", "right"});
}
