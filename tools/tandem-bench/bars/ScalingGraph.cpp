//===- ScalingGraph.cpp - A graph of any number of ops --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/CompileScaling.h"

namespace tandem::bench {
namespace {

/// Writes ops one after the other; each works on the results of earlier ones.
class GraphWriter {
public:
  std::string write(int ops);

private:
  static constexpr const char *kImage = "tensor<1x16x16x16xf32>";
  static constexpr const char *kRows = "tensor<256x16xf32>";
  static constexpr const char *kScalar = "tensor<f32>";

  /// `%N = tandem.<op> : <type>`, and %N.
  std::string op(const std::string &text, const std::string &type);
  std::string binary(const std::string &kind, const std::string &a,
                     const std::string &b, const std::string &type);
  /// A number that no other op has.
  std::string constant();
  /// Eleven ops from image to image.
  std::string layer(const std::string &image, const std::string &residual);

  std::string body;
  int values = 0, constants = 0, count = 0;
};

std::string GraphWriter::op(const std::string &text, const std::string &type) {
  std::string name = "%" + std::to_string(values++);
  body += "  " + name + " = tandem." + text + " : " + type + "\n";
  ++count;
  return name;
}

std::string GraphWriter::binary(const std::string &kind, const std::string &a,
                                const std::string &b, const std::string &type) {
  return op(kind + " " + a + ", " + b,
            "(" + type + ", " + kScalar + ") -> " + type);
}

std::string GraphWriter::constant() {
  std::string name = "%c" + std::to_string(constants++);
  body += "  " + name + " = tandem.constant dense<" +
          std::to_string(0.5 + 0.001 * constants) + "> : tensor<f32>\n";
  return name;
}

std::string GraphWriter::layer(const std::string &image,
                               const std::string &residual) {
  const std::string type = kImage, rows = kRows;
  std::string value =
      op("conv " + image +
             ", %w layout = <input = \"NHWC\", kernel = \"HWIO\", output = "
             "\"NHWC\"> pad_low = [1, 1] pad_high = [1, 1]",
         "(" + type + ", tensor<3x3x16x16xf32>) -> " + type);
  value = binary("add", value, constant(), type);
  value = op("relu " + value, type);
  value = op("add " + value + ", " + residual, type);
  std::string mean = op("reduce " + value + " kind = mean dims = [3] keep_dims",
                        "(" + type + ") -> tensor<1x16x16x1xf32>");
  value = op("sub " + value + ", " + mean,
             "(" + type + ", tensor<1x16x16x1xf32>) -> " + type);
  value = op("reshape " + value + " shape = [256, 16]",
             "(" + type + ") -> " + rows);
  value = op("matmul " + value + ", %m",
             "(" + rows + ", tensor<16x16xf32>) -> " + rows);
  value = op("tanh " + binary("mul", value, constant(), rows), rows);
  return op("reshape " + value + " shape = [1, 16, 16, 16]",
            "(" + rows + ") -> " + type);
}

std::string GraphWriter::write(int ops) {
  std::string value = "%x", residual = "%x";
  while (count < ops) {
    std::string next = layer(value, residual);
    residual = value;
    value = next;
  }
  return "func.func @main(%x: " + std::string(kImage) +
         ", %w: tensor<3x3x16x16xf32>, %m: tensor<16x16xf32>) -> " + kImage +
         " {\n" + body + "  return " + value + " : " + kImage + "\n}\n";
}

} // namespace

std::string makeScalingGraph(int ops) { return GraphWriter().write(ops); }

} // namespace tandem::bench
