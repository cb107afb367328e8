//===- MaxPool.cpp - Maxima of windows --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectorized over channels where they are contiguous; over the innermost
// spatial dim where that is. A NaN in a window comes through.
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <cstring>
#include <limits>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// Pools with a row of channels at each position.
class ChannelsLastOp final : public PreparedOp {
public:
  ChannelsLastOp(const SpatialPool &pool, DType dtype)
      : pool(pool), width(byteWidth(dtype)), max(kernels().maxOfRows(dtype)) {}

  /// A window within the padding has no maximum to start from.
  static bool applies(const SpatialPool &pool) {
    if (pool.in.channel != 1 || pool.out.channel != 1)
      return false;
    for (int i = 0; i < 3; ++i)
      for (int64_t at = 0; at < pool.output[i]; ++at)
        if (const auto [first, last] = pool.insideTaps(i, at); first >= last)
          return false;
    return true;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const Shape walk{pool.batch, pool.output[0], pool.output[1]};
    const int64_t work = pool.output[2] * pool.channels * pool.window[0] *
                         pool.window[1] * pool.window[2];
    parallelFor(walk.numElements(), grainFor(work),
                [&](int64_t begin, int64_t end) {
                  StridedIndex<0> at(walk, {});
                  at.advance(begin);
                  for (int64_t i = begin; i < end; ++i, at.next())
                    runLine(operands[0].as<char>(), results[0].as<char>(),
                            at[0], {at[1], at[2], 0});
                });
    return {};
  }

private:
  void runLine(const char *in, char *out, int64_t batch, Spatial3 at) const {
    std::vector<const void *> rows(pool.window[0] * pool.window[1] *
                                   pool.window[2]);
    for (; at[2] < pool.output[2]; ++at[2]) {
      const int64_t count =
          findRows(in + batch * pool.in.batch * width, at, rows.data());
      max(rows.data(), count,
          out + (batch * pool.out.batch + pool.out.offset(at.data())) * width,
          pool.channels);
    }
  }

  /// The rows of channels under a window; how many there are.
  int64_t findRows(const char *in, const Spatial3 &at,
                   const void **rows) const {
    const auto [d0, d1] = pool.insideTaps(0, at[0]);
    const auto [h0, h1] = pool.insideTaps(1, at[1]);
    const auto [w0, w1] = pool.insideTaps(2, at[2]);
    int64_t count = 0;
    for (int64_t d = d0; d < d1; ++d)
      for (int64_t h = h0; h < h1; ++h)
        for (int64_t w = w0; w < w1; ++w) {
          const int64_t tap[3] = {d, h, w};
          rows[count++] = in + *pool.inputOffset(at.data(), tap) * width;
        }
    return count;
  }

  SpatialPool pool;
  int64_t width;
  MaxOfRowsKernel max;
};

/// Pools with W innermost: the maximum down the window first, as a padded row,
/// then along it.
class ChannelsFirstOp final : public PreparedOp {
public:
  ChannelsFirstOp(const SpatialPool &pool, DType dtype, Tensor lowest)
      : pool(pool), width(byteWidth(dtype)), lowest(std::move(lowest)),
        max(kernels().accumulate(ReduceKind::max, dtype)),
        along(kernels().windowMax(dtype)) {}

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
          std::vector<uint64_t> buffer(padded());
          char *row = reinterpret_cast<char *>(buffer.data());
          fill(row);
          StridedIndex<2> at(walk, {pool.in.planes(), pool.out.planes()});
          at.advance(begin);
          for (int64_t i = begin; i < end; ++i, at.next())
            runRow(operands[0].as<char>() + at.offset(0) * width,
                   results[0].as<char>() + at.offset(1) * width,
                   {at[2], at[3], 0}, row);
        });
    return {};
  }

private:
  int64_t padded() const {
    return pool.padLow[2] + pool.in.size[2] + pool.padHigh[2];
  }

  void fill(char *row) const {
    for (int64_t i = 0; i < padded(); ++i)
      std::memcpy(row + i * width, lowest.data(), width);
  }

  void runRow(const char *in, char *out, const Spatial3 &at, char *row) const {
    char *middle = row + pool.padLow[2] * width;
    const auto [d0, d1] = pool.insideTaps(0, at[0]);
    const auto [h0, h1] = pool.insideTaps(1, at[1]);
    if (d0 >= d1 || h0 >= h1)
      fill(row);
    bool isFirst = true;
    for (int64_t d = d0; d < d1; ++d)
      for (int64_t h = h0; h < h1; ++h) {
        const char *line = in + pool.rowOffset(at.data(), d, h) * width;
        if (isFirst)
          std::memcpy(middle, line, pool.in.size[2] * width);
        else
          max(middle, line, pool.in.size[2], 1, 0);
        isFirst = false;
      }
    along(row, out + pool.out.offset(at.data()) * width, pool.output[2],
          pool.window[2], pool.strides[2], pool.dilations[2]);
  }

  SpatialPool pool;
  int64_t width;
  Tensor lowest;
  AccumulateKernel max;
  WindowMaxKernel along;
};

} // namespace

/// The maximum of nothing, as one element.
static Expected<Tensor> lowestOf(DType dtype) {
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate({dtype, {}}));
  withStorage(dtype, [&]<typename T>(T) {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_specialized)
      *tensor.as<T>() =
          Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  });
  return tensor;
}

Prepared eager::prepareMaxPool(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  const SpatialPool pool =
      SpatialPool::of(*signature.op.attrs.AsPoolAttrs(),
                      signature.operands[0].shape, signature.result().shape);
  if (!kernels().windowMax(dtype))
    return nullptr;
  if (ChannelsLastOp::applies(pool))
    return std::make_unique<ChannelsLastOp>(pool, dtype);
  Expected<Tensor> lowest = lowestOf(dtype);
  if (!lowest || !ChannelsFirstOp::applies(pool))
    return nullptr;
  return std::make_unique<ChannelsFirstOp>(pool, dtype, std::move(*lowest));
}
