//===- MatmulCases.cpp - Matrix products, to be timed ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/ComparisonCases.h"

#include <charconv>

namespace tandem::bench {
namespace {

std::string sourceOf(const MatmulShape &shape, const std::string &hex) {
  const std::string lhs =
      TensorType{shape.dtype, Shape{shape.m, shape.k}}.str();
  const std::string rhs = TensorType{
      measure::weightsTypeFor(shape.dtype),
      Shape{shape.k, shape.n}}.str();
  const std::string out = TensorType{
      measure::resultTypeFor(shape.dtype),
      Shape{shape.m, shape.n}}.str();
  const std::string widen = isInteger(shape.dtype) ? " widen" : "";
  return "func.func @main(%x: " + lhs + ") -> " + out +
         " {\n  %w = tandem.constant dense<\"0x" + hex + "\"> : " + rhs +
         "\n  %0 = tandem.matmul %x, %w" + widen + " : (" + lhs + ", " + rhs +
         ") -> " + out + "\n  return %0 : " + out + "\n}\n";
}

} // namespace

Expected<MatmulShape> parseMatmulShape(const std::string &text) {
  std::vector<int64_t> sizes;
  const char *at = text.data(), *end = text.data() + text.size();
  while (true) {
    int64_t size = 0;
    auto [next, code] = std::from_chars(at, end, size);
    if (code != std::errc() || size < 1 || size > 1 << 20 ||
        (next != end && *next != 'x'))
      return fail("shapes", "'" + text + "' is not a matrix product",
                  "write 512, or MxNxK as 1x4096x1024");
    sizes.push_back(size);
    if (next == end)
      break;
    at = next + 1;
  }
  if (sizes.size() == 1)
    sizes.resize(3, sizes[0]);
  if (sizes.size() != 3)
    return fail("shapes", "'" + text + "' does not have three sizes",
                "write 512, or MxNxK as 1x4096x1024");
  return MatmulShape{sizes[0], sizes[1], sizes[2]};
}

ComparisonCase matmulCase(const MatmulShape &shape) {
  ComparisonCase comparisonCase;
  comparisonCase.list = "matmul";
  comparisonCase.name = std::to_string(shape.m) + "x" +
                        std::to_string(shape.n) + "x" + std::to_string(shape.k);
  comparisonCase.flops = shape.flops();
  comparisonCase.input = {shape.dtype, Shape{shape.m, shape.k}};
  comparisonCase.weights = {measure::weightsTypeFor(shape.dtype),
                            Shape{shape.k, shape.n}};
  comparisonCase.source = [shape](const std::string &hex) {
    return sourceOf(shape, hex);
  };
  comparisonCase.library = [shape](Formats formats, const Tensor &weights) {
    return OneDNNPrimitive::matmul(shape, formats, weights);
  };
  return comparisonCase;
}

std::vector<std::string> defaultMatmulShapes() {
  return {"512",         "768",         "1024",        "1536",       "2048",
          "1x4096x1024", "32x512x4096", "4096x32x512", "4096x512x32"};
}

} // namespace tandem::bench
