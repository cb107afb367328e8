//===- NearJump.cpp - Values within tolerance of a jump -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/ElementScan.h"

#include "tandem/Support/Strides.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace tandem;
using namespace tandem::tiering;

namespace {

/// The distance of `x` from the nearest value at which the op of one operand
/// jumps. A NaN is nowhere near: it is one in every execution, or what it comes
/// from is unbounded.
double distanceToJump(const OpDesc &op, DType result, double x) {
  switch (op.kind) {
  case OpKind::round: // At halves.
    return std::fabs(x - (std::floor(x) + 0.5));
  case OpKind::sign:
    return std::fabs(x);
  case OpKind::bitcast: // Everywhere.
    return 0;
  case OpKind::cast:
    // Whether x is 0, or the integer towards 0: not at 0 itself.
    if (result == DType::i1)
      return std::fabs(x);
    if (std::fabs(x) < 0.5)
      return 1 - std::fabs(x);
    break;
  default:
    break;
  }
  return std::fabs(x - std::nearbyint(x));
}

int64_t countUnary(const OpDesc &op, const TensorType &result,
                   const ApproximateTensor &operand) {
  return withFloatType(operand.tensor.dtype(), [&]<typename T>(T) {
    int64_t count = 0;
    const T *values = operand.tensor.as<T>();
    for (int64_t i = 0, n = result.shape.numElements(); i < n; ++i) {
      const auto x = static_cast<double>(values[i]);
      count += distanceToJump(op, result.dtype, x) <= operand.boundOf(x);
    }
    return count;
  });
}

int64_t countCompare(const Shape &result, const ApproximateTensor &lhs,
                     const ApproximateTensor &rhs) {
  return withFloatType(lhs.tensor.dtype(), [&]<typename T>(T) {
    int64_t count = 0;
    for (StridedIndex<2> i(result,
                           {broadcastStrides(lhs.tensor.shape(), result),
                            broadcastStrides(rhs.tensor.shape(), result)});
         !i.done(); i.next()) {
      const auto x = static_cast<double>(lhs.tensor.as<T>()[i.offset(0)]);
      const auto y = static_cast<double>(rhs.tensor.as<T>()[i.offset(1)]);
      // Equal infinities are apart by a NaN.
      count += std::isfinite(x - y) &&
               std::fabs(x - y) <= lhs.boundOf(x) + rhs.boundOf(y);
    }
    return count;
  });
}

/// The reduced tensor, with the offset of the result's element for each of the
/// operand's: 0 along the reduced dims.
Strides reducedStrides(const Shape &shape, const std::vector<int64_t> &dims) {
  Shape kept = shape;
  for (int64_t dim : dims)
    kept[static_cast<int>(dim < 0 ? dim + shape.rank() : dim)] = 1;
  return broadcastStrides(kept, shape);
}

/// Rows in which more than one element may be the largest.
int64_t countArgmax(const OpDesc &op, const TensorType &result,
                    const ApproximateTensor &operand) {
  const Shape &shape = operand.tensor.shape();
  const std::array<Strides, 2> strides = {
      rowMajorStrides(shape),
      reducedStrides(shape, op.attrs.AsReduceAttrs()->dims)};
  const auto rows = static_cast<size_t>(result.shape.numElements());
  std::vector<double> largest(rows, -std::numeric_limits<double>::infinity());
  std::vector<int> candidates(rows);
  return withFloatType(operand.tensor.dtype(), [&]<typename T>(T) {
    auto value = [&](const StridedIndex<2> &i) {
      return static_cast<double>(operand.tensor.as<T>()[i.offset(0)]);
    };
    for (StridedIndex<2> i(shape, strides); !i.done(); i.next())
      largest[i.offset(1)] = std::fmax(largest[i.offset(1)], value(i));
    for (StridedIndex<2> i(shape, strides); !i.done(); i.next()) {
      const double x = value(i), most = largest[i.offset(1)];
      candidates[i.offset(1)] +=
          x == most || most - x <= operand.boundOf(x) + operand.boundOf(most);
    }
    int64_t count = 0;
    for (int candidate : candidates)
      count += candidate > 1;
    return count;
  });
}

} // namespace

int64_t tiering::countNearJump(const OpDesc &op, const TensorType &result,
                               std::span<const Tensor> operands,
                               std::span<const ValueTolerance> tolerances) {
  std::vector<ApproximateTensor> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.push_back(ApproximateTensor::of(operands[i], tolerances[i]));
  if (op.kind == OpKind::compare)
    return countCompare(result.shape, values[0], values[1]);
  if (op.kind == OpKind::reduce)
    return countArgmax(op, result, values[0]);
  return countUnary(op, result, values[0]);
}
