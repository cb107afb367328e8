//===- CompensatedSum.h - Sums of the reference -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_COMPENSATEDSUM_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_COMPENSATEDSUM_H

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tandem::reference {

/// A sum of doubles as if added in twice the precision: rounding errors of
/// equal terms add up, and the reference must not err as much as what it judges
/// (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen", ZAMM 54, 1974). Integers wrap.
template <typename T> class CompensatedSum {
public:
  CompensatedSum() = default;
  /// The sum of one term, which keeps the sign of a zero.
  explicit CompensatedSum(T first) : sum(first) {}

  void add(T x) {
    if constexpr (std::is_same_v<T, double>) {
      const double next = sum + x;
      rest +=
          std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
    } else {
      sum = T(uint64_t(sum) + uint64_t(x));
    }
  }
  T get() const {
    if constexpr (std::is_same_v<T, double>)
      return std::isfinite(rest) && rest != 0 ? sum + rest : sum;
    else
      return sum;
  }

private:
  T sum = 0, rest = 0;
};

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_COMPENSATEDSUM_H
