//===- ResizePlan.cpp - How resize walks over its tensors -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResizePlan.h"

#include <algorithm>
#include <limits>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// The number of elements of a segment, so that a few rows of a segment are in
/// the level 1 or 2 cache.
constexpr int64_t kSegmentElements = 8192;

/// The smallest index that any position of the segment reads, and the first
/// one behind the largest.
void findSource(const ResizeTable &table, RowSegment &segment) {
  segment.sourceBegin = std::numeric_limits<int64_t>::max();
  segment.sourceEnd = 0;
  for (int64_t i = segment.begin; i < segment.end; ++i)
    for (int64_t k = 0; k < table.numTaps(i); ++k) {
      const int64_t index = table.tapsOf(i)[k].index;
      segment.sourceBegin = std::min(segment.sourceBegin, index);
      segment.sourceEnd = std::max(segment.sourceEnd, index + 1);
      segment.taps = std::max(segment.taps, table.numTaps(i));
    }
  if (segment.sourceEnd == 0) { // No taps at all.
    segment.sourceBegin = 0;
    segment.sourceEnd = 1;
  }
}

/// Fills in indices and weights. Each position is `count` results that read
/// neighboring elements, on each of `lines` lines with `from` positions.
void addTaps(const ResizeTable &table, RowSegment &segment, int64_t count,
             bool isExpanded, int64_t from, int64_t lines) {
  const int64_t n = lines * segment.size() * count;
  segment.index.resize(n * segment.taps);
  segment.weights.resize(n * segment.taps);
  for (int64_t i = segment.begin; i < segment.end; ++i) {
    const int64_t numTaps = table.numTaps(i);
    std::vector<ResizeTable::Tap> taps =
        table.repeatedTaps(i, numTaps != 0 && isExpanded ? segment.taps : 0);
    taps.resize(segment.taps, {segment.sourceBegin, 0});
    segment.numTaps.push_back(numTaps);
    segment.hasNoTaps |= numTaps == 0;
    for (int64_t k = 0; k < segment.taps; ++k)
      for (int64_t j = 0; j < lines * count; ++j) {
        const int64_t line = j / count, element = j % count;
        const int64_t at = k * n +
                           (line * segment.size() + i - segment.begin) * count +
                           element;
        segment.index[at] = static_cast<int32_t>(
            (line * from + taps[k].index - segment.sourceBegin) * count +
            element);
        segment.weights[at] = taps[k].weight;
      }
  }
  segment.floatWeights.assign(segment.weights.begin(), segment.weights.end());
}

/// Finds PickedElements::bases.
void addBases(RowSegment &segment, int64_t sourceElements) {
  constexpr int64_t kGroup = PickedElements::kGroup;
  const int64_t n = static_cast<int64_t>(segment.index.size()) / segment.taps;
  for (int64_t first = 0; first < n; first += kGroup) {
    int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
    for (int64_t k = 0; k < segment.taps; ++k)
      for (int64_t i = first; i < std::min(n, first + kGroup); ++i) {
        least = std::min<int64_t>(least, segment.index[k * n + i]);
        most = std::max<int64_t>(most, segment.index[k * n + i]);
      }
    least = std::min(least, sourceElements - kGroup);
    segment.bases.push_back(
        static_cast<int32_t>(most - least < kGroup ? least : -1));
  }
}

} // namespace

RowSegment RowSegment::of(const ResizeTable &table, int64_t begin, int64_t end,
                          int64_t elements) {
  RowSegment segment;
  segment.begin = begin;
  segment.end = end;
  findSource(table, segment);
  const bool isExpanded = elements > 0;
  addTaps(table, segment, isExpanded ? elements : 1, isExpanded, 0, 1);
  if (isExpanded)
    addBases(segment, segment.sourceSize() * elements);
  return segment;
}

RowSegment RowSegment::ofLines(const ResizeTable &table, int64_t from,
                               int64_t lines, int64_t elements) {
  RowSegment segment;
  segment.begin = 0;
  segment.end = table.size();
  findSource(table, segment);
  segment.sourceBegin = 0;
  segment.sourceEnd = from;
  const bool isExpanded = elements > 0;
  addTaps(table, segment, isExpanded ? elements : 1, isExpanded, from, lines);
  if (isExpanded)
    addBases(segment, lines * from * elements);
  return segment;
}

void ResizePlan::addDims(const fb::ResizeAttrsT &attrs, const Shape &from,
                         const Shape &to) {
  const std::vector<ResizeDim> resized = resizeDims(attrs, from, to);
  const Strides own = rowMajorStrides(from);
  std::vector<int> dims;
  for (size_t i = 0; i < resized.size(); ++i) {
    const int dim = static_cast<int>(attrs.dims[i]);
    ResizeTable table(resized[i]);
    if (table.isIdentity(from[dim]))
      continue;
    dims.push_back(dim);
    tables.push_back(std::move(table));
  }
  if (dims.empty())
    return;
  block = own[dims.back()];
  sourcePositions = from[dims.back()];
  groupElements = own[dims[0]] * from[dims[0]];
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    maxTaps *= tables[i].maxTaps;
  for (int dim = dims[0]; dim < dims.back(); ++dim) {
    const auto found = std::find(dims.begin(), dims.end(), dim);
    tableOf.push_back(
        found == dims.end() ? -1 : static_cast<int>(found - dims.begin()));
    group.push_back(to[dim]);
    strides.push_back(own[dim]);
  }
  groupRows = group.numElements();
  rows = Shape(to.span().first(dims.back())).numElements();
}

void ResizePlan::addRowTable() {
  constexpr int64_t kMaxTaps = 1 << 18;
  if (groupRows > kMaxTaps / std::max<int64_t>(maxTaps, 1))
    return;
  groupTaps.resize(groupRows);
  for (int64_t row = 0; row < groupRows; ++row)
    findTapsInGroup(row, groupTaps[row]);
}

bool ResizePlan::addSegments() {
  const int64_t size = rowTable().size(),
                step = std::max<int64_t>(1, kSegmentElements / block);
  if (sourcePositions > std::numeric_limits<int32_t>::max() /
                            (isExpanded() ? std::max<int64_t>(1, block) : 1))
    return false;
  for (int64_t begin = 0; begin < size; begin += step)
    segments.push_back(RowSegment::of(rowTable(), begin,
                                      std::min(size, begin + step),
                                      isExpanded() ? block : 0));
  return true;
}

void ResizePlan::chooseOrder() {
  // Costs in multiplications of vectors. Taps along a row are gathered; the
  // factor of four for that is an estimate.
  const double along = (isExpanded() ? 4 : 1) *
                       static_cast<double>(rowTable().maxTaps) *
                       static_cast<double>(rowTable().size());
  const auto across = static_cast<double>(maxTaps);
  // The number of rows that are read for each row of the result.
  double reads = 1;
  for (size_t i = 0; i + 1 < tables.size(); ++i) {
    std::vector<int64_t> indices;
    for (const ResizeTable::Tap &tap : tables[i].taps)
      indices.push_back(tap.index);
    std::sort(indices.begin(), indices.end());
    const auto end = std::unique(indices.begin(), indices.end());
    reads *= static_cast<double>(end - indices.begin()) /
             static_cast<double>(tables[i].size());
  }
  const double resizesFirst =
      reads * along + across * static_cast<double>(rowTable().size());
  sumsFirst =
      maxTaps > 1 &&
      along + across * static_cast<double>(sourcePositions) < resizesFirst;
}

std::optional<ResizePlan> ResizePlan::of(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsResizeAttrs();
  const TensorType &from = signature.operands[0], &to = signature.result();
  ResizePlan plan;
  plan.computed = from.dtype == DType::f64 || !isFloat(from.dtype) ? DType::f64
                                                                   : DType::f32;
  plan.addDims(attrs, from.shape, to.shape);
  if (plan.tables.empty())
    return plan;
  if (!plan.addSegments())
    return std::nullopt;
  plan.addRowTable();
  plan.chooseOrder();
  return plan;
}

void ResizePlan::findTapsInGroup(int64_t row, RowTaps &taps) const {
  taps = {{0}, {1}};
  int64_t apart = groupRows;
  for (int dim = 0; dim < group.rank(); ++dim) {
    apart /= group[dim];
    const int64_t position = row / apart % group[dim];
    if (tableOf[dim] < 0) {
      for (int64_t &offset : taps.offsets)
        offset += position * strides[dim];
      continue;
    }
    const ResizeTable &table = tables[tableOf[dim]];
    taps.isExtrapolated |=
        !table.isExtrapolated.empty() && table.isExtrapolated[position];
    RowTaps more;
    for (size_t i = 0; i < taps.offsets.size(); ++i)
      for (int64_t k = 0; k < table.numTaps(position); ++k) {
        const ResizeTable::Tap &tap = table.tapsOf(position)[k];
        more.offsets.push_back(taps.offsets[i] + tap.index * strides[dim]);
        more.weights.push_back(taps.weights[i] * tap.weight);
      }
    taps.offsets = std::move(more.offsets);
    taps.weights = std::move(more.weights);
  }
}

bool ResizePlan::copiesElements() const {
  return std::all_of(
      tables.begin(), tables.end(),
      [](const ResizeTable &table) { return !table.onlyIndices().empty(); });
}

const RowTaps &ResizePlan::findTaps(int64_t row, RowTaps &buffer) const {
  if (!groupTaps.empty())
    return groupTaps[row % groupRows];
  findTapsInGroup(row % groupRows, buffer);
  return buffer;
}
