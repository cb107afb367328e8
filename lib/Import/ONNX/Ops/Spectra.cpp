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

  /// The number of elements that it reads.
  int64_t inputs() const {
    return isInverse && isOneSided ? length / 2 + 1 : length;
  }
};

/// Dim `axis` of `x` with `size` elements: the first ones, or zeros behind all.
Value resizeDim(Node &node, Value x, int64_t axis, int64_t size) {
  int64_t own = node.dim(x, axis);
  if (own > size)
    return node.slice(x, axis, 0, size);
  Ints none(node.rank(x), 0), high = none;
  high[axis] = size - own;
  return own == size ? x : node.pad(x, none, high, none, 0);
}

Value emitFFT(Node &node, Value x, ir::FFTKind kind, int64_t axis,
              int64_t length = 0) {
  MLIRContext *context = node.state().builder.getContext();
  return node.emit<ir::FFTOp>(
      x, {node.attribute("kind", ir::FFTKindAttr::get(context, kind)),
          node.integer("axis", axis), node.integer("length", length)});
}

/// Removes the dim of the parts, or adds one of a single part.
Value removeParts(Node &node, Value x) {
  Sizes sizes = node.sizesOf(x);
  if (node.hasFailed())
    return {};
  sizes.pop_back();
  return node.reshape(x, sizes);
}
Value addParts(Node &node, Value x) {
  Sizes sizes = node.sizesOf(x);
  sizes.push_back(Size(1));
  return node.reshape(x, sizes);
}

/// The transform of real numbers. Elements from length / 2 + 1 on are
/// conjugates of those before.
Value transformReal(Node &node, Value x, int64_t axis, const Transform &of) {
  const Value half =
      emitFFT(node, removeParts(node, x), ir::FFTKind::rfft, axis);
  if (of.isOneSided || of.length <= 2)
    return half;
  Ints mirrored;
  for (int64_t k = of.length / 2 + 1; k < of.length; ++k)
    mirrored.push_back(of.length - k);
  const Value conjugate =
      node.table(RankedTensorType::get({2}, node.element(x)), {1.0, -1.0});
  return node.concat(
      {half, node.mul(pick(node, half, mirrored, axis), conjugate)}, axis);
}

/// Transforms `x`, whose last dim is the parts of its numbers, along `axis`.
/// The result has one part if it is real, and two otherwise.
Value transform(Node &node, Value x, int64_t axis, const Transform &of) {
  const int64_t last = node.rank(x) - 1, parts = node.dim(x, last);
  if (node.hasFailed() ||
      !node.require(parts == 1 || parts == 2,
                    "needs a last dim of one or two parts of numbers") ||
      !node.require(of.length > 0, "a length of " + Twine(of.length) +
                                       ", which is not positive") ||
      !node.require(of.length <= kMaxSize, "a length of " + Twine(of.length) +
                                               ", which is over " +
                                               Twine(kMaxSize)))
    return {};
  x = resizeDim(node, x, axis, of.inputs());
  if (!of.isInverse && parts == 1 &&
      (of.isOneSided || of.length <= kMaxTableElements))
    return transformReal(node, x, axis, of);
  x = resizeDim(node, x, last, 2);
  if (of.isOneSided && of.isInverse)
    return addParts(node,
                    emitFFT(node, x, ir::FFTKind::irfft, axis, of.length));
  x = emitFFT(node, x, of.isInverse ? ir::FFTKind::ifft : ir::FFTKind::fft,
              axis);
  return of.isOneSided ? node.slice(x, axis, 0, of.length / 2 + 1) : x;
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
  if (node.rank(x) == 2) // A real signal, as PyTorch writes it.
    x = addParts(node, x);
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
