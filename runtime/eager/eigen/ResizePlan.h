//===- ResizePlan.h - How resize walks over its tensors ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_RESIZEPLAN_H
#define TANDEM_RUNTIME_EAGER_EIGEN_RESIZEPLAN_H

#include "kernels/Kernels.h"

#include "tandem/Runtime/Provider.h"
#include "tandem/Support/Resize.h"
#include "tandem/Support/Strides.h"

#include <optional>
#include <vector>

namespace tandem::eager {

/// Rows of the operand that a row of the result is computed from: the offsets
/// of their first elements, and their weights.
struct RowTaps {
  std::vector<int64_t> offsets;
  std::vector<double> weights;
  /// Whether the row is the extrapolation value.
  bool isExtrapolated = false;
};

/// Positions [begin, end) of each row of the result. They read the positions
/// [sourceBegin, sourceEnd) of a row of the operand.
struct RowSegment {
  /// A segment whose results are elements, `elements` for each position, or
  /// positions if `elements` is 0.
  static RowSegment of(const ResizeTable &table, int64_t begin, int64_t end,
                       int64_t elements);
  /// The same for all positions of `lines` lines, one after another, which read
  /// `lines` lines of `from` positions.
  static RowSegment ofLines(const ResizeTable &table, int64_t from,
                            int64_t lines, int64_t elements);

  int64_t begin, end, sourceBegin, sourceEnd;
  /// The largest number of taps of a position.
  int64_t taps = 1;
  /// For each tap k and result i: index[k * n + i] and weights[k * n + i].
  /// Indices count from sourceBegin. Elements with fewer taps repeat some with
  /// halves of their weights.
  std::vector<int32_t> index;
  std::vector<double> weights;
  std::vector<float> floatWeights;
  /// The number of taps of each position.
  std::vector<int64_t> numTaps;
  /// Whether there are positions without taps, whose results are 0.
  bool hasNoTaps = false;
  /// PickedElements::bases.
  std::vector<int32_t> bases;

  int64_t size() const { return end - begin; }
  int64_t sourceSize() const { return sourceEnd - sourceBegin; }
  PickedElements picked() const {
    return {index.data(), bases.data(),
            static_cast<int64_t>(index.size()) / taps};
  }
};

/// How a resize is computed row by row.
struct ResizePlan {
  /// Returns nothing if rows are too long for 32-bit indices. A plan without
  /// segments copies the operand. The result has elements.
  static std::optional<ResizePlan> of(const OpSignature &signature);

  /// Whether the elements of a position are few, so that indices are those of
  /// elements.
  bool isExpanded() const { return block < kMaxExpanded; }
  int64_t resultOffset(int64_t row, const RowSegment &segment) const {
    return (row * rowTable().size() + segment.begin) * block;
  }
  /// The offset of the elements that a segment reads of a row of the operand.
  /// `offset` is that of the tap in its group.
  int64_t operandOffset(int64_t row, int64_t offset,
                        const RowSegment &segment) const {
    return row / groupRows * groupElements + offset +
           segment.sourceBegin * block;
  }
  /// Whether each result is one element of the operand, as in mode nearest, or
  /// the extrapolation value.
  bool copiesElements() const;
  const ResizeTable &rowTable() const { return tables.back(); }
  /// Finds the rows of the operand for a row of the result. The taps are in a
  /// table or in `buffer`.
  const RowTaps &findTaps(int64_t row, RowTaps &buffer) const;

  static constexpr int64_t kMaxExpanded = 16;

  /// The type of sums: f32 or f64.
  DType computed = DType::f32;
  /// The number of rows of the result, and the number of positions of a row of
  /// the operand.
  int64_t rows = 1, sourcePositions = 1;
  /// The tables of the resized dims before a row, and the table of the row.
  std::vector<ResizeTable> tables;
  /// The number of elements of each position of a row.
  int64_t block = 1;
  /// The largest number of rows that a row of the result is computed from.
  int64_t maxTaps = 1;
  /// Whether rows are summed before they are resized.
  bool sumsFirst = false;
  std::vector<RowSegment> segments;

private:
  /// The taps of a row of a group, from the first row of the operand on that
  /// belongs to the group.
  void findTapsInGroup(int64_t row, RowTaps &taps) const;
  void addRowTable();
  void addDims(const fb::ResizeAttrsT &attrs, const Shape &from,
               const Shape &to);
  bool addSegments();
  void chooseOrder();

  /// Rows with the same indices of the dims before the first resized one are a
  /// group. `group` are the other dims of the result before a row. `strides`
  /// are the operand's along them.
  Shape group;
  std::vector<int64_t> strides;
  /// The number of rows of a group, and of elements of the operand for it.
  int64_t groupRows = 1, groupElements = 0;
  /// For each dim of `group`, its table; -1 if it keeps its size.
  std::vector<int> tableOf;
  /// The taps of all rows of a group, or none if these are too many.
  std::vector<RowTaps> groupTaps;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_RESIZEPLAN_H
