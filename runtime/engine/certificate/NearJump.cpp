//===- NearJump.cpp - Values within tolerance of a jump -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/ElementScan.h"

#include "eager/Spatial.h"

#include "tandem/Support/OpErrors.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace tandem;
using namespace tandem::tiering;

namespace {

/// Counts the elements of an operand that may be on either side of a jump. A
/// NaN is never near a jump: it is a NaN in every execution.
int64_t countUnary(Jumps jumps, const ApproximateElements &operand) {
  return std::count_if(
      operand.values.begin(), operand.values.end(),
      [&](double x) { return distanceToJump(jumps, x) <= operand.boundOf(x); });
}

/// Whether `x` and `y` may be equal. Infinities of one sign are equal in every
/// execution.
bool mayBeEqual(double x, double xBound, double y, double yBound) {
  return std::isfinite(x - y) && std::fabs(x - y) <= xBound + yBound;
}

/// Whether the quotient of `x` and `y`, rounded toward 0, may be one of two
/// integers.
bool mayBeMultiple(double x, double xBound, double y, double yBound) {
  const double multiple = std::nearbyint(x / y);
  return std::isfinite(multiple) && multiple != 0 &&
         std::fabs(std::remainder(x, y)) <=
             xBound + std::fabs(multiple) * yBound;
}

int64_t countBinary(const Shape &result, const ApproximateElements &lhs,
                    const ApproximateElements &rhs,
                    bool (*isNear)(double, double, double, double)) {
  int64_t count = 0;
  for (StridedIndex<2> i(result, {broadcastStrides(lhs.shape, result),
                                  broadcastStrides(rhs.shape, result)});
       !i.done(); i.next()) {
    const double x = lhs.values[i.offset(0)], y = rhs.values[i.offset(1)];
    count += isNear(x, lhs.boundOf(x), y, rhs.boundOf(y));
  }
  return count;
}

/// Rows in which more than one element may be the largest.
int64_t countArgmax(const OpDesc &op, int64_t rows,
                    const ApproximateElements &operand) {
  Shape kept = operand.shape;
  for (int64_t dim : op.attrs.AsReduceAttrs()->dims)
    kept[static_cast<int>(dim)] = 1;
  const std::array<Strides, 2> strides = {
      rowMajorStrides(operand.shape), broadcastStrides(kept, operand.shape)};
  std::vector<double> largest(rows, -std::numeric_limits<double>::infinity());
  for (StridedIndex<2> i(operand.shape, strides); !i.done(); i.next())
    largest[i.offset(1)] =
        std::fmax(largest[i.offset(1)], operand.values[i.offset(0)]);
  std::vector<int> candidates(rows);
  for (StridedIndex<2> i(operand.shape, strides); !i.done(); i.next()) {
    const double x = operand.values[i.offset(0)], most = largest[i.offset(1)];
    candidates[i.offset(1)] +=
        x == most ||
        mayBeEqual(x, operand.boundOf(x), most, operand.boundOf(most));
  }
  return std::count_if(candidates.begin(), candidates.end(),
                       [](int candidate) { return candidate > 1; });
}

/// The positions among the first `k` of an ordered line whose element may be
/// another one. The order of the line is replaced.
int64_t countUncertainRanks(std::vector<double> &line, const LineOrder &order,
                            const ApproximateElements &operand) {
  for (double &x : line) // All NaN are equal, and larger than all numbers.
    x = std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
  std::sort(line.begin(), line.end());
  if (!order.isAscending)
    std::reverse(line.begin(), line.end());
  auto isNearNext = [&](size_t i) {
    return i + 1 < line.size() &&
           mayBeEqual(line[i], operand.boundOf(line[i]), line[i + 1],
                      operand.boundOf(line[i + 1]));
  };
  int64_t count = 0;
  bool isNearLast = false;
  for (size_t i = 0; i < static_cast<size_t>(order.k); ++i) {
    const bool isNear = isNearNext(i);
    count += isNear || isNearLast;
    isNearLast = isNear;
  }
  return count;
}

int64_t countRanks(const LineOrder &order, const ApproximateElements &operand) {
  Shape lines = operand.shape;
  lines[order.axis] = 1;
  const Strides strides = rowMajorStrides(operand.shape);
  std::vector<double> line(static_cast<size_t>(operand.shape[order.axis]));
  int64_t count = 0;
  for (StridedIndex<1> i(lines, {strides}); !i.done(); i.next()) {
    for (size_t k = 0; k < line.size(); ++k)
      line[k] = operand.values[i.offset(0) + k * strides[order.axis]];
    count += countUncertainRanks(line, order, operand);
  }
  return count;
}

/// Windows in which more than one element may be the largest.
int64_t countPoolTies(const OpDesc &op, const Shape &result,
                      const ApproximateElements &operand) {
  const auto pool =
      eager::SpatialPool::of(*op.attrs.AsPoolAttrs(), operand.shape, result);
  const Shape walk{pool.batch, pool.channels, pool.output[0], pool.output[1],
                   pool.output[2]};
  int64_t count = 0;
  for (StridedIndex<1> i(walk, {pool.in.planes()}); !i.done(); i.next()) {
    const int64_t at[3] = {i[2], i[3], i[4]};
    std::vector<double> elements;
    eager::forEachIndex(pool.window, [&](const int64_t *tap) {
      if (const auto offset = pool.inputOffset(at, tap))
        elements.push_back(operand.values[i.offset(0) + *offset]);
    });
    double most = -std::numeric_limits<double>::infinity();
    for (double x : elements)
      most = std::fmax(most, x);
    count += std::count_if(elements.begin(), elements.end(), [&](double x) {
               return x == most || mayBeEqual(x, operand.boundOf(x), most,
                                              operand.boundOf(most));
             }) > 1;
  }
  return count;
}

} // namespace

int64_t tiering::countNearJump(const OpDesc &op, const TensorType &result,
                               std::span<const Tensor> operands,
                               std::span<const ValueTolerance> tolerances) {
  std::vector<ApproximateElements> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.emplace_back(operands[i], tolerances[i]);
  switch (const Jumps jumps = jumpsOf(op, result)) {
  case Jumps::never:
    return 0;
  case Jumps::atZero:
  case Jumps::atIntegers:
  case Jumps::atNonzeroIntegers:
  case Jumps::atHalves:
  case Jumps::everywhere:
    return countUnary(jumps, values[0]);
  case Jumps::atMultiples:
    return countBinary(result.shape, values[0], values[1], mayBeMultiple);
  case Jumps::whereEqual:
    return countBinary(result.shape, values[0], values[1], mayBeEqual);
  case Jumps::byRank:
    if (op.kind == OpKind::max_pool_with_index)
      return countPoolTies(op, result.shape, values[0]);
    return op.kind == OpKind::reduce
               ? countArgmax(op, result.shape.numElements(), values[0])
               : countRanks(LineOrder::of(op, operands[0].type()), values[0]);
  case Jumps::own: // Never returned by jumpsOf.
    break;
  }
  __builtin_unreachable();
}
