//===- Kernels.cpp - What bench-kernels measures --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cstdint>
#include <regex>
#include <string_view>
#include <utility>

using namespace tandem;
using namespace tandem::bench;

namespace {

#include "KernelGraphs.inc"

std::string inModule(const std::string &function) {
  return "module @k {\n" + function + "\n}";
}

/// A graph of test/graphs at one size, of f32 or in place of it `element`.
Kernel fromGraph(const std::string &graph, const std::string &suffix,
                 int64_t size, bool hasFunctions, const char *element = "f32") {
  std::string text;
  for (auto [name, source] : kKernelGraphs)
    if (name == graph)
      text = source;
  const std::pair<const char *, std::string> changes[] = {
      {" \\{tandem\\.dims[^}]*\\}", ""},
      {"@main", "@k"},
      {"\\?", std::to_string(size)},
      {"f32", element}};
  for (const auto &[from, to] : changes)
    text = std::regex_replace(text, std::regex(from), to);
  return {graph + suffix, Yardstick::Copy, inModule(text), hasFunctions};
}

std::string print(const std::vector<int64_t> &numbers, const char *separator) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : separator) + std::to_string(number);
  return text;
}

Kernel transpose(const char *name, const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &permutation,
                 const std::string &element = "f32") {
  std::vector<int64_t> result;
  for (int64_t dim : permutation)
    result.push_back(shape[dim]);
  std::string from = "tensor<" + print(shape, "x") + "x" + element + ">";
  std::string to = "tensor<" + print(result, "x") + "x" + element + ">";
  return {name, Yardstick::Copy,
          inModule("func.func @k(%x: " + from + ") -> " + to +
                   " {\n  %0 = tandem.transpose %x permutation = [" +
                   print(permutation, ", ") + "] : (" + from + ") -> " + to +
                   "\n  return %0 : " + to + "\n}")};
}

constexpr char kConv1DRelu[] = R"(
func.func @k(%x: tensor<1000x100x1xf32>, %w: tensor<3x1x32xf32>)
    -> tensor<1000x98x32xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1000x100x1xf32>, tensor<3x1x32xf32>)
      -> tensor<1000x98x32xf32>
  %1 = tandem.relu %0 : tensor<1000x98x32xf32>
  return %1 : tensor<1000x98x32xf32>
})";

constexpr char kConv2DNCHW[] = R"(
func.func @k(%x: tensor<1x3x256x256xf32>, %w: tensor<64x3x3x3xf32>)
    -> tensor<1x64x256x256xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x3x256x256xf32>, tensor<64x3x3x3xf32>)
      -> tensor<1x64x256x256xf32>
  return %0 : tensor<1x64x256x256xf32>
})";

constexpr char kConv2DNHWC[] = R"(
func.func @k(%x: tensor<1x256x256x3xf32>, %w: tensor<3x3x3x64xf32>)
    -> tensor<1x256x256x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x256x256x3xf32>, tensor<3x3x3x64xf32>)
      -> tensor<1x256x256x64xf32>
  return %0 : tensor<1x256x256x64xf32>
})";

constexpr char kMaxPoolNCHW[] = R"(
func.func @k(%x: tensor<32x32x32x32xf32>) -> tensor<32x32x16x16xf32> {
  %0 = tandem.max_pool %x layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<32x32x32x32xf32>) -> tensor<32x32x16x16xf32>
  return %0 : tensor<32x32x16x16xf32>
})";

constexpr char kTransposeRelu[] = R"(
func.func @k(%x: tensor<8x64x56x56xf32>, %b: tensor<64xf32>)
    -> tensor<8x56x56x64xf32> {
  %0 = tandem.transpose %x permutation = [0, 2, 3, 1]
      : (tensor<8x64x56x56xf32>) -> tensor<8x56x56x64xf32>
  %1 = tandem.add %0, %b
      : (tensor<8x56x56x64xf32>, tensor<64xf32>) -> tensor<8x56x56x64xf32>
  %2 = tandem.relu %1 : tensor<8x56x56x64xf32>
  return %2 : tensor<8x56x56x64xf32>
})";

constexpr char kBiasRelu[] = R"(
func.func @k(%x: tensor<32x56x56x64xf32>, %b: tensor<64xf32>)
    -> tensor<32x56x56x64xf32> {
  %0 = tandem.add %x, %b
      : (tensor<32x56x56x64xf32>, tensor<64xf32>) -> tensor<32x56x56x64xf32>
  %1 = tandem.relu %0 : tensor<32x56x56x64xf32>
  return %1 : tensor<32x56x56x64xf32>
})";

} // namespace

std::vector<Kernel> bench::makeKernels() {
  constexpr int64_t kKi = 1 << 10, kMi = 1 << 20;
  return {
      {"conv1d_relu", Yardstick::Memset, inModule(kConv1DRelu)},
      fromGraph("axpy8", "_1ki", kKi, false),
      fromGraph("axpy8", "_1mi", kMi, false),
      fromGraph("axpy8", "_64mi", 64 * kMi, false),
      fromGraph("chain8", "_1ki", kKi, true),
      fromGraph("chain8", "_1mi", kMi, true),
      fromGraph("chain8", "_64mi", 64 * kMi, true),
      fromGraph("axpy8", "_bf16_1ki", kKi, false, "bf16"),
      fromGraph("axpy8", "_bf16_1mi", kMi, false, "bf16"),
      fromGraph("axpy8", "_bf16_64mi", 64 * kMi, false, "bf16"),
      fromGraph("chain8", "_bf16_1mi", kMi, true, "bf16"),
      fromGraph("chain8", "_bf16_64mi", 64 * kMi, true, "bf16"),
      {"conv2d_nchw", Yardstick::Memset, inModule(kConv2DNCHW)},
      {"conv2d_nhwc", Yardstick::Memset, inModule(kConv2DNHWC)},
      {"max_pool_nchw", Yardstick::Copy, inModule(kMaxPoolNCHW)},
      transpose("transpose", {1024, 1024}, {1, 0}),
      transpose("transpose_4k", {4096, 4096}, {1, 0}),
      transpose("transpose_odd", {1021, 1031}, {1, 0}),
      transpose("nchw_to_nhwc", {8, 64, 56, 56}, {0, 2, 3, 1}),
      transpose("nhwc_to_nchw", {8, 56, 56, 64}, {0, 3, 1, 2}),
      transpose("rgb_to_nhwc", {8, 3, 224, 224}, {0, 2, 3, 1}),
      transpose("transpose_bf16", {2048, 1024}, {1, 0}, "bf16"),
      {"transpose_relu", Yardstick::Copy, inModule(kTransposeRelu)},
      {"bias_relu", Yardstick::Copy, inModule(kBiasRelu)},
  };
}
