//===- Reduce.cpp - Reference: windows and reductions -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "CompensatedSum.h"
#include "Evaluate.h"
#include "Wide.h"
#include "tandem/Support/Strides.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace tandem;
using namespace tandem::reference;
using fb::ReduceKind;

/// What max (sign 1) or min (sign -1) of nothing is.
template <typename T> static T extremeOfNothing(DType dtype, int sign) {
  if constexpr (std::is_same_v<T, double>)
    return -sign * std::numeric_limits<double>::infinity();
  else
    return sign > 0 ? T(lowest(dtype)) : T(highest(dtype));
}

/// Whether `x` displaces `best` as the maximum; a NaN displaces all but a NaN.
template <typename T> static bool exceeds(T x, T best) {
  if constexpr (std::is_same_v<T, double>)
    if (std::isnan(x))
      return !std::isnan(best);
  return x > best;
}
/// The same for the minimum.
template <typename T> static bool undercuts(T x, T best) {
  if constexpr (std::is_same_v<T, double>)
    if (std::isnan(x))
      return !std::isnan(best);
  return x < best;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {
/// How the elements of an operand map to those of a reduction's result.
struct Reduction {
  /// Offset in the result: 0 along reduced dims.
  Strides result{};
  /// Position among the elements that share a result, in row-major order.
  Strides position{};
  int64_t count = 1;

  Reduction(const fb::ReduceAttrsT &attrs, const Shape &operand);
};
} // namespace

Reduction::Reduction(const fb::ReduceAttrsT &attrs, const Shape &operand) {
  bool reduced[kMaxRank] = {};
  for (int64_t dim : attrs.dims)
    reduced[dim] = true;
  int64_t kept = 1;
  for (int dim = operand.rank() - 1; dim >= 0; --dim) {
    int64_t &stride = reduced[dim] ? count : kept;
    (reduced[dim] ? position : result)[dim] = stride;
    stride *= operand[dim];
  }
}

/// Combines two values for prod, max or min.
template <typename T> static T combine(ReduceKind kind, T acc, T x) {
  if (kind == ReduceKind::max)
    return exceeds(x, acc) ? x : acc;
  if (kind == ReduceKind::min)
    return undercuts(x, acc) ? x : acc;
  // Integers wrap: arithmetic is on uint64_t.
  using U = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;
  return T(U(acc) * U(x));
}

template <typename T> static T identity(ReduceKind kind, DType dtype) {
  if (kind == ReduceKind::prod)
    return 1;
  return extremeOfNothing<T>(dtype, kind == ReduceKind::max ? 1 : -1);
}

/// The mean of nothing is NaN, or 0 for integers, whose mean truncates.
template <typename T> static T divideByCount(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>)
    return count == 0 ? 0 : sum / T(count);
  else
    return sum / static_cast<double>(count);
}

/// The first index of the largest element; a NaN wins.
template <typename T>
static void argmax(const Reduction &map, const Tensor &operand,
                   Tensor &result) {
  const std::vector<T> x = widen<T>(operand);
  const int64_t size = result.shape().numElements();
  std::vector<T> best(size);
  std::vector<int64_t> at(size);
  const Strides own = rowMajorStrides(operand.shape());
  for (StridedIndex<3> i(operand.shape(), {own, map.result, map.position});
       !i.done(); i.next()) {
    const T value = x[i.offset(0)];
    const int64_t to = i.offset(1);
    if (i.offset(2) == 0 || exceeds(value, best[to])) {
      best[to] = value;
      at[to] = i.offset(2);
    }
  }
  narrow(at, result);
}

template <typename T>
static void sum(bool isMean, const Reduction &map, const Tensor &operand,
                Tensor &result) {
  const std::vector<T> x = widen<T>(operand);
  std::vector<CompensatedSum<T>> sums(result.shape().numElements());
  const Strides own = rowMajorStrides(operand.shape());
  for (StridedIndex<2> i(operand.shape(), {own, map.result}); !i.done();
       i.next())
    sums[i.offset(1)].add(x[i.offset(0)]);
  std::vector<T> values;
  for (const CompensatedSum<T> &of : sums)
    values.push_back(isMean ? divideByCount(of.get(), map.count) : of.get());
  narrow(values, result);
}

/// prod, max and min.
template <typename T>
static void reduce(ReduceKind kind, const Reduction &map, const Tensor &operand,
                   Tensor &result) {
  const std::vector<T> x = widen<T>(operand);
  std::vector<T> values(result.shape().numElements(),
                        identity<T>(kind, operand.dtype()));
  const Strides own = rowMajorStrides(operand.shape());
  for (StridedIndex<2> i(operand.shape(), {own, map.result}); !i.done();
       i.next())
    values[i.offset(1)] = combine(kind, values[i.offset(1)], x[i.offset(0)]);
  narrow(values, result);
}

void reference::evaluateReduce(const OpDesc &op, Operands operands,
                               Tensor &result) {
  const auto &attrs = *op.attrs.AsReduceAttrs();
  const Reduction map(attrs, operands[0].shape());
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    if (attrs.kind == ReduceKind::argmax)
      argmax<T>(map, operands[0], result);
    else if (attrs.kind == ReduceKind::sum || attrs.kind == ReduceKind::mean)
      sum<T>(attrs.kind == ReduceKind::mean, map, operands[0], result);
    else
      reduce<T>(attrs.kind, map, operands[0], result);
  });
}

//===----------------------------------------------------------------------===//
// max_pool, avg_pool
//===----------------------------------------------------------------------===//

namespace {
/// One pooling window: max of the elements inside, or their sum and number.
template <typename T> struct Window {
  T max;
  CompensatedSum<T> sum = {};
  int64_t count = 0;
};
} // namespace

template <typename T>
static Window<T> poolWindow(const eager::SpatialPool &pool, const T *input,
                            const int64_t *at, DType dtype) {
  Window<T> window{extremeOfNothing<T>(dtype, 1)};
  for (int64_t d = 0; d < pool.window[0]; ++d)
    for (int64_t h = 0; h < pool.window[1]; ++h)
      for (int64_t w = 0; w < pool.window[2]; ++w) {
        const int64_t tap[3] = {d, h, w};
        const auto in = pool.inputOffset(at, tap);
        if (!in)
          continue;
        const T x = input[*in];
        window.max = combine(ReduceKind::max, window.max, x);
        window.sum.add(x);
        ++window.count;
      }
  return window;
}

void reference::evaluatePool(const OpDesc &op, Operands operands,
                             Tensor &result) {
  const auto &attrs = *op.attrs.AsPoolAttrs();
  const auto pool =
      eager::SpatialPool::of(attrs, operands[0].shape(), result.shape());
  const int64_t whole = pool.window[0] * pool.window[1] * pool.window[2];
  withWideType(result.dtype(), [&]<typename T>(T) {
    const std::vector<T> x = widen<T>(operands[0]);
    std::vector<T> values(result.shape().numElements());
    const Shape walk{pool.batch, pool.channels, pool.output[0], pool.output[1],
                     pool.output[2]};
    for (StridedIndex<2> i(walk, {pool.in.planes(), pool.out.planes()});
         !i.done(); i.next()) {
      const int64_t at[3] = {i[2], i[3], i[4]};
      const Window<T> window =
          poolWindow(pool, x.data() + i.offset(0), at, result.dtype());
      values[i.offset(1) + pool.out.offset(at)] =
          op.kind == OpKind::max_pool
              ? window.max
              : divideByCount(window.sum.get(),
                              attrs.count_include_pad ? whole : window.count);
    }
    narrow(values, result);
  });
}

//===----------------------------------------------------------------------===//
// batch_norm, softmax, softmax_backward
//===----------------------------------------------------------------------===//

/// Operands: input, scale, offset, mean, variance.
void reference::evaluateBatchNorm(const OpDesc &op, Operands operands,
                                  Tensor &result) {
  const auto &attrs = *op.attrs.AsBatchNormAttrs();
  const Shape &shape = result.shape();
  std::vector<double> values = widen<double>(operands[0]);
  const std::vector<double> scale = widen<double>(operands[1]),
                            offset = widen<double>(operands[2]),
                            mean = widen<double>(operands[3]),
                            variance = widen<double>(operands[4]);
  const Strides own = rowMajorStrides(shape);
  for (StridedIndex<1> i(shape, {own}); !i.done(); i.next()) {
    double &x = values[i.offset(0)];
    const int64_t c = i[attrs.axis];
    x = (x - mean[c]) / std::sqrt(variance[c] + attrs.epsilon) * scale[c] +
        offset[c];
  }
  narrow(values, result);
}

/// exp(x - max) / sum of the same along one line.
static void softmaxLine(double *line, int64_t size, int64_t stride) {
  double max = -std::numeric_limits<double>::infinity();
  CompensatedSum<double> sum;
  for (int64_t i = 0; i < size; ++i)
    max = combine(ReduceKind::max, max, line[i * stride]);
  for (int64_t i = 0; i < size; ++i)
    sum.add(line[i * stride] = std::exp(line[i * stride] - max));
  for (int64_t i = 0; i < size; ++i)
    line[i * stride] /= sum.get();
}

void reference::evaluateSoftmax(const OpDesc &op, Operands operands,
                                Tensor &result) {
  const int axis = op.attrs.AsAxisAttrs()->axis;
  std::vector<double> values = widen<double>(operands[0]);
  const Strides own = rowMajorStrides(result.shape());
  Shape lines = result.shape();
  const int64_t size = lines[axis];
  lines[axis] = size == 0 ? 0 : 1;
  for (StridedIndex<1> i(lines, {own}); !i.done(); i.next())
    softmaxLine(&values[i.offset(0)], size, own[axis]);
  narrow(values, result);
}

/// Operands: the result of the softmax, and its gradient.
void reference::evaluateSoftmaxBackward(const OpDesc &op, Operands operands,
                                        Tensor &result) {
  const int axis = static_cast<int>(op.attrs.AsAxisAttrs()->axis);
  std::vector<double> values = widen<double>(operands[0]);
  const std::vector<double> gradient = widen<double>(operands[1]);
  const Strides own = rowMajorStrides(result.shape());
  Shape lines = result.shape();
  const int64_t size = lines[axis], stride = own[axis];
  lines[axis] = size == 0 ? 0 : 1;
  for (StridedIndex<1> line(lines, {own}); !line.done(); line.next()) {
    const int64_t first = line.offset(0), end = first + size * stride;
    CompensatedSum<double> sum;
    for (int64_t i = first; i < end; i += stride)
      sum.add(values[i] * gradient[i]);
    for (int64_t i = first; i < end; i += stride)
      values[i] *= gradient[i] - sum.get();
  }
  narrow(values, result);
}
