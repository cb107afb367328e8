//===- ResizeGroups.cpp - Resizing one dim after another ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResizeGroups.h"

#include "Interpolator.h"
#include "Parallel.h"

#include <algorithm>
#include <numeric>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// The largest number of elements of an intermediate result, so that two of
/// them are in a level 2 cache of 1 MiB.
constexpr int64_t kMaxElements = 1 << 16;
/// Groups are made larger up to this number of elements, so that starting an
/// inner loop takes little time.
constexpr int64_t kGroupElements = 4096;
/// Rows shorter than this are computed in groups. Rows of 16 elements took
/// three times as long as groups. The limit itself is an estimate.
constexpr int64_t kShortRow = 96;

/// A resized dim.
struct Axis {
  int dim;
  ResizeTable table;
};

/// The largest divisor of `number` that is at most `limit`; at least 1.
int64_t largestDivisor(int64_t number, int64_t limit) {
  for (int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0)
      return divisor;
  return 1;
}

int64_t product(const Shape &shape, int begin, int end) {
  int64_t result = 1;
  for (int dim = begin; dim < end; ++dim)
    result *= shape[dim];
  return result;
}

/// Calls visit(axis, shape before, inner elements) for the axes in an order.
template <typename Visit>
void forEachPass(const std::vector<Axis> &axes, const std::vector<int> &order,
                 Shape shape, const Visit &visit) {
  for (int i : order) {
    const Axis &axis = axes[i];
    visit(axis, shape, product(shape, axis.dim + 1, shape.rank()));
    shape[axis.dim] = axis.table.size();
  }
}

/// Returns a cost in multiplications of vectors. Taps along rows are gathered;
/// the factor of four for that is an estimate, as in ResizePlan.
double costOf(const std::vector<Axis> &axes, const std::vector<int> &order,
              const Shape &shape) {
  double cost = 0;
  forEachPass(axes, order, shape,
              [&](const Axis &axis, const Shape &before, int64_t inner) {
                const int64_t elements =
                    product(before, 0, axis.dim) * axis.table.size() * inner;
                cost += static_cast<double>(elements * axis.table.maxTaps) *
                        (inner < ResizePlan::kMaxExpanded ? 4 : 1);
              });
  return cost;
}

std::vector<int> cheapestOrder(const std::vector<Axis> &axes,
                               const Shape &shape) {
  std::vector<int> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> best = order;
  if (axes.size() > 3)
    return best;
  while (std::next_permutation(order.begin(), order.end()))
    if (costOf(axes, order, shape) < costOf(axes, best, shape))
      best = order;
  return best;
}

/// Whether all positions have taps and none is the extrapolation value.
bool isPlain(const ResizeTable &table) {
  for (int64_t i = 0; i < table.size(); ++i)
    if (table.numTaps(i) == 0)
      return false;
  return table.isExtrapolated.empty();
}

/// Rows that ResizePlan would compute; true if groups are faster.
bool hasShortRows(const std::vector<Axis> &axes, const Shape &to) {
  return axes.size() > 2 || product(to, axes.back().dim, to.rank()) < kShortRow;
}

} // namespace

std::optional<ResizeGroups> ResizeGroups::of(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsResizeAttrs();
  const Shape &from = signature.operands[0].shape,
              &to = signature.result().shape;
  std::vector<Axis> axes;
  const std::vector<ResizeDim> resized = resizeDims(attrs, from, to);
  for (size_t i = 0; i < resized.size(); ++i) {
    Axis axis{static_cast<int>(attrs.dims[i]), ResizeTable(resized[i])};
    if (!isPlain(axis.table))
      return std::nullopt;
    if (!axis.table.isIdentity(from[axis.dim]))
      axes.push_back(std::move(axis));
  }
  if (axes.empty() || !hasShortRows(axes, to))
    return std::nullopt;

  ResizeGroups plan;
  const DType dtype = signature.result().dtype;
  plan.computed =
      dtype == DType::f64 || !isFloat(dtype) ? DType::f64 : DType::f32;
  const int first = axes[0].dim, rank = from.rank();
  const int64_t leading = product(from, 0, first);
  const int64_t merged = largestDivisor(
      leading, kGroupElements / std::max(product(from, first, rank),
                                         product(to, first, rank)));
  plan.groups = leading / merged;
  plan.operandElements = merged * product(from, first, rank);
  plan.resultElements = merged * product(to, first, rank);
  // Few groups are slower than many rows on several threads.
  if (plan.groups < 8 && plan.resultElements > kGroupElements)
    return std::nullopt;

  // Dim 0 stands for all dims before the first resized one.
  Shape shape{merged};
  for (int dim = first; dim < rank; ++dim)
    shape.push_back(from[dim]);
  for (Axis &axis : axes)
    axis.dim -= first - 1;
  bool isSmall =
      dtype == plan.computed ||
      std::max(plan.operandElements, plan.resultElements) <= kMaxElements;
  forEachPass(axes, cheapestOrder(axes, shape), shape,
              [&](const Axis &axis, const Shape &before, int64_t inner) {
                ResizePass pass{before[axis.dim],
                                axis.table.size(),
                                product(before, 0, axis.dim),
                                inner,
                                {},
                                1};
                const int64_t line = std::max(pass.from, pass.to) * inner;
                if (pass.isExpanded())
                  pass.lines = largestDivisor(
                      pass.outer, std::max<int64_t>(1, kGroupElements / line));
                pass.table =
                    RowSegment::ofLines(axis.table, pass.from, pass.lines,
                                        pass.isExpanded() ? inner : 0);
                isSmall &= plan.passes.empty() ||
                           pass.outer * pass.from * inner <= kMaxElements;
                plan.passes.push_back(std::move(pass));
              });
  return isSmall ? std::optional(std::move(plan)) : std::nullopt;
}

namespace {

class GroupedResizeOp final : public PreparedOp {
public:
  GroupedResizeOp(ResizeGroups given, const OpSignature &signature)
      : plan(std::move(given)), inner(plan.computed, signature) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  /// Two buffers, one of which each pass reads and the other one it writes.
  using Buffers = std::array<WideBuffer, 2>;

  void runGroup(const char *from, char *to, Buffers &buffers) const;
  void runPass(const ResizePass &pass, const char *in, char *out) const;

  ResizeGroups plan;
  Interpolator inner;
};

void GroupedResizeOp::runPass(const ResizePass &pass, const char *in,
                              char *out) const {
  const int64_t width = inner.wideWidth * pass.inner * pass.lines;
  for (int64_t line = 0; line < pass.outer / pass.lines; ++line)
    inner.resize(in + line * pass.from * width, pass.table, pass.isExpanded(),
                 pass.inner, out + line * pass.to * width);
}

void GroupedResizeOp::runGroup(const char *from, char *to,
                               Buffers &buffers) const {
  const char *in = from;
  size_t next = 0;
  const auto takeBuffer = [&](int64_t elements) {
    next = 1 - next;
    return bytesOf(buffers[next], elements, inner.wideWidth);
  };
  if (inner.widen) {
    char *wide = takeBuffer(plan.operandElements);
    inner.widen(from, wide, plan.operandElements);
    in = wide;
  }
  for (const ResizePass &pass : plan.passes) {
    const bool isLast = &pass == &plan.passes.back();
    char *out =
        isLast && !inner.narrow ? to : takeBuffer(pass.resultElements());
    runPass(pass, in, out);
    if (isLast && inner.narrow)
      inner.finish(out, plan.resultElements, to);
    in = out;
  }
}

Status GroupedResizeOp::run(const StepContext &,
                            std::span<const Tensor> operands,
                            std::span<Tensor> results) const {
  const char *from = operands[0].as<char>();
  char *to = results[0].as<char>();
  int64_t work = 0;
  for (const ResizePass &pass : plan.passes)
    work += pass.resultElements() * pass.table.taps;
  parallelFor(plan.groups, grainFor(work), [&](int64_t begin, int64_t end) {
    Buffers buffers;
    for (int64_t group = begin; group < end; ++group)
      runGroup(from + group * plan.operandElements * inner.width,
               to + group * plan.resultElements * inner.width, buffers);
  });
  return {};
}

} // namespace

Prepared eager::prepareResizeOfGroups(const OpSignature &signature) {
  std::optional<ResizeGroups> plan = ResizeGroups::of(signature);
  return plan ? std::make_unique<GroupedResizeOp>(std::move(*plan), signature)
              : nullptr;
}
