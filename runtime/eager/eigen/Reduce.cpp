//===- Reduce.cpp - Reductions over any dims --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After merging dims, the innermost is reduced or kept. Reduced: rows are
// reduced to elements, and those combined. Kept: rows are accumulated into a
// row.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// The operand's dims in merged form, reduced and kept ones apart.
struct Reduction {
  Shape kept, reduced;
  /// Strides in the operand, in bytes.
  Strides keptStrides{}, reducedStrides{};
  /// The innermost dim; not in the shapes above.
  int64_t inner = 1;
  bool innerReduced = true;
  int64_t width, count = 1;

  Reduction(const TensorType &operand, const std::vector<int64_t> &dims);
};

Reduction::Reduction(const TensorType &operand,
                     const std::vector<int64_t> &dims)
    : width(byteWidth(operand.dtype)) {
  // A second set of strides, those of the result, keeps reduced dims from being
  // merged with kept ones.
  Shape shape = operand.shape, result = shape;
  for (int64_t dim : dims) {
    result[dim] = 1;
    count *= shape[dim];
  }
  std::array<Strides, 2> strides{rowMajorStrides(shape),
                                 rowMajorStrides(result)};
  for (int64_t dim : dims)
    strides[1][dim] = 0;
  mergeDims(shape, strides);
  const int last = shape.rank() - 1;
  for (int dim = 0; dim <= last; ++dim) {
    const bool isReduced = strides[1][dim] == 0;
    if (dim == last) {
      inner = shape[dim];
      innerReduced = isReduced;
      break;
    }
    Shape &to = isReduced ? reduced : kept;
    (isReduced ? reducedStrides : keptStrides)[to.rank()] =
        strides[0][dim] * width;
    to.push_back(shape[dim]);
  }
}

/// Elements of a type no wider than 8 bytes.
using Element = uint64_t;

class ReduceOp final : public PreparedOp {
public:
  /// `accumulateSum` is null unless many floats are summed. It adds rows in
  /// double, because rounding errors of equal sign would add up.
  ReduceOp(const Reduction &map, RowReduceKernel row, AccumulateKernel add,
           AccumulateKernel accumulateSum, fb::ReduceKind kind)
      : map(map), row(row), accumulate(add), accumulateSum(accumulateSum),
        isMean(kind == fb::ReduceKind::mean),
        isSum(isMean || kind == fb::ReduceKind::sum) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    char *out = results[0].as<char>();
    const int64_t rows = map.kept.numElements();
    if (!map.innerReduced)
      reduceColumns(in, out);
    else if (rows == 1 && map.reduced.numElements() == 1)
      reduceWhole(in, out);
    else
      reduceRows(in, out);
    if (isMean)
      map.width == 4 ? divide<float>(results[0]) : divide<double>(results[0]);
    return {};
  }

private:
  /// One row: parts of fixed size, so that the result does not depend on the
  /// number of threads.
  void reduceWhole(const char *in, char *out) const {
    const int64_t parts = countParts(map.inner, kGrain);
    if (parts == 1)
      return row(in, out, map.inner);
    std::vector<Element> partial(parts);
    char *to = reinterpret_cast<char *>(partial.data());
    parallelFor(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        row(in + part * kGrain * map.width, to + part * map.width,
            std::min(kGrain, map.inner - part * kGrain));
    });
    row(to, out, parts);
  }

  void reduceRows(const char *in, char *out) const {
    parallelFor(map.kept.numElements(), grainFor(map.count),
                [&](int64_t begin, int64_t end) {
                  StridedIndex<1> kept(map.kept, {map.keptStrides});
                  kept.advance(begin);
                  for (int64_t i = begin; i < end; ++i, kept.next()) {
                    StridedIndex<1> at(map.reduced, {map.reducedStrides},
                                       {kept.offset(0)});
                    combineRows(in, at, out + i * map.width);
                  }
                });
  }

  void combineRows(const char *in, StridedIndex<1> &at, char *to) const {
    row(in + at.offset(0), to, map.inner);
    double sum = accumulateSum ? toDouble(to) : 0;
    for (at.next(); !at.done(); at.next()) {
      Element element;
      row(in + at.offset(0), &element, map.inner);
      if (accumulateSum)
        sum += toDouble(&element);
      else
        accumulate(to, &element, 1, 1, 0);
    }
    if (accumulateSum)
      narrow(&sum, to, 1);
  }

  double toDouble(const void *element) const {
    return map.width == 4 ? *static_cast<const float *>(element)
                          : *static_cast<const double *>(element);
  }

  /// Rounds sums to the result's type.
  void narrow(const double *sums, void *to, int64_t n) const {
    if (map.width == 4)
      std::copy_n(sums, n, static_cast<float *>(to));
    else
      std::copy_n(sums, n, static_cast<double *>(to));
  }

  /// Columns at a time, which stay in the first-level cache.
  static constexpr int64_t kColumns = 1024;

  void reduceColumns(const char *in, char *out) const {
    const int64_t across = countParts(map.inner, kColumns);
    parallelFor(map.kept.numElements() * across,
                grainFor(std::min(kColumns, map.inner) * map.count),
                [&](int64_t begin, int64_t end) {
                  for (int64_t task = begin; task < end; ++task) {
                    StridedIndex<1> kept(map.kept, {map.keptStrides});
                    kept.advance(task / across);
                    const int64_t column = task % across * kColumns;
                    const int64_t size = std::min(kColumns, map.inner - column);
                    char *to =
                        out + (task / across * map.inner + column) * map.width;
                    const char *from = in + kept.offset(0) + column * map.width;
                    if (accumulateSum)
                      sumRun(from, to, size);
                    else
                      reduceRun(from, to, size);
                  }
                });
  }

  /// The rows along the innermost reduced dim go to the kernel at once.
  void reduceRun(const char *in, char *to, int64_t size) const {
    const int last = map.reduced.rank() - 1;
    const int64_t rows = last < 0 ? 1 : map.reduced[last];
    const int64_t stride = last < 0 ? 0 : map.reducedStrides[last] / map.width;
    // Sums begin at 0, so that those of -0.0 are 0; all else at the first row.
    const int64_t first = isSum ? 0 : 1;
    if (isSum)
      std::memset(to, 0, size * map.width);
    else
      std::memcpy(to, in, size * map.width);
    accumulate(to, in + first * stride * map.width, size, rows - first, stride);
    if (last < 0)
      return;
    StridedIndex<1> at(Shape(map.reduced.span().first(last)),
                       {map.reducedStrides});
    for (at.next(); !at.done(); at.next())
      accumulate(to, in + at.offset(0), size, rows, stride);
  }

  /// reduceRun for sums of floats.
  void sumRun(const char *in, char *to, int64_t size) const {
    double sums[kColumns] = {};
    const int last = map.reduced.rank() - 1;
    const int64_t rows = last < 0 ? 1 : map.reduced[last];
    const int64_t stride = last < 0 ? 0 : map.reducedStrides[last] / map.width;
    StridedIndex<1> at(Shape(map.reduced.span().first(std::max(last, 0))),
                       {map.reducedStrides});
    for (; !at.done(); at.next())
      accumulateSum(sums, in + at.offset(0), size, rows, stride);
    narrow(sums, to, size);
  }

  template <typename T> void divide(Tensor &result) const {
    const int64_t size = result.shape().numElements();
    for (T *x = result.as<T>(), *end = x + size; x != end; ++x)
      *x /= static_cast<T>(map.count);
  }

  Reduction map;
  RowReduceKernel row;
  AccumulateKernel accumulate, accumulateSum;
  bool isMean, isSum;
};

/// Argmax along one dim: lines of `size` elements, `inner` apart.
class ArgmaxOp final : public PreparedOp {
public:
  ArgmaxOp(const TensorType &operand, int64_t dim)
      : outer(Shape(operand.shape.span().first(dim)).numElements()),
        size(operand.shape[dim]),
        inner(Shape(operand.shape.span().subspan(dim + 1)).numElements()),
        width(byteWidth(operand.dtype)), row(kernels().argmax(operand.dtype)),
        columns(kernels().argmaxAccumulate(operand.dtype)) {}

  bool hasKernels() const { return row && columns; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    int64_t *out = results[0].as<int64_t>();
    if (inner == 1)
      parallelFor(outer, grainFor(size), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          out[i] = row(in + i * size * width, size);
      });
    else
      runColumns(in, out);
    return {};
  }

private:
  static constexpr int64_t kRun = 512;

  void runColumns(const char *in, int64_t *out) const {
    const int64_t across = countParts(inner, kRun);
    parallelFor(outer * across, grainFor(size * std::min(inner, kRun)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t task = begin; task < end; ++task)
                    runTask(in, out, task / across, task % across * kRun);
                });
  }

  void runTask(const char *in, int64_t *out, int64_t line,
               int64_t column) const {
    Element best[kRun];
    const int64_t n = std::min(kRun, inner - column);
    const char *from = in + (line * size * inner + column) * width;
    int64_t *to = out + line * inner + column;
    std::memcpy(best, from, n * width);
    std::fill_n(to, n, 0);
    for (int64_t i = 1; i < size; ++i)
      columns(best, to, from + i * inner * width, i, n);
  }

  int64_t outer, size, inner, width;
  ArgmaxKernel row;
  ArgmaxAccumulateKernel columns;
};

} // namespace

Prepared eager::prepareReduce(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsReduceAttrs();
  const TensorType &operand = signature.operands[0];
  // The result is not empty, so a reduction of nothing is left to others.
  if (operand.shape.numElements() == 0)
    return nullptr;
  if (attrs.kind == ReduceKind::argmax) {
    auto op = std::make_unique<ArgmaxOp>(operand, attrs.dims[0]);
    return op->hasKernels() ? std::move(op) : nullptr;
  }
  const RowReduceKernel row = kernels().reduceRow(attrs.kind, operand.dtype);
  const AccumulateKernel accumulate =
      kernels().accumulate(attrs.kind, operand.dtype);
  if (!row || !accumulate)
    return nullptr;
  const Reduction reduction(operand, attrs.dims);
  const bool isSum =
      attrs.kind == ReduceKind::mean || attrs.kind == ReduceKind::sum;
  return std::make_unique<ReduceOp>(reduction, row, accumulate,
                                    isSum && reduction.count > kSumBlock
                                        ? kernels().accumulateSum(operand.dtype)
                                        : nullptr,
                                    attrs.kind);
}
