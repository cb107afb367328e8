//===- GraphOutline.cpp - Graphs without their weights --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/GraphOutline.h"

#include <random>
#include <regex>
#include <sstream>

namespace tandem::bench {
namespace {

struct Weights {
  std::string name;
  int exponent = 0;
  bool isSigned = false;
  int64_t count = 0;
};

/// The product of "3x3x64".
int64_t countOf(const std::string &dims) {
  int64_t count = 1;
  std::istringstream stream(dims);
  for (std::string dim; std::getline(stream, dim, 'x');)
    count *= std::stoll(dim);
  return count;
}

Expected<std::vector<Weights>> findWeights(const std::string &outline) {
  static const std::regex line(
      "// weights (\\w+) (-?\\d{1,3}) (signed|positive)\n");
  static const std::regex use(
      "dense_resource<(\\w+)> : tensor<((?:\\d+x)+)f32>");
  std::vector<Weights> all;
  for (std::sregex_iterator at(outline.begin(), outline.end(), line), end;
       at != end; ++at)
    all.push_back({(*at)[1], std::stoi((*at)[2]), (*at)[3] == "signed", 0});
  for (std::sregex_iterator at(outline.begin(), outline.end(), use), end;
       at != end; ++at)
    for (Weights &weights : all)
      if (weights.name == (*at)[1])
        weights.count = countOf((*at)[2]);
  for (const Weights &weights : all)
    if (weights.count == 0 || weights.exponent < -126 || weights.exponent > 126)
      return fail("gpu", "'" + weights.name +
                             "' is no constant of the graph with an exponent "
                             "of -126 to 126");
  if (all.empty())
    return fail("gpu", "the graph has no list of weights",
                "utils/graphs/make-networks.py --outline writes one");
  return all;
}

/// The bytes of `word` from `first` on, the lowest first.
void appendHex(uint32_t word, int first, std::string &text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int byte = first; byte < 4; ++byte)
    for (int half : {4, 0})
      text += kDigits[word >> (8 * byte + half) & 15];
}

void appendNumbers(const Weights &weights, DType dtype, std::mt19937 &random,
                   std::string &text) {
  constexpr uint32_t kMantissa = 0x007fffff, kSign = 0x80000000;
  const uint32_t mask = weights.isSigned ? kMantissa | kSign : kMantissa;
  const uint32_t exponent = uint32_t(127 + weights.exponent) << 23;
  // A bf16 is the upper half of a float.
  const int first = dtype == DType::bf16 ? 2 : 0;
  for (int64_t i = 0; i < weights.count; ++i)
    appendHex((uint32_t(random()) & mask) | exponent, first, text);
}

} // namespace

Expected<std::string> addWeights(const std::string &outline, DType dtype) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<Weights> all, findWeights(outline));
  std::string text = outline;
  if (dtype == DType::bf16) {
    text = std::regex_replace(text, std::regex("xf32>"), "xbf16>");
    text = std::regex_replace(text, std::regex("<f32>"), "<bf16>");
  }
  text += "{-# dialect_resources: { builtin: {\n";
  std::mt19937 random(1);
  for (const Weights &weights : all) {
    text += (&weights == &all.front() ? "" : ",\n") + weights.name +
            ": \"0x40000000"; // Aligned to 64 bytes.
    appendNumbers(weights, dtype, random, text);
    text += "\"";
  }
  return text + "\n} } #-}\n";
}

} // namespace tandem::bench
