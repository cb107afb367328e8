//===- Resize.cpp - Interpolation on CPUs -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a tensor is what the last resized dim and the dims after it span. A
// row of the result is computed from a few rows of the operand, those of the
// taps along the other resized dims. There are two orders: each of these rows
// is resized, and the resized rows are summed, or the rows are summed, and the
// sum is resized. In the first order, resized rows are kept for the next rows
// of the result. No intermediate tensor exists, only a few rows for each
// thread. Long rows are computed in segments.
//
//===----------------------------------------------------------------------===//

#include "../reference/Evaluate.h"
#include "Interpolator.h"
#include "Parallel.h"
#include "Prepare.h"
#include "ResizeGroups.h"
#include "ResizePlan.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// Computes all rows of all segments. `makeRows` makes an object for each part
/// of the work, with the functions start(segment) and run(number of the row).
template <typename MakeRows>
void forEachResizedRow(const ResizePlan &plan, int64_t workPerRow,
                       int64_t leastRows, const MakeRows &makeRows) {
  const int64_t count = plan.rows * static_cast<int64_t>(plan.segments.size());
  parallelFor(count, std::max(grainFor(workPerRow), leastRows),
              [&](int64_t begin, int64_t end) {
                auto rows = makeRows();
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t row = i % plan.rows;
                  if (row == 0 || i == begin)
                    rows.start(plan.segments[i / plan.rows]);
                  rows.run(row);
                }
              });
}

/// Writes the extrapolation value where positions are outside of the operand.
class ExtrapolatedPositions {
public:
  ExtrapolatedPositions(const ResizePlan &plan, const Signature &signature)
      : plan(plan), width(byteWidth(signature.result().dtype)),
        value(reference::resizeExtrapolation(signature.op,
                                             signature.result().dtype)) {}

  void fill(char *out, int64_t count) const {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * width, value.data(), width);
  }
  /// Overwrites positions of a computed segment of a row.
  void patch(char *out, const RowSegment &segment) const {
    const std::vector<bool> &is = plan.rowTable().isExtrapolated;
    for (int64_t i = segment.begin; i < segment.end && !is.empty(); ++i)
      if (is[i])
        fill(out + (i - segment.begin) * plan.block * width, plan.block);
  }

private:
  const ResizePlan &plan;
  int64_t width;
  std::vector<std::byte> value;
};

//===----------------------------------------------------------------------===//
// Nearest elements
//===----------------------------------------------------------------------===//

class NearestResizeOp final : public PreparedOp {
public:
  NearestResizeOp(ResizePlan given, const Signature &signature)
      : plan(std::move(given)), width(byteWidth(signature.result().dtype)),
        pick(kernels().pick(width)), extrapolation(plan, signature) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const int64_t work = plan.segments.front().size() * plan.block;
    forEachResizedRow(plan, work, 1, [&] {
      return Rows{*this, operands[0].as<char>(), results[0].as<char>()};
    });
    return {};
  }

private:
  struct Rows {
    const NearestResizeOp &op;
    const char *from;
    char *to;
    const RowSegment *segment = nullptr;
    /// The last row that was written, and where it came from.
    int64_t lastOffset = -1;
    const char *lastRow = nullptr;
    RowTaps buffer;

    void start(const RowSegment &next) {
      segment = &next;
      lastRow = nullptr;
    }
    void run(int64_t row);
  };
  void runRow(const char *in, const RowSegment &segment, char *out) const;

  ResizePlan plan;
  int64_t width;
  PickKernel pick;
  ExtrapolatedPositions extrapolation;
};

void NearestResizeOp::Rows::run(int64_t row) {
  const ResizePlan &plan = op.plan;
  char *out = to + plan.resultOffset(row, *segment) * op.width;
  const int64_t count = segment->size() * plan.block;
  const RowTaps &taps = plan.findTaps(row, buffer);
  if (taps.isExtrapolated)
    return op.extrapolation.fill(out, count);
  const int64_t offset = plan.operandOffset(row, taps.offsets[0], *segment);
  if (lastRow && offset == lastOffset) {
    std::memcpy(out, lastRow, count * op.width);
  } else {
    op.runRow(from + offset * op.width, *segment, out);
    op.extrapolation.patch(out, *segment);
  }
  lastOffset = offset;
  lastRow = out;
}

void NearestResizeOp::runRow(const char *in, const RowSegment &segment,
                             char *out) const {
  if (plan.isExpanded())
    return pick(in, segment.picked(), out);
  const int64_t bytes = plan.block * width;
  for (int64_t i = 0; i < segment.size(); ++i)
    std::memcpy(out + i * bytes, in + segment.index[i] * bytes, bytes);
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

class InterpolatingResizeOp final : public PreparedOp {
public:
  InterpolatingResizeOp(ResizePlan given, const Signature &signature)
      : plan(std::move(given)), inner(plan.computed, signature),
        extrapolation(plan, signature) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  class Rows;

  ResizePlan plan;
  Interpolator inner;
  ExtrapolatedPositions extrapolation;
};

/// The rows that one thread computes, and its buffers.
class InterpolatingResizeOp::Rows {
public:
  Rows(const InterpolatingResizeOp &op, const char *from, char *to)
      : op(op), from(from), to(to) {}

  void start(const RowSegment &next);
  void run(int64_t row);

private:
  struct KeptRow {
    int64_t offset = -1, lastUse = -1;
    WideBuffer elements;
  };

  char *wideBytes(WideBuffer &buffer, int64_t elements) const {
    return bytesOf(buffer, elements, op.inner.wideWidth);
  }
  void resize(const char *in, char *out) const {
    op.inner.resize(in, *segment, op.plan.isExpanded(), op.plan.block, out);
  }
  /// The elements of the operand at an offset that the segment reads, as
  /// computed elements: in the operand or in `buffer`.
  const char *wideRow(int64_t offset, WideBuffer &buffer);
  /// The row of the operand at an offset, prepared for being summed.
  const char *preparedRow(int64_t offset);
  /// Sums the rows of all taps; `out` has `count` elements.
  void sumRows(int64_t row, const RowTaps &taps, int64_t count, char *out);
  void runTaps(int64_t row, const RowTaps &taps, int64_t count, char *wide);

  const InterpolatingResizeOp &op;
  const char *from;
  char *to;
  const RowSegment *segment = nullptr;
  RowTaps buffer;
  std::vector<KeptRow> kept;
  std::vector<const void *> rows;
  std::vector<float> weights;
  WideBuffer source, sums, result;
  int64_t use = 0;
};

void InterpolatingResizeOp::Rows::start(const RowSegment &next) {
  segment = &next;
  kept.assign(op.plan.maxTaps, {});
}

const char *InterpolatingResizeOp::Rows::wideRow(int64_t offset,
                                                 WideBuffer &buffer) {
  const char *row = from + offset * op.inner.width;
  if (!op.inner.widen)
    return row;
  const int64_t count = segment->sourceSize() * op.plan.block;
  char *wide = wideBytes(buffer, count);
  op.inner.widen(row, wide, count);
  return wide;
}

const char *InterpolatingResizeOp::Rows::preparedRow(int64_t offset) {
  if (op.plan.sumsFirst && !op.inner.widen)
    return wideRow(offset, source);
  KeptRow *oldest = &kept[0];
  for (KeptRow &row : kept) {
    if (row.offset == offset) {
      row.lastUse = use;
      return reinterpret_cast<const char *>(row.elements.data());
    }
    if (row.lastUse < oldest->lastUse)
      oldest = &row;
  }
  oldest->offset = offset;
  oldest->lastUse = use;
  if (op.plan.sumsFirst)
    return wideRow(offset, oldest->elements);
  char *row = wideBytes(oldest->elements, segment->size() * op.plan.block);
  resize(wideRow(offset, source), row);
  return row;
}

void InterpolatingResizeOp::Rows::sumRows(int64_t row, const RowTaps &taps,
                                          int64_t count, char *out) {
  rows.clear();
  for (int64_t offset : taps.offsets)
    rows.push_back(preparedRow(op.plan.operandOffset(row, offset, *segment)));
  const auto size = static_cast<int64_t>(rows.size());
  if (op.inner.computed == DType::f64)
    return op.inner.inner.acrossRows(rows.data(), taps.weights.data(), size,
                                     out, count);
  weights.assign(taps.weights.begin(), taps.weights.end());
  op.inner.inner.acrossRows(rows.data(), weights.data(), size, out, count);
}

/// Computes a row whose elements have the type `computed`.
void InterpolatingResizeOp::Rows::runTaps(int64_t row, const RowTaps &taps,
                                          int64_t count, char *wide) {
  const ResizePlan &plan = op.plan;
  const bool isOne = taps.offsets.size() == 1 && taps.weights[0] == 1;
  if (taps.offsets.empty()) {
    std::memset(wide, 0, count * op.inner.wideWidth);
  } else if (isOne && (plan.sumsFirst || plan.maxTaps == 1)) {
    resize(wideRow(plan.operandOffset(row, taps.offsets[0], *segment), source),
           wide);
  } else if (isOne) {
    std::memcpy(wide,
                preparedRow(plan.operandOffset(row, taps.offsets[0], *segment)),
                count * op.inner.wideWidth);
  } else if (plan.sumsFirst) {
    const int64_t sourceCount = segment->sourceSize() * plan.block;
    char *sum = wideBytes(sums, sourceCount);
    sumRows(row, taps, sourceCount, sum);
    resize(sum, wide);
  } else {
    sumRows(row, taps, count, wide);
  }
}

void InterpolatingResizeOp::Rows::run(int64_t row) {
  const ResizePlan &plan = op.plan;
  char *out = to + plan.resultOffset(row, *segment) * op.inner.width;
  const int64_t count = segment->size() * plan.block;
  const RowTaps &taps = plan.findTaps(row, buffer);
  if (taps.isExtrapolated)
    return op.extrapolation.fill(out, count);
  ++use;
  char *wide = op.inner.narrow ? wideBytes(result, count) : out;
  runTaps(row, taps, count, wide);
  if (op.inner.narrow)
    op.inner.finish(wide, count, out);
  op.extrapolation.patch(out, *segment);
}

Status InterpolatingResizeOp::run(const StepContext &,
                                  std::span<const Tensor> operands,
                                  std::span<Tensor> results) const {
  const int64_t work = plan.segments.front().size() * plan.block *
                       (plan.maxTaps + plan.segments.front().taps);
  // The first row of each part needs all rows of its taps.
  forEachResizedRow(plan, work, 4 * plan.maxTaps, [&] {
    return Rows(*this, operands[0].as<char>(), results[0].as<char>());
  });
  return {};
}

} // namespace

Prepared eager::prepareResize(const Signature &signature) {
  std::optional<ResizePlan> plan = ResizePlan::of(signature);
  if (!plan)
    return nullptr;
  const DType dtype = signature.result().dtype;
  const bool isNearest =
      signature.op.attrs.AsResizeAttrs()->mode == fb::ResizeMode::nearest;
  // Interpolation rounds integers to f64, even where it only copies elements.
  const bool isExact = isNearest || isFloat(dtype) || byteWidth(dtype) < 8;
  if (plan->segments.empty() && !isExact)
    return nullptr;
  if (plan->segments.empty())
    return prepareReshape(signature);
  if (isExact && plan->copiesElements())
    return std::make_unique<NearestResizeOp>(std::move(*plan), signature);
  if (Prepared groups = prepareResizeOfGroups(signature))
    return groups;
  return std::make_unique<InterpolatingResizeOp>(std::move(*plan), signature);
}
