//===- RandomLines.cpp - Random scans and Fourier transforms -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include <cmath>
#include <optional>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// The largest magnitude of results of f16, and of operands of more ops.
constexpr double kMostHalf = 1000;

/// Returns the result, or nothing if it may be too large.
template <typename Attrs>
std::optional<int> append(GraphBuilder &b, OpKind kind, Attrs attrs, int x,
                          double magnitude) {
  if (b.type(x).dtype == DType::f16 && magnitude > kMostHalf)
    return std::nullopt;
  OpDesc desc;
  desc.kind = kind;
  desc.attrs.Set(std::move(attrs));
  return b.op(std::move(desc), {x}, magnitude);
}

/// Only sums and products begin with a finite number if they are exclusive.
void appendScan(GraphBuilder &b) {
  using fb::ScanKind;
  const auto kind = static_cast<ScanKind>(b.random.below(5));
  int x = b.pickFloat(1, 4);
  if (kind == ScanKind::prod)
    x = b.tamed(x, 1);
  fb::ScanAttrsT attrs;
  attrs.kind = kind;
  attrs.axis = b.random.below(b.type(x).shape.rank());
  attrs.reverse = b.random.chance(30);
  attrs.exclusive =
      (kind == ScanKind::sum || kind == ScanKind::prod) && b.random.chance(30);
  const auto size =
      static_cast<double>(b.type(x).shape[static_cast<int>(attrs.axis)]);
  double magnitude = b.node(x).magnitude;
  if (kind == ScanKind::sum)
    magnitude *= size;
  else if (kind == ScanKind::prod)
    magnitude = 1;
  else if (kind == ScanKind::log_sum_exp)
    magnitude += std::log(size + 1);
  append(b, OpKind::scan, std::move(attrs), x, magnitude);
}

/// An rfft of any tensor, followed half the time by a transform of its result.
void appendFFT(GraphBuilder &b) {
  using fb::FFTKind;
  const int x = b.pickFloat(1, 4);
  const auto axis = static_cast<int>(b.random.below(b.type(x).shape.rank()));
  const int64_t size = b.type(x).shape[axis];
  const double magnitude = b.node(x).magnitude * static_cast<double>(size);
  if (magnitude > 1e4)
    return;
  const auto transform = [&](FFTKind kind, int from, int64_t length,
                             double most) {
    return append(b, OpKind::fft, fb::FFTAttrsT{{}, axis, kind, length}, from,
                  most);
  };
  const std::optional<int> spectrum = transform(FFTKind::rfft, x, 0, magnitude);
  if (!spectrum || b.random.chance(50))
    return;
  const double most = 2 * magnitude;
  switch (b.random.below(3)) {
  case 0:
    transform(FFTKind::irfft, *spectrum, size, most);
    break;
  case 1:
    transform(FFTKind::ifft, *spectrum, 0, most);
    break;
  default:
    transform(FFTKind::fft, *spectrum, 0,
              most * static_cast<double>(size / 2 + 1));
  }
}

} // namespace

void fuzz::appendLineOp(GraphBuilder &b) {
  b.random.chance(60) ? appendScan(b) : appendFFT(b);
}
