//===- Scan.cpp - Reference: scans ---------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AxisView.h"
#include "CompensatedSum.h"
#include "Evaluate.h"
#include "Wide.h"

#include <cmath>
#include <concepts>
#include <limits>

using namespace tandem;
using namespace tandem::reference;
using eager::AxisView;
using fb::ScanKind;

namespace {

/// The elements of a line, combined one after another by a binary function. The
/// first element is taken as it is.
template <typename T, BinaryKind kind> class Folded {
public:
  explicit Folded(T first) : value(first) {}
  void add(T x) { value = applyBinary(kind, value, x); }
  T get() const { return value; }

private:
  T value;
};

/// log(sum(exp(x))) as the largest element and the sum of the exponentials of
/// the distances to it.
class LogSumExp {
public:
  explicit LogSumExp(double first) : largest(first) {}

  void add(double x) {
    if (x == largest) { // Infinities have no distance.
      sum += 1;
    } else if (x < largest) {
      sum += std::exp(x - largest);
    } else {
      sum = sum * std::exp(largest - x) + 1;
      largest = x;
    }
  }
  double get() const { return static_cast<double>(largest + std::log(sum)); }

private:
  long double largest, sum = 1;
};

template <typename T> T identityOf(ScanKind kind, DType dtype) {
  switch (kind) {
  case ScanKind::sum:
    return 0;
  case ScanKind::prod:
    return 1;
  case ScanKind::max:
  case ScanKind::log_sum_exp:
    if constexpr (std::floating_point<T>)
      return -std::numeric_limits<T>::infinity();
    return T(lowest(dtype));
  case ScanKind::min:
    if constexpr (std::floating_point<T>)
      return std::numeric_limits<T>::infinity();
    return T(highest(dtype));
  }
  __builtin_unreachable();
}

/// A line of elements that are `stride` apart; a negative stride reads it from
/// its end.
template <typename T> struct Line {
  T *first;
  int64_t stride;

  T &operator[](int64_t i) const { return first[i * stride]; }
};

/// Writes the scan of a line of `size` >= 1 elements over it.
template <typename Combined, typename T>
void scanLine(const Line<T> &line, int64_t size, bool isExclusive, T identity) {
  Combined combined(line[0]);
  if (isExclusive)
    line[0] = identity;
  for (int64_t i = 1; i < size; ++i) {
    const T x = line[i];
    if (isExclusive)
      line[i] = combined.get();
    combined.add(x);
    if (!isExclusive)
      line[i] = combined.get();
  }
}

template <typename Combined, typename T>
void scan(const fb::ScanAttrsT &attrs, const AxisView &lines, T identity,
          std::vector<T> &values) {
  for (int64_t i = 0; i < lines.outer; ++i)
    for (int64_t rest = 0; rest < lines.inner; ++rest) {
      const int64_t at = attrs.reverse ? lines.size - 1 : 0;
      scanLine<Combined>(
          Line<T>{&values[(i * lines.size + at) * lines.inner + rest],
                  attrs.reverse ? -lines.inner : lines.inner},
          lines.size, attrs.exclusive, identity);
    }
}

} // namespace

void reference::evaluateScan(const OpDesc &op, Operands operands,
                             Tensor &result) {
  const auto &attrs = *op.attrs.AsScanAttrs();
  const AxisView lines(result.shape(), attrs.axis);
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    std::vector<T> values = widen<T>(operands[0]);
    const T identity = identityOf<T>(attrs.kind, operands[0].dtype());
    if (values.empty())
      return;
    switch (attrs.kind) {
    case ScanKind::sum:
      scan<CompensatedSum<T>>(attrs, lines, identity, values);
      break;
    case ScanKind::prod:
      scan<Folded<T, BinaryKind::mul>>(attrs, lines, identity, values);
      break;
    case ScanKind::max:
      scan<Folded<T, BinaryKind::max>>(attrs, lines, identity, values);
      break;
    case ScanKind::min:
      scan<Folded<T, BinaryKind::min>>(attrs, lines, identity, values);
      break;
    case ScanKind::log_sum_exp:
      if constexpr (std::floating_point<T>)
        scan<LogSumExp>(attrs, lines, identity, values);
      break;
    }
    narrow(values, result);
  });
}
