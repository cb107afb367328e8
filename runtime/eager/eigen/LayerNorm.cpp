//===- LayerNorm.cpp - Layer norms and their gradients ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line is read two or three times, all but once from a cache unless it is
// very long. The gradients of the scale and the offset are sums of all lines.
// Parts of the lines are summed in parallel, each while its lines are in a
// cache, and then the sums of the parts are added in order. The parts depend on
// the sizes alone, so that results do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "../Scratch.h"
#include "Moments.h"
#include "Parallel.h"
#include "Prepare.h"

#include <cmath>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// A layer norm sees its input as `lines` lines of `size` elements.
struct LineDims {
  int64_t lines, size;

  LineDims(const TensorType &statistics, const TensorType &scale)
      : lines(statistics.shape.numElements()), size(scale.shape.numElements()) {
  }
};

template <typename T> class LayerNormOp final : public PreparedOp {
public:
  explicit LayerNormOp(const Signature &signature)
      : dims(signature.results[1], signature.operands[1]),
        epsilon(signature.op.attrs.AsLayerNormAttrs()->epsilon),
        moments(kernels().moments(signature.result().dtype)),
        own(*kernels().layerNorm(signature.result().dtype)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const T *in = operands[0].as<T>();
    T *out = results[0].as<T>();
    T *mean = results[1].as<T>(), *inverse = results[2].as<T>();
    parallelFor(dims.lines, grainFor(kWork * dims.size),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const T *x = in + i * dims.size;
                    const LineStatistics line = statisticsOf(x);
                    mean[i] = static_cast<T>(line.mean);
                    inverse[i] = static_cast<T>(line.inverseDeviation);
                    own.normalize(x, line, operands[1].data(),
                                  operands[2].data(), out + i * dims.size,
                                  dims.size);
                  }
                });
    return {};
  }

private:
  /// The work per element, relative to that of a simple elementwise op.
  static constexpr int64_t kWork = 3;

  LineStatistics statisticsOf(const T *x) const {
    double sum = 0, squares = 0;
    Moments all{&sum, &squares};
    all.addLine(moments, x, dims.size);
    const auto count = static_cast<double>(dims.size); // 0 / 0 is NaN.
    return {sum / count, 1 / std::sqrt(squares / count + epsilon)};
  }

  LineDims dims;
  double epsilon;
  MomentsKernels moments;
  LayerNormKernels own;
};

/// The operands of a layer_norm_backward, line by line.
template <typename T> struct BackwardLines {
  const T *gradient, *input, *scale, *mean, *inverse;

  explicit BackwardLines(std::span<const Tensor> operands)
      : gradient(operands[0].as<T>()), input(operands[1].as<T>()),
        scale(operands[2].as<T>()), mean(operands[3].as<T>()),
        inverse(operands[4].as<T>()) {}

  LineStatistics operator[](int64_t line) const {
    return {mean[line], inverse[line]};
  }
};

template <typename T> class LayerNormBackwardOp final : public PreparedOp {
public:
  explicit LayerNormBackwardOp(const Signature &signature)
      : dims(signature.operands[3], signature.operands[2]),
        dtype(signature.result().dtype), own(*kernels().layerNorm(dtype)),
        accumulate(kernels().accumulateSum(dtype)) {
    linesPerPart =
        std::max({kLeastLines, countParts(dims.lines, kMaxParts),
                  countParts(kGrain, std::max<int64_t>(1, kWork * dims.size))});
    parts = countParts(dims.lines, linesPerPart);
  }

  int64_t workspaceBytes() const override {
    return hasParts() ? alignedBytes(sumsType().bytes()) : 0;
  }

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const BackwardLines<T> lines(operands);
    T *ofInput = results[0].as<T>();
    T *ofScale = results[1].as<T>(), *ofOffset = results[2].as<T>();
    if (hasParts()) {
      Scratch scratch(context);
      T *sums = scratch.take(sumsType()).template as<T>();
      computeParts(lines, ofInput, sums);
      addParts(sums, ofScale);
      addParts(sums + dims.size, ofOffset);
    } else {
      computeInput(lines, ofInput);
      computeColumns(lines, ofScale, ofOffset);
    }
    return {};
  }

private:
  /// The work per element, relative to that of a simple elementwise op.
  static constexpr int64_t kWork = 4;
  /// The sums of a part are written and read once. With this many lines in a
  /// part, that is an eighth of the elements of its operands.
  static constexpr int64_t kLeastLines = 16;
  /// The largest number of parts, which keeps the cores of large machines busy.
  static constexpr int64_t kMaxParts = 64;
  /// The columns whose sums of parts are added at a time, in f64.
  static constexpr int64_t kColumns = 512;

  /// False if there are few lines. They are summed column by column, without
  /// sums of parts.
  bool hasParts() const { return parts > 1; }
  /// For each part, the sums for the scale and those for the offset.
  TensorType sumsType() const { return {dtype, {parts, 2, dims.size}}; }

  void computeParts(const BackwardLines<T> &lines, T *ofInput, T *sums) const {
    parallelFor(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        T *ofScale = sums + part * 2 * dims.size,
          *ofOffset = ofScale + dims.size;
        std::fill_n(ofScale, 2 * dims.size, T(0));
        const int64_t first = part * linesPerPart,
                      last = std::min(dims.lines, first + linesPerPart);
        for (int64_t i = first; i < last; ++i) {
          computeLine(lines, i, ofInput);
          addLine(lines, i, 0, dims.size, ofScale, ofOffset);
        }
      }
    });
  }

  /// Adds the sums of all parts, which are 2 * dims.size apart.
  void addParts(const T *sums, T *out) const {
    const int64_t blocks = countParts(dims.size, kColumns);
    parallelFor(blocks, grainFor(parts * kColumns),
                [&](int64_t begin, int64_t end) {
                  for (int64_t block = begin; block < end; ++block) {
                    const int64_t first = block * kColumns,
                                  n = std::min(kColumns, dims.size - first);
                    double totals[kColumns] = {};
                    accumulate(totals, sums + first, n, parts, 2 * dims.size);
                    std::copy_n(totals, n, out + first);
                  }
                });
  }

  void computeInput(const BackwardLines<T> &lines, T *ofInput) const {
    parallelFor(dims.lines, grainFor(kWork * dims.size),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    computeLine(lines, i, ofInput);
                });
  }

  void computeColumns(const BackwardLines<T> &lines, T *ofScale,
                      T *ofOffset) const {
    parallelFor(dims.size, grainFor(kWork * dims.lines),
                [&](int64_t begin, int64_t end) {
                  std::fill(ofScale + begin, ofScale + end, T(0));
                  std::fill(ofOffset + begin, ofOffset + end, T(0));
                  for (int64_t i = 0; i < dims.lines; ++i)
                    addLine(lines, i, begin, end, ofScale, ofOffset);
                });
  }

  void computeLine(const BackwardLines<T> &lines, int64_t line,
                   T *ofInput) const {
    const int64_t at = line * dims.size;
    own.gradient(lines.gradient + at, lines.input + at, lines.scale,
                 lines[line], ofInput + at, dims.size);
  }

  /// Adds the columns of a line from `begin` to `end`.
  void addLine(const BackwardLines<T> &lines, int64_t line, int64_t begin,
               int64_t end, T *ofScale, T *ofOffset) const {
    const int64_t at = line * dims.size + begin;
    own.addGradients(lines.gradient + at, lines.input + at, lines[line],
                     ofScale + begin, ofOffset + begin, end - begin);
  }

  LineDims dims;
  DType dtype;
  LayerNormKernels own;
  AccumulateKernel accumulate;
  int64_t linesPerPart, parts;
};

template <template <typename> typename Op>
Prepared prepareFor(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  if (dtype == DType::f32)
    return std::make_unique<Op<float>>(signature);
  if (dtype == DType::f64)
    return std::make_unique<Op<double>>(signature);
  return nullptr;
}

} // namespace

Prepared eager::prepareLayerNorm(const Signature &signature) {
  return prepareFor<LayerNormOp>(signature);
}

Prepared eager::prepareLayerNormBackward(const Signature &signature) {
  return prepareFor<LayerNormBackwardOp>(signature);
}
