//===- Indexing.cpp - Reference: scattering and sorting ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AxisView.h"
#include "Evaluate.h"
#include "Wide.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numeric>

using namespace tandem;
using namespace tandem::reference;
using eager::AxisView;

/// The function that combines an element with an update.
static std::optional<BinaryKind> combiner(fb::ScatterKind kind) {
  switch (kind) {
  case fb::ScatterKind::replace:
    break;
  case fb::ScatterKind::add:
    return BinaryKind::add;
  case fb::ScatterKind::mul:
    return BinaryKind::mul;
  case fb::ScatterKind::min:
    return BinaryKind::min;
  case fb::ScatterKind::max:
    return BinaryKind::max;
  }
  return std::nullopt;
}

/// The value as an element of the type holds it; integers wrap in the end.
template <std::integral T> static T rounded(T value, DType) { return value; }
static double rounded(double value, DType dtype) {
  return withStorage(dtype, [&]<typename T>(T) -> double {
    if constexpr (isFloatStorage<T>)
      return static_cast<double>(static_cast<T>(value));
    else
      return value;
  });
}

void reference::evaluateScatter(const OpDesc &op, Operands operands,
                                Tensor &result) {
  const auto &attrs = *op.attrs.AsScatterAttrs();
  const std::optional<BinaryKind> combine = combiner(attrs.kind);
  const AxisView lines(result.shape(), attrs.axis);
  const std::vector<int64_t> indices = widen<int64_t>(operands[1]);
  const auto count = static_cast<int64_t>(indices.size());
  withWideType(result.dtype(), [&]<typename T>(T) {
    std::vector<T> values = widen<T>(operands[0]);
    const std::vector<T> updates = widen<T>(operands[2]);
    for (int64_t i = 0; i < lines.outer; ++i)
      for (int64_t j = 0; j < count; ++j)
        for (int64_t k = 0; k < lines.inner; ++k) {
          if (indices[j] < 0 || indices[j] >= lines.size)
            continue;
          T &to = values[(i * lines.size + indices[j]) * lines.inner + k];
          const T update = updates[(i * count + j) * lines.inner + k];
          to = combine
                   ? rounded(applyBinary(*combine, to, update), result.dtype())
                   : update;
        }
    narrow(values, result);
  });
}

template <std::integral T> static bool isLess(T a, T b) { return a < b; }
/// NaN is larger than all numbers.
static bool isLess(double a, double b) {
  return std::isnan(a) ? false : std::isnan(b) || a < b;
}

/// The indices of the elements of one line in order.
template <typename T>
static std::vector<int64_t> orderOf(const std::vector<T> &line,
                                    bool isAscending) {
  std::vector<int64_t> order(line.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const T x = line[isAscending ? a : b], y = line[isAscending ? b : a];
    return isLess(x, y) || (!isLess(y, x) && a < b);
  });
  return order;
}

void reference::evaluateOrder(const OpDesc &op, Operands operands,
                              std::span<Tensor> results) {
  const LineOrder wanted = LineOrder::of(op, operands[0].type());
  const AxisView lines(operands[0].shape(), wanted.axis);
  std::vector<int64_t> indices(results[1].shape().numElements());
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    const std::vector<T> from = widen<T>(operands[0]);
    std::vector<T> values(indices.size()), line(lines.size);
    for (int64_t i = 0; i < lines.outer; ++i)
      for (int64_t rest = 0; rest < lines.inner; ++rest) {
        for (int64_t j = 0; j < lines.size; ++j)
          line[j] = from[(i * lines.size + j) * lines.inner + rest];
        const std::vector<int64_t> order = orderOf(line, wanted.isAscending);
        for (int64_t j = 0; j < wanted.k; ++j) {
          const int64_t to = (i * wanted.k + j) * lines.inner + rest;
          indices[to] = order[j];
          values[to] = line[order[j]];
        }
      }
    narrow(values, results[0]);
  });
  narrow(indices, results[1]);
}
