//===- Ternary.cpp - Elementwise kernels, three operands --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <utility>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

template <typename T, unsigned mask>
void selectLoop(const void *condition, const void *onTrue, const void *onFalse,
                void *out, int64_t n) {
  const uint8_t *__restrict c = static_cast<const uint8_t *>(condition);
  const T *__restrict a = static_cast<const T *>(onTrue);
  const T *__restrict b = static_cast<const T *>(onFalse);
  T *__restrict y = static_cast<T *>(out);
  for (int64_t i = 0; i < n; ++i) {
    // Both are loaded, or the loop would not be vectorized.
    const T whenTrue = at<(mask & 2) != 0>(a, i);
    const T whenFalse = at<(mask & 4) != 0>(b, i);
    y[i] = at<mask & 1>(c, i) ? whenTrue : whenFalse;
  }
}

template <typename T, unsigned mask>
void clampLoop(const void *in, const void *lowest, const void *highest,
               void *out, int64_t n) {
  const T *__restrict x = static_cast<const T *>(in);
  const T *__restrict low = static_cast<const T *>(lowest);
  const T *__restrict high = static_cast<const T *>(highest);
  T *__restrict y = static_cast<T *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] = minimum(maximum(at<mask & 1>(x, i), at<(mask & 2) != 0>(low, i)),
                   at<(mask & 4) != 0>(high, i));
}

/// clampLoop on tiles of 16-bit floats.
template <typename S, unsigned mask>
void clampTiles(const void *in, const void *lowest, const void *highest,
                void *out, int64_t n) {
  float x[kTile], low[kTile], high[kTile], y[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t size = n - i < kTile ? n - i : kTile;
    widenTile(static_cast<const S *>(in) + (mask & 1 ? 0 : i), x,
              mask & 1 ? 1 : size);
    widenTile(static_cast<const S *>(lowest) + (mask & 2 ? 0 : i), low,
              mask & 2 ? 1 : size);
    widenTile(static_cast<const S *>(highest) + (mask & 4 ? 0 : i), high,
              mask & 4 ? 1 : size);
    clampLoop<float, mask>(x, low, high, y, size);
    narrowTile(y, static_cast<S *>(out) + i, size);
  }
}

template <unsigned mask> TernaryKernel clampFor(DType dtype) {
  if (dtype == DType::f16)
    return clampTiles<Half, mask>;
  if (dtype == DType::bf16)
    return clampTiles<BFloat16, mask>;
  return forNumber<TernaryKernel>(
      dtype, []<typename T>() -> TernaryKernel { return clampLoop<T, mask>; });
}

template <unsigned mask> TernaryKernel selectFor(int64_t width) {
  switch (width) {
  case 1:
    return selectLoop<uint8_t, mask>;
  case 2:
    return selectLoop<uint16_t, mask>;
  case 4:
    return selectLoop<uint32_t, mask>;
  default:
    return selectLoop<uint64_t, mask>;
  }
}

/// body.operator()<mask>() for a mask of three bits known at run time.
template <typename Body> TernaryKernel withMask(unsigned mask, Body body) {
  switch (mask) {
  case 0:
    return body.template operator()<0>();
  case 1:
    return body.template operator()<1>();
  case 2:
    return body.template operator()<2>();
  case 3:
    return body.template operator()<3>();
  case 4:
    return body.template operator()<4>();
  case 5:
    return body.template operator()<5>();
  case 6:
    return body.template operator()<6>();
  default:
    return body.template operator()<7>();
  }
}

} // namespace

TernaryKernel findSelect(int64_t width, unsigned mask) {
  return withMask(mask,
                  [&]<unsigned known> { return selectFor<known>(width); });
}

TernaryKernel findClamp(DType dtype, unsigned mask) {
  return withMask(mask, [&]<unsigned known> { return clampFor<known>(dtype); });
}

} // namespace tandem::eager::TANDEM_LEVEL
