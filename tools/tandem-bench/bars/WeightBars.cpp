//===- WeightBars.cpp - What large weights cost ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include "tandem/Measure/Copy.h"
#include "tandem/Runtime/PhaseTimes.h"

#include <cstdio>
#include <random>

namespace tandem::bench {
namespace {

constexpr int kRounds = 7;

/// VGG-11's end with a quarter of its widest layer: a convolution that is
/// transformed and two matrix products whose weights are packed.
constexpr const char *kNetwork = R"(
func.func @main(%x: tensor<1x14x14x512xf32>) -> tensor<1x1000xf32> {
  %w0 = tandem.constant dense_resource<w0> : tensor<3x3x512x512xf32>
  %0 = tandem.conv %x, %w0
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x14x14x512xf32>, tensor<3x3x512x512xf32>)
      -> tensor<1x14x14x512xf32>
  %1 = tandem.relu %0 : tensor<1x14x14x512xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x14x14x512xf32>) -> tensor<1x7x7x512xf32>
  %3 = tandem.reshape %2 shape = [1, 25088]
      : (tensor<1x7x7x512xf32>) -> tensor<1x25088xf32>
  %w1 = tandem.constant dense_resource<w1> : tensor<25088x1024xf32>
  %4 = tandem.matmul %3, %w1
      : (tensor<1x25088xf32>, tensor<25088x1024xf32>) -> tensor<1x1024xf32>
  %5 = tandem.relu %4 : tensor<1x1024xf32>
  %w2 = tandem.constant dense_resource<w2> : tensor<1024x1000xf32>
  %6 = tandem.matmul %5, %w2
      : (tensor<1x1024xf32>, tensor<1024x1000xf32>) -> tensor<1x1000xf32>
  return %6 : tensor<1x1000xf32>
}
)";
constexpr int64_t kElements[] = {3 * 3 * 512 * 512, 25088 * 1024, 1024 * 1000};

/// Floats of magnitudes from 2^-7 to 2^-6 and either sign, in hexadecimal. They
/// repeat: nothing here depends on their values but that they differ.
std::string randomFloats(int64_t count) {
  std::mt19937 random(1);
  std::string some;
  for (int64_t i = 0; i < std::min<int64_t>(count, 4093); ++i) {
    uint32_t bits = (random() & 0x807fffff) | 0x3c000000;
    char text[9];
    std::snprintf(text, sizeof text, "%08X", __builtin_bswap32(bits));
    some += text;
  }
  std::string all;
  all.reserve(8 * count);
  while (all.size() < static_cast<size_t>(8 * count))
    all.append(some, 0, 8 * count - all.size());
  return all;
}

Expected<std::unique_ptr<Graph>> makeNetwork() {
  std::string text = kNetwork, separator;
  text += "{-# dialect_resources: { builtin: {\n";
  for (int i = 0; i < 3; ++i) {
    text += separator + "w" + std::to_string(i) + ": \"0x40000000" +
            randomFloats(kElements[i]) + "\"";
    separator = ",\n";
  }
  return Graph::parseString(text + "\n} } #-}\n");
}

/// The time to fuse and emit, in nanoseconds, of the first compilation of a new
/// compiler, which finds nothing rearranged.
Expected<double> fuseAndEmitNs(const Graph &graph) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                          graph.createCompiler());
  TensorType input{DType::f32, {1, 14, 14, 512}};
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler->compile({&input, 1}));
  double ns = 0;
  for (const PhaseTime &phase : compiled.phases)
    if (phase.phase == "fuse" || phase.phase == "emit")
      ns += phase.ns;
  return ns;
}

} // namespace

Status addWeightBars(const BarsOptions &, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, makeNetwork());
  TensorType bytes{DType::i8, {0}};
  for (int64_t elements : kElements)
    bytes.shape[0] += elements * static_cast<int64_t>(sizeof(float));
  TANDEM_ASSIGN_OR_RETURN(Tensor from, Tensor::allocate(bytes));
  TANDEM_ASSIGN_OR_RETURN(Tensor to, Tensor::allocate(bytes));
  constexpr measure::Stores kStores[] = {measure::Stores::cached,
                                         measure::Stores::streaming};
  // All their pages are there before they are copied.
  for (Tensor *tensor : {&from, &to})
    measure::clearOnAllThreads(tensor->data(), bytes.bytes(), kStores[0]);
  std::vector<double> compiles, copies[2];
  for (int round = 0; round < kRounds; ++round) {
    TANDEM_ASSIGN_OR_RETURN(double ns, fuseAndEmitNs(*graph));
    compiles.push_back(ns);
    for (size_t i = 0; i < 2; ++i) {
      Stopwatch watch;
      measure::copyOnAllThreads(to.data(), from.data(), bytes.bytes(),
                                kStores[i]);
      copies[i].push_back(watch.ns());
    }
  }
  const measure::Summary compile = measure::summarize(compiles);
  const Named copy = MoveSeries{"copy", 0, 1}.faster(
      {measure::summarize(copies[0]), measure::summarize(copies[1])});
  bars.push_back(ratioBar("fuse + emit of " +
                              std::to_string(bytes.bytes() >> 20) +
                              " MiB of weights / copying them",
                          {"fuse + emit", compile}, copy, 3, true));
  return {};
}

} // namespace tandem::bench
