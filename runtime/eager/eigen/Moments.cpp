//===- Moments.cpp - Means and variances ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is a part of a row if the innermost dim is reduced, and several rows
// if that dim is kept. Threads compute different results or, if there are few
// results, different parts of them. The parts have a fixed size. The blocks of
// a part are merged in order, and then the parts, so that results do not depend
// on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Moments.h"
#include "Parallel.h"
#include "Prepare.h"

#include "tandem/Support/Strides.h"

#include <algorithm>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// The columns and the rows of a block of columns: 32 KiB of f32.
constexpr int64_t kMomentsColumns = 128, kMomentsRows = 64;

/// The dims that are kept and those that are reduced, as few as they can be
/// walked as. Strides are in elements.
struct MomentsDims {
  MomentsDims(const TensorType &operand,
              const std::vector<int64_t> &reducedDims);

  Shape kept, reduced;
  Strides keptStrides{}, reducedStrides{};
  /// The innermost dim, which is not in the shapes.
  int64_t inner = 1;
  bool isInnerReduced = true;
};

MomentsDims::MomentsDims(const TensorType &operand,
                         const std::vector<int64_t> &reducedDims) {
  // A second set of strides keeps reduced dims apart from kept ones.
  Shape shape = operand.shape, result = shape;
  for (int64_t dim : reducedDims)
    result[static_cast<int>(dim)] = 1;
  std::array<Strides, 2> strides{rowMajorStrides(shape),
                                 rowMajorStrides(result)};
  for (int64_t dim : reducedDims)
    strides[1][dim] = 0;
  mergeDims(shape, strides);
  const int last = shape.rank() - 1;
  for (int dim = 0; dim < last; ++dim) {
    const bool isReduced = strides[1][dim] == 0;
    Shape &to = isReduced ? reduced : kept;
    (isReduced ? reducedStrides : keptStrides)[to.rank()] = strides[0][dim];
    to.push_back(shape[dim]);
  }
  if (last >= 0) {
    inner = shape[last];
    isInnerReduced = strides[1][last] == 0;
  }
}

template <typename T> class MomentsOp final : public PreparedOp {
public:
  MomentsOp(const Signature &signature, const MomentsKernels &kernels)
      : dims(signature.operands[0], signature.op.attrs.AsMomentsAttrs()->dims),
        kernels(kernels), rows(dims.reduced.numElements()) {
    if (dims.isInnerReduced) {
      rowsPerPart =
          std::max<int64_t>(1, kLinePart / std::max<int64_t>(dims.inner, 1));
      partsOfRow = std::max<int64_t>(1, countParts(dims.inner, kLinePart));
    } else {
      columns = dims.inner;
      rowsPerPart = kLinePart / kMomentsColumns;
    }
    groupsAcross = countParts(columns, kMomentsColumns);
    parts = std::max<int64_t>(1, countParts(rows, rowsPerPart)) * partsOfRow;
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const T *in = operands[0].as<T>();
    const int64_t groups = dims.kept.numElements() * groupsAcross,
                  width = std::min(columns, kMomentsColumns);
    // Each part has its sums, and then its squares.
    std::vector<double> buffer(groups * parts * 2 * width);
    std::vector<int64_t> counts(groups * parts);
    const auto part = [&](int64_t i) {
      double *sum = buffer.data() + i * 2 * width;
      return Moments{sum, sum + width, counts[i]};
    };
    const int64_t work =
        countParts(operands[0].shape().numElements(), groups * parts);
    parallelFor(groups * parts, grainFor(work),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    counts[i] = compute(in, i / parts, i % parts, part(i));
                });
    parallelFor(groups, grainFor(parts * width),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    Moments total = part(i * parts);
                    for (int64_t k = 1; k < parts; ++k)
                      total.merge(kernels, part(i * parts + k), columnsOf(i));
                    finish(total, i, results);
                  }
                });
    return {};
  }

private:
  /// About the elements of a part: two blocks of columns or more.
  static constexpr int64_t kLinePart = 2 * kGrain;

  int64_t columnsOf(int64_t group) const {
    return std::min(kMomentsColumns, columns - firstColumn(group));
  }
  int64_t firstColumn(int64_t group) const {
    return group % groupsAcross * kMomentsColumns;
  }

  /// Computes a part of the elements of a group of results, and returns their
  /// number.
  int64_t compute(const T *in, int64_t group, int64_t part,
                  Moments result) const {
    StridedIndex<1> kept(dims.kept, {dims.keptStrides});
    kept.advance(group / groupsAcross);
    in += kept.offset(0) + firstColumn(group);
    const int64_t first = part / partsOfRow * rowsPerPart;
    const int64_t count = std::min(rows - first, rowsPerPart);
    StridedIndex<1> row(dims.reduced, {dims.reducedStrides});
    row.advance(first);
    if (dims.isInnerReduced)
      addRows(in, row, count, part % partsOfRow * kLinePart, result);
    else
      addColumns(in, row, count, columnsOf(group), result);
    return result.count;
  }

  /// The elements from `start` on of rows that are reduced.
  void addRows(const T *in, StridedIndex<1> &row, int64_t count, int64_t start,
               Moments &result) const {
    const int64_t end = std::min(dims.inner, start + kLinePart);
    for (int64_t i = 0; i < count; ++i, row.next())
      result.addLine(kernels, in + row.offset(0) + start, end - start);
  }

  void addColumns(const T *in, StridedIndex<1> &row, int64_t count, int64_t n,
                  Moments &result) const {
    const void *rowsOfBlock[kMomentsRows];
    double sum[kMomentsColumns], squares[kMomentsColumns];
    while (count > 0) {
      const Moments block{sum, squares, std::min(count, kMomentsRows)};
      for (int64_t i = 0; i < block.count; ++i, row.next())
        rowsOfBlock[i] = in + row.offset(0);
      kernels.ofRows(rowsOfBlock, block.count, sum, squares, n);
      result.merge(kernels, block, n);
      count -= block.count;
    }
  }

  void finish(const Moments &total, int64_t group,
              std::span<Tensor> results) const {
    const int64_t to = group / groupsAcross * columns + firstColumn(group);
    const auto count = static_cast<double>(total.count);
    T *mean = results[0].as<T>() + to, *variance = results[1].as<T>() + to;
    for (int64_t i = 0; i < columnsOf(group); ++i) { // 0 / 0 is NaN.
      mean[i] = static_cast<T>(total.sum[i] / count);
      variance[i] = static_cast<T>(total.squares[i] / count);
    }
  }

  MomentsDims dims;
  MomentsKernels kernels;
  /// The rows that are reduced, of which a part has `rowsPerPart`.
  int64_t rows, rowsPerPart;
  int64_t partsOfRow = 1, parts;
  /// The results that lie side by side, and the groups of kMomentsColumns of
  /// them.
  int64_t columns = 1, groupsAcross;
};

} // namespace

Prepared eager::prepareMoments(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  const MomentsKernels found = kernels().moments(dtype);
  if (!found.ofLine)
    return nullptr;
  if (dtype == DType::f32)
    return std::make_unique<MomentsOp<float>>(signature, found);
  return std::make_unique<MomentsOp<double>>(signature, found);
}
