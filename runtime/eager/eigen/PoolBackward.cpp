//===- PoolBackward.cpp - Gradients of pools --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of the result gathers the gradients of the windows that it lies
// in. Nothing is scattered, so that threads share the rows of the result, and
// the terms of a sum have one order.
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// A window that an element lies in, along one dim, and the tap that it is
/// under.
struct Meeting {
  int64_t window, tap;
};

/// The pool whose gradient is computed: `in` is the result of the op, and `out`
/// its operand.
struct GradientGeometry {
  explicit GradientGeometry(const Signature &signature);

  int64_t number(int64_t d, int64_t h, int64_t w) const {
    return (d * pool.window[1] + h) * pool.window[2] + w;
  }
  int64_t taps() const {
    return pool.window[0] * pool.window[1] * pool.window[2];
  }
  /// The number by which the gradient of a window is divided.
  int64_t divisor(int64_t d, int64_t h, int64_t w) const {
    return countsPadding ? taps() : sizes[0][d] * sizes[1][h] * sizes[2][w];
  }

  SpatialPool pool;
  bool isMax, countsPadding;
  /// By spatial dim and position in the result.
  std::vector<std::vector<Meeting>> meetings[3];
  /// By spatial dim and window: the number of its elements along the dim.
  std::vector<int64_t> sizes[3];
};

GradientGeometry::GradientGeometry(const Signature &signature)
    : pool(SpatialPool::of(*signature.op.attrs.AsPoolAttrs(),
                           signature.result().shape,
                           signature.operands[0].shape)),
      isMax(signature.op.kind == OpKind::max_pool_backward),
      countsPadding(signature.op.attrs.AsPoolAttrs()->count_include_pad) {
  for (int i = 0; i < 3; ++i) {
    meetings[i].resize(pool.in.size[i]);
    for (int64_t window = 0; window < pool.output[i]; ++window) {
      const auto [first, last] = pool.insideTaps(i, window);
      sizes[i].push_back(std::max<int64_t>(last - first, 0));
      for (int64_t tap = first; tap < last; ++tap)
        meetings[i][window * pool.strides[i] + tap * pool.dilations[i] -
                    pool.padLow[i]]
            .push_back({window, tap});
    }
  }
}

/// Rows of channels.
template <typename T> class GradientChannelsOp final : public PreparedOp {
public:
  GradientChannelsOp(GradientGeometry geometry, const PoolKernels &kernels)
      : geometry(std::move(geometry)), kernels(kernels) {}

  static bool applies(const SpatialPool &pool) {
    return pool.in.channel == 1 && pool.out.channel == 1;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const SpatialPool &pool = geometry.pool;
    const Shape walk{pool.batch, pool.in.size[0], pool.in.size[1]};
    const int64_t work = 2 * pool.in.size[2] * pool.channels;
    parallelFor(walk.numElements(), grainFor(work),
                [&](int64_t begin, int64_t end) {
                  Rows rows;
                  StridedIndex<0> at(walk, {});
                  at.advance(begin);
                  for (int64_t i = begin; i < end; ++i, at.next())
                    runLine(operands, results[0].as<T>(), at[0],
                            {at[1], at[2], 0}, rows);
                });
    return {};
  }

private:
  /// The rows of the gradient that reach one position.
  struct Rows {
    std::vector<const void *> gradients;
    std::vector<const uint8_t *> index;
    std::vector<uint8_t> taps;
    std::vector<double> factors;

    void clear() {
      gradients.clear();
      index.clear();
      taps.clear();
      factors.clear();
    }
  };

  void runLine(std::span<const Tensor> operands, T *out, int64_t batch,
               Spatial3 at, Rows &rows) const {
    const SpatialPool &pool = geometry.pool;
    for (; at[2] < pool.in.size[2]; ++at[2]) {
      findRows(operands, batch * pool.out.batch, at, rows);
      T *to = out + batch * pool.in.batch + pool.in.offset(at.data());
      const auto count = static_cast<int64_t>(rows.gradients.size());
      if (geometry.isMax)
        kernels.sumChosenRows(rows.gradients.data(), rows.index.data(),
                              rows.taps.data(), count, to, pool.channels);
      else
        kernels.sumScaledRows(rows.gradients.data(), rows.factors.data(), count,
                              to, pool.channels);
    }
  }

  void findRows(std::span<const Tensor> operands, int64_t image,
                const Spatial3 &at, Rows &rows) const {
    rows.clear();
    for (const Meeting &d : geometry.meetings[0][at[0]])
      for (const Meeting &h : geometry.meetings[1][at[1]])
        for (const Meeting &w : geometry.meetings[2][at[2]])
          add(operands, image, d, h, w, rows);
  }

  void add(std::span<const Tensor> operands, int64_t image, const Meeting &d,
           const Meeting &h, const Meeting &w, Rows &rows) const {
    const Spatial3 window = {d.window, h.window, w.window};
    const int64_t from = image + geometry.pool.out.offset(window.data());
    rows.gradients.push_back(operands[0].as<T>() + from);
    if (!geometry.isMax) {
      rows.factors.push_back(1 / static_cast<double>(geometry.divisor(
                                     d.window, h.window, w.window)));
      return;
    }
    rows.index.push_back(operands[1].as<uint8_t>() + from);
    rows.taps.push_back(uint8_t(geometry.number(d.tap, h.tap, w.tap)));
  }

  GradientGeometry geometry;
  const PoolKernels &kernels;
};

/// Rows of positions. With a stride of s, the elements of a row are s phases:
/// of each, a tap reaches contiguous elements.
template <typename T> class GradientRowsOp final : public PreparedOp {
public:
  GradientRowsOp(GradientGeometry geometry, const PoolKernels &kernels)
      : geometry(std::move(geometry)), kernels(kernels) {}

  static bool applies(const SpatialPool &pool) {
    return pool.in.stride[2] == 1 && pool.out.stride[2] == 1;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const SpatialPool &pool = geometry.pool;
    const Shape walk{pool.batch, pool.channels, pool.in.size[0],
                     pool.in.size[1]};
    parallelFor(
        walk.numElements(), grainFor(2 * pool.in.size[2]),
        [&](int64_t begin, int64_t end) {
          Buffers buffers(phaseSize() * pool.strides[2], pool.output[2]);
          StridedIndex<2> at(walk, {pool.out.planes(), pool.in.planes()});
          at.advance(begin);
          for (int64_t i = begin; i < end; ++i, at.next())
            runRow(operands, at.offset(0), results[0].as<T>() + at.offset(1),
                   {at[2], at[3], 0}, buffers);
        });
    return {};
  }

private:
  struct Buffers {
    Buffers(int64_t phases, int64_t windows)
        : phases(phases), factors(windows) {}
    std::vector<T> phases, factors;
    /// The number of elements of a window along the other dims for which the
    /// factors have been computed.
    int64_t elements = -1;
  };

  int64_t phaseSize() const {
    return countParts(geometry.pool.in.size[2], geometry.pool.strides[2]);
  }

  void runRow(std::span<const Tensor> operands, int64_t plane, T *out,
              const Spatial3 &at, Buffers &buffers) const {
    const SpatialPool &pool = geometry.pool;
    std::fill(buffers.phases.begin(), buffers.phases.end(), T(0));
    for (const Meeting &d : geometry.meetings[0][at[0]])
      for (const Meeting &h : geometry.meetings[1][at[1]]) {
        if (!geometry.isMax)
          setFactors(d.window, h.window, buffers);
        const Spatial3 window = {d.window, h.window, 0};
        for (int64_t tap = 0; tap < pool.window[2]; ++tap)
          addTap(operands, plane + pool.out.offset(window.data()),
                 geometry.number(d.tap, h.tap, tap), tap, buffers);
      }
    kernels.interleave(buffers.phases.data(), phaseSize(), pool.strides[2],
                       out + pool.in.offset(at.data()), pool.in.size[2]);
  }

  /// Sets the factors of a row of windows. Most rows have the same ones.
  void setFactors(int64_t d, int64_t h, Buffers &buffers) const {
    const int64_t elements = geometry.sizes[0][d] * geometry.sizes[1][h];
    if (buffers.elements == elements)
      return;
    buffers.elements = elements;
    for (size_t w = 0; w < buffers.factors.size(); ++w)
      buffers.factors[w] = T(1) / static_cast<T>(geometry.divisor(d, h, w));
  }

  /// Adds the gradients of a row of windows to the elements under a tap. Those
  /// of window w are at w * stride + start, which is element w + shift of one
  /// phase.
  void addTap(std::span<const Tensor> operands, int64_t row, int64_t number,
              int64_t tap, Buffers &buffers) const {
    const SpatialPool &pool = geometry.pool;
    const int64_t stride = pool.strides[2];
    const int64_t start = tap * pool.dilations[2] - pool.padLow[2];
    const int64_t phase = (start % stride + stride) % stride,
                  shift = (start - phase) / stride;
    const int64_t first = std::max<int64_t>(0, -shift);
    const int64_t last = std::min(
        pool.output[2], countParts(pool.in.size[2] - phase, stride) - shift);
    if (first >= last)
      return;
    T *to = buffers.phases.data() + phase * phaseSize() + first + shift;
    const T *from = operands[0].as<T>() + row + first;
    if (geometry.isMax)
      kernels.addChosen(to, from, operands[1].as<uint8_t>() + row + first,
                        uint8_t(number), last - first);
    else
      kernels.addScaled(to, from, buffers.factors.data() + first, last - first);
  }

  GradientGeometry geometry;
  const PoolKernels &kernels;
};

template <typename T>
Prepared prepareGradient(GradientGeometry geometry,
                         const PoolKernels &kernels) {
  if (GradientChannelsOp<T>::applies(geometry.pool))
    return std::make_unique<GradientChannelsOp<T>>(std::move(geometry),
                                                   kernels);
  if (GradientRowsOp<T>::applies(geometry.pool))
    return std::make_unique<GradientRowsOp<T>>(std::move(geometry), kernels);
  return nullptr;
}

} // namespace

Prepared eager::preparePoolBackward(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  const PoolKernels *found = kernels().pool(dtype);
  if (!found)
    return nullptr;
  GradientGeometry geometry(signature);
  return dtype == DType::f32
             ? prepareGradient<float>(std::move(geometry), *found)
             : prepareGradient<double>(std::move(geometry), *found);
}
