//===- Spectra.cpp - ONNX Fourier transforms and their windows ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include <cmath>

using namespace mlir;

namespace tandem::onnx {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A discrete Fourier transform of `length` numbers.
struct Transform {
  int64_t length;
  bool isInverse, isOneSided;

  /// The numbers of elements it reads and writes.
  int64_t inputs() const { return isInverse ? reduced() : length; }
  int64_t outputs() const { return isInverse ? length : reduced(); }
  /// The parts of a number it writes: of what is real, only one.
  int64_t parts() const { return isInverse && isOneSided ? 1 : 2; }

private:
  int64_t reduced() const { return isOneSided ? length / 2 + 1 : length; }
};

/// The matrix of the transform, from (element, part) to (element, part), where
/// the parts are the real one and, where there is one, the imaginary one.
SmallVector<double> matrixOf(const Transform &of, int64_t inputParts) {
  SmallVector<double> matrix;
  for (int64_t i = 0; i < of.inputs(); ++i) {
    double factor = of.isInverse ? 1.0 / of.length : 1;
    // Each element that is not there is the conjugate of one that is.
    bool hasConjugate = i != 0 && 2 * i != of.length;
    if (of.isInverse && of.isOneSided && hasConjugate)
      factor *= 2;
    for (int64_t part = 0; part < inputParts; ++part)
      for (int64_t j = 0; j < of.outputs(); ++j) {
        double turn = 2 * kPi * (i * j % of.length) / of.length;
        double real = std::cos(turn) * factor;
        double imaginary = std::sin(turn) * (of.isInverse ? factor : -factor);
        matrix.push_back(part == 0 ? real : -imaginary);
        if (of.parts() == 2)
          matrix.push_back(part == 0 ? imaginary : real);
      }
  }
  return matrix;
}

/// Dim `axis` of `x` with `size` elements: the first ones, or zeros behind all.
Value resizeDim(Node &node, Value x, int64_t axis, int64_t size) {
  int64_t own = node.dim(x, axis);
  if (own > size)
    return node.slice(x, axis, 0, size);
  Ints none(node.rank(x), 0), high = none;
  high[axis] = size - own;
  return own == size ? x : node.pad(x, none, high, none, 0);
}

/// An error unless the matrix may be made: its elements are bounded, and so is
/// the length.
bool requireMatrix(Node &node, const Transform &of, int64_t parts) {
  auto fits = [&](int64_t length) {
    const Transform other{length, of.isInverse, of.isOneSided};
    return other.inputs() * parts * other.outputs() * other.parts() <=
           kMaxTableElements;
  };
  int64_t longest = 1; // By bisection: longer ones have larger matrices.
  for (int64_t step = 1 << 12; step > 0; step /= 2)
    while (fits(longest + step))
      longest += step;
  return node.require(of.length <= longest,
                      "a length of " + Twine(of.length) +
                          " is not supported: at most " + Twine(longest) +
                          " is, for numbers of " +
                          (parts == 1 ? "one part" : "two parts"));
}

/// Transforms `x`, whose last dim is the parts of its numbers, along `axis`, by
/// a product with the transform's matrix.
Value transform(Node &node, Value x, int64_t axis, const Transform &of) {
  int64_t last = node.rank(x) - 1;
  int64_t parts = node.dim(x, last);
  if (node.hasFailed() ||
      !node.require(parts == 1 || parts == 2,
                    "needs a last dim of one or two parts of numbers") ||
      !node.require(of.length > 0, "a length of " + Twine(of.length) +
                                       ", which is not positive") ||
      !requireMatrix(node, of, parts))
    return {};
  x = resizeDim(node, x, axis, of.inputs());
  Ints order = range(0, last + 1);
  std::swap(order[axis], order[last - 1]);
  Sizes sizes = node.sizesOf(node.transpose(x, order));
  if (node.hasFailed())
    return {};
  sizes.pop_back();
  sizes.back() = Size(of.inputs() * parts);
  auto type = RankedTensorType::get(
      {of.inputs() * parts, of.outputs() * of.parts()}, node.element(x));
  Value matrix = node.table(type, matrixOf(of, parts));
  // A product needs two dims.
  if (sizes.size() == 1)
    sizes.insert(sizes.begin(), Size(1));
  Value y = node.emit<ir::MatmulOp>(
      {node.reshape(node.transpose(x, order), sizes), matrix});
  sizes.back() = Size(of.outputs());
  sizes.push_back(Size(of.parts()));
  if (last == 1)
    sizes.erase(sizes.begin());
  return node.transpose(node.reshape(y, sizes), order);
}

/// a - b cos(t) + c cos(2t) for t from 0 to 2π.
void convertWindow(Node &node, double a, double b, double c) {
  Ints sizes = node.constants(0);
  Type type = node.getType("output_datatype", proto::TensorProto::FLOAT);
  if (!node.requireCount("size", sizes.size(), 1) ||
      !node.require(sizes[0] >= 0, "a negative size") ||
      !node.requireTable(sizes[0]))
    return;
  int64_t steps = sizes[0] - (node.getInt("periodic", 1) ? 0 : 1);
  SmallVector<double> window;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    double turn = steps == 0 ? 0 : 2 * kPi * i / steps;
    window.push_back(a - b * std::cos(turn) + c * std::cos(2 * turn));
  }
  node.result(0, node.table(RankedTensorType::get(sizes, type), window));
}

double toMel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double toHertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

} // namespace

void convertDFT(Node &node) {
  Value x = node.operand(0);
  int64_t rank = node.rank(x), given = node.getInt("axis", 1);
  if (node.opset() >= 20) {
    Ints axes = node.hasOperand(2) ? node.constants(2) : Ints{-2};
    if (!node.requireCount("axis", axes.size(), 1))
      return;
    given = axes[0];
  }
  int64_t axis = node.axis(given, rank);
  if (!node.require(rank >= 2, "needs two dims or more") ||
      !node.require(axis < rank - 1, "the last dim cannot be transformed"))
    return;
  Transform of{node.dim(x, axis), node.getInt("inverse", 0) != 0,
               node.getInt("onesided", 0) != 0};
  if (of.isInverse && of.isOneSided)
    of.length = 2 * (of.length - 1);
  if (node.hasOperand(1)) {
    Ints lengths = node.constants(1);
    if (!node.requireCount("dft_length", lengths.size(), 1))
      return;
    of.length = lengths[0];
  }
  node.result(0, transform(node, x, axis, of));
}

void convertSTFT(Node &node) {
  Value x = node.operand(0);
  if (node.rank(x) == 2) { // A real signal, as PyTorch writes it.
    Sizes shape = node.sizesOf(x);
    shape.push_back(Size(1));
    x = node.reshape(x, shape);
  }
  int64_t length = node.dim(x, 1);
  Ints steps = node.constants(1);
  bool hasWindow = node.hasOperand(2);
  Ints sizes{hasWindow ? node.dim(node.operand(2), 0) : length};
  if (node.hasOperand(3))
    sizes = node.constants(3);
  if (!node.requireRank("the signal", node.rank(x), 3) ||
      !node.requireCount("frame_step", steps.size(), 1) ||
      !node.requireCount("frame_length", sizes.size(), 1) ||
      !node.require(steps[0] > 0, "frame_step is not positive") ||
      !node.require(sizes[0] > 0, "frame_length is not positive") ||
      !node.require(sizes[0] <= length, "frames of " + Twine(sizes[0]) +
                                            " elements; the signal has " +
                                            Twine(length)))
    return;
  int64_t frames = (length - sizes[0]) / steps[0] + 1;
  if (node.hasFailed() || !node.requireTable(frames) ||
      !node.requireTable(sizes[0]) || !node.requireTable(frames * sizes[0]))
    return;
  Ints indices;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < sizes[0]; ++i)
      indices.push_back(frame * steps[0] + i);
  x = node.gather(x, node.reshape(node.vector(indices), {frames, sizes[0]}), 1);
  if (hasWindow)
    x = node.mul(x, alongAxis(node, node.operand(2), 2, 4));
  bool isOneSided = node.getInt("onesided", 1);
  node.result(0, transform(node, x, 2, {sizes[0], false, isOneSided}));
}

void convertBlackmanWindow(Node &node) { convertWindow(node, 0.42, 0.5, 0.08); }
void convertHammingWindow(Node &node) {
  convertWindow(node, 25.0 / 46, 21.0 / 46, 0);
}
void convertHannWindow(Node &node) { convertWindow(node, 0.5, 0.5, 0); }

/// Triangles over the bins of a spectrum, at equal distances in mel.
void convertMelWeightMatrix(Node &node) {
  SmallVector<double> given;
  for (unsigned i = 0; i < 5; ++i) {
    SmallVector<double> number = node.numbers(i);
    if (!node.requireCount("operand " + Twine(i), number.size(), 1))
      return;
    given.push_back(number[0]);
  }
  for (auto [size, name] :
       {std::pair{given[0], "num_mel_bins"}, {given[1], "dft_length"}})
    if (!node.require(size >= 0 && size < 1 << 20,
                      Twine(name) + " is out of range"))
      return;
  int64_t bands = given[0], bins = static_cast<int64_t>(given[1]) / 2 + 1;
  double rate = given[2], low = toMel(given[3]), high = toMel(given[4]);
  Type type = node.getType("output_datatype", proto::TensorProto::FLOAT);
  if (!node.requireTable(bands * bins) ||
      !node.require(rate > 0, "sample_rate is not positive") ||
      !node.require(std::isfinite(low),
                    "lower_edge_hertz is not a frequency") ||
      !node.require(std::isfinite(high), "upper_edge_hertz is not a frequency"))
    return;
  Ints edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    double hertz = toHertz(low + i * (high - low) / (bands + 2));
    double bin = std::floor((given[1] + 1) * hertz / rate);
    if (!node.require(bin >= 0 && bin < bins,
                      "frequencies that the spectrum does not have"))
      return;
    edges.push_back(bin);
  }
  SmallVector<double> matrix(bins * bands, 0);
  for (int64_t i = 0; i < bands; ++i) {
    int64_t left = edges[i], center = edges[i + 1], right = edges[i + 2];
    for (int64_t j = left; j < center; ++j)
      matrix[j * bands + i] = double(j - left) / (center - left);
    for (int64_t j = center; j < right; ++j)
      matrix[j * bands + i] = double(right - j) / (right - center);
    if (center < bins)
      matrix[center * bands + i] = 1;
  }
  node.result(0,
              node.table(RankedTensorType::get({bins, bands}, type), matrix));
}

} // namespace tandem::onnx
