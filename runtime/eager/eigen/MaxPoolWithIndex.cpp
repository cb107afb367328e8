//===- MaxPoolWithIndex.cpp - Maxima of windows and their taps --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are those of MaxPool.cpp with indices: they work along the
// channels if these are contiguous. Otherwise they work along the innermost
// spatial dim, and find the maxima first down the window and then along it.
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

int64_t countTaps(const SpatialPool &pool) {
  return pool.window[0] * pool.window[1] * pool.window[2];
}

/// T is float or double.
template <typename T> class IndexedChannelsOp final : public PreparedOp {
public:
  IndexedChannelsOp(const SpatialPool &pool, const PoolKernels &kernels)
      : pool(pool), kernels(kernels) {}

  static bool applies(const SpatialPool &pool) {
    return pool.in.channel == 1 && pool.out.channel == 1;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const Shape walk{pool.batch, pool.output[0], pool.output[1]};
    const int64_t work = pool.output[2] * pool.channels * countTaps(pool);
    parallelFor(walk.numElements(), grainFor(work),
                [&](int64_t begin, int64_t end) {
                  StridedIndex<0> at(walk, {});
                  at.advance(begin);
                  for (int64_t i = begin; i < end; ++i, at.next())
                    runLine(operands[0].as<T>() + at[0] * pool.in.batch,
                            results, at[0], {at[1], at[2], 0});
                });
    return {};
  }

private:
  void runLine(const T *in, std::span<Tensor> results, int64_t batch,
               Spatial3 at) const {
    std::vector<const void *> rows(countTaps(pool));
    std::vector<uint8_t> taps(rows.size());
    for (; at[2] < pool.output[2]; ++at[2]) {
      const int64_t to = batch * pool.out.batch + pool.out.offset(at.data());
      T *values = results[0].as<T>() + to;
      auto *index = results[1].as<uint8_t>() + to;
      const int64_t count = findRows(in, at, rows.data(), taps.data());
      if (count != 0) {
        kernels.maxRows(rows.data(), taps.data(), count, values, index,
                        pool.channels);
        continue;
      }
      std::fill_n(values, pool.channels, -std::numeric_limits<T>::infinity());
      std::fill_n(index, pool.channels, uint8_t(0));
    }
  }

  /// The rows of channels under a window and their taps; how many there are.
  int64_t findRows(const T *in, const Spatial3 &at, const void **rows,
                   uint8_t *taps) const {
    const auto [d0, d1] = pool.insideTaps(0, at[0]);
    const auto [h0, h1] = pool.insideTaps(1, at[1]);
    const auto [w0, w1] = pool.insideTaps(2, at[2]);
    int64_t count = 0;
    for (int64_t d = d0; d < d1; ++d)
      for (int64_t h = h0; h < h1; ++h)
        for (int64_t w = w0; w < w1; ++w) {
          const int64_t tap[3] = {d, h, w};
          taps[count] = uint8_t((d * pool.window[1] + h) * pool.window[2] + w);
          rows[count++] = in + *pool.inputOffset(at.data(), tap);
        }
    return count;
  }

  SpatialPool pool;
  const PoolKernels &kernels;
};

template <typename T> class IndexedRowsOp final : public PreparedOp {
public:
  IndexedRowsOp(const SpatialPool &pool, const PoolKernels &kernels)
      : pool(pool), kernels(kernels) {}

  static bool applies(const SpatialPool &pool) {
    return pool.in.stride[2] == 1 && pool.out.stride[2] == 1;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const Shape walk{pool.batch, pool.channels, pool.output[0], pool.output[1]};
    const int64_t work = pool.in.size[2] * pool.window[0] * pool.window[1] +
                         pool.output[2] * pool.window[2];
    parallelFor(
        walk.numElements(), grainFor(work), [&](int64_t begin, int64_t end) {
          Buffers buffers(pool);
          kernels.fillTaps(buffers.taps.data(), kNoTap,
                           static_cast<int64_t>(buffers.best.size()));
          StridedIndex<2> at(walk, {pool.in.planes(), pool.out.planes()});
          at.advance(begin);
          for (int64_t i = begin; i < end; ++i, at.next())
            runRow(operands[0].as<T>() + at.offset(0), results, at.offset(1),
                   {at[2], at[3], 0}, buffers);
        });
    return {};
  }

private:
  /// A padded row: the largest elements down the window, and their taps.
  struct Buffers {
    explicit Buffers(const SpatialPool &pool)
        : best(pool.padLow[2] + pool.in.size[2] + pool.padHigh[2],
               -std::numeric_limits<T>::infinity()),
          taps(best.size() * sizeof(T)), chosen(pool.output[2] * sizeof(T)) {}
    std::vector<T> best;
    /// Integers as wide as T.
    std::vector<std::byte> taps, chosen;
  };

  void runRow(const T *in, std::span<Tensor> results, int64_t plane,
              const Spatial3 &at, Buffers &buffers) const {
    const int64_t size = pool.in.size[2];
    T *best = buffers.best.data() + pool.padLow[2];
    std::byte *taps = buffers.taps.data() + pool.padLow[2] * sizeof(T);
    const auto [d0, d1] = pool.insideTaps(0, at[0]);
    const auto [h0, h1] = pool.insideTaps(1, at[1]);
    std::fill_n(best, size, -std::numeric_limits<T>::infinity());
    kernels.fillTaps(taps, kNoTap, size);
    bool isFirst = true;
    for (int64_t d = d0; d < d1; ++d)
      for (int64_t h = h0; h < h1; ++h) {
        const T *line = in + pool.rowOffset(at.data(), d, h);
        const int64_t tap = (d * pool.window[1] + h) * pool.window[2];
        if (isFirst) {
          std::copy_n(line, size, best);
          kernels.fillTaps(taps, tap, size);
        } else {
          kernels.maxDown(best, taps, line, tap, size);
        }
        isFirst = false;
      }
    const int64_t to = plane + pool.out.offset(at.data());
    kernels.maxAlong(buffers.best.data(), buffers.taps.data(),
                     results[0].as<T>() + to, buffers.chosen.data(),
                     results[1].as<uint8_t>() + to, pool.output[2],
                     pool.window[2], pool.strides[2], pool.dilations[2]);
  }

  SpatialPool pool;
  const PoolKernels &kernels;
};

template <typename T>
Prepared prepareIndexed(const SpatialPool &pool, const PoolKernels &kernels) {
  if (IndexedChannelsOp<T>::applies(pool))
    return std::make_unique<IndexedChannelsOp<T>>(pool, kernels);
  if (IndexedRowsOp<T>::applies(pool))
    return std::make_unique<IndexedRowsOp<T>>(pool, kernels);
  return nullptr;
}

} // namespace

Prepared eager::prepareMaxPoolWithIndex(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  const PoolKernels *found = kernels().pool(dtype);
  if (!found)
    return nullptr;
  const SpatialPool pool =
      SpatialPool::of(*signature.op.attrs.AsPoolAttrs(),
                      signature.operands[0].shape, signature.result().shape);
  return dtype == DType::f32 ? prepareIndexed<float>(pool, *found)
                             : prepareIndexed<double>(pool, *found);
}
