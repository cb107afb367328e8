//===- SizeFunctions.cpp - Elementwise ONNX ops on sizes ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes/SizeFunctions.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <functional>

namespace tandem::onnx {
namespace {

std::optional<Size> subtract(const Size &lhs, const Size &rhs) {
  std::optional<Size> negated = multiply(rhs, Size(-1));
  return negated ? add(lhs, *negated) : std::nullopt;
}

/// Whether two sizes are equal, as 0 or 1, where that is known.
std::optional<Size> equal(const Size &lhs, const Size &rhs) {
  if (lhs == rhs)
    return Size(1);
  if (lhs.value() && rhs.value())
    return Size(0);
  // A product of dims is not negative.
  const Size &known = lhs.value() ? lhs : rhs;
  return known.value().value_or(0) < 0 ? std::optional(Size(0)) : std::nullopt;
}

/// A function of two integers, where they are known.
template <typename Function>
std::optional<Size> ofKnown(const Size &lhs, const Size &rhs) {
  if (!lhs.value() || !rhs.value())
    return std::nullopt;
  return Size(Function()(*lhs.value(), *rhs.value()));
}

/// The remainder, whose sign is that of the divisor.
std::optional<Size> modulo(const Size &lhs, const Size &rhs) {
  std::optional<int64_t> divisor = rhs.value();
  if (!divisor || *divisor == 0)
    return std::nullopt;
  if (*divisor == -1) // The quotient may overflow.
    return Size(0);
  if (std::optional<int64_t> dividend = lhs.value()) {
    int64_t rest = *dividend % *divisor;
    return Size(rest != 0 && (rest < 0) != (*divisor < 0) ? rest + *divisor
                                                          : rest);
  }
  return divideExactly(lhs, rhs) ? std::optional(Size(0)) : std::nullopt;
}

struct Smaller {
  int64_t operator()(int64_t x, int64_t y) { return std::min(x, y); }
};
struct Larger {
  int64_t operator()(int64_t x, int64_t y) { return std::max(x, y); }
};

} // namespace

SizeFunction findSizeFunction(llvm::StringRef op) {
  return llvm::StringSwitch<SizeFunction>(op)
      .Case("Add", add)
      .Case("Sub", subtract)
      .Case("Mul", multiply)
      .Case("Div", divide)
      .Case("Mod", modulo)
      .Case("Min", ofKnown<Smaller>)
      .Case("Max", ofKnown<Larger>)
      .Default(nullptr);
}

SizeFunction findSizePredicate(llvm::StringRef op) {
  return llvm::StringSwitch<SizeFunction>(op)
      .Case("Equal", equal)
      .Case("Less", ofKnown<std::less<>>)
      .Case("LessOrEqual", ofKnown<std::less_equal<>>)
      .Case("Greater", ofKnown<std::greater<>>)
      .Case("GreaterOrEqual", ofKnown<std::greater_equal<>>)
      .Case("And", ofKnown<std::logical_and<>>)
      .Case("Or", ofKnown<std::logical_or<>>)
      .Default(nullptr);
}

} // namespace tandem::onnx
