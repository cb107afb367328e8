//===- Elements.h - Elements of the device's tensors ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_ELEMENTS_H
#define TANDEM_TEST_FAKECUDA_ELEMENTS_H

#include "tandem/Runtime/Float16.h"
#include "tandem/Support/TensorType.h"

#include <cmath>

namespace fake {

using tandem::DType;

inline double load(const void *data, DType dtype, int64_t index) {
  switch (dtype) {
  case DType::f64:
    return static_cast<const double *>(data)[index];
  case DType::f16:
    return double(static_cast<const tandem::F16 *>(data)[index]);
  case DType::bf16:
    return double(static_cast<const tandem::BF16 *>(data)[index]);
  case DType::i8:
    return static_cast<const int8_t *>(data)[index];
  case DType::i32:
    return static_cast<const int32_t *>(data)[index];
  default:
    return static_cast<const float *>(data)[index];
  }
}

inline void store(void *data, DType dtype, int64_t index, double value) {
  switch (dtype) {
  case DType::f64:
    static_cast<double *>(data)[index] = value;
    break;
  case DType::f16:
    static_cast<tandem::F16 *>(data)[index] = tandem::F16(value);
    break;
  case DType::bf16:
    static_cast<tandem::BF16 *>(data)[index] = tandem::BF16(value);
    break;
  case DType::i32:
    static_cast<int32_t *>(data)[index] = int32_t(value);
    break;
  default:
    static_cast<float *>(data)[index] = float(value);
  }
}

/// The value with the 10 bits of mantissa that TF32 keeps.
inline double roundToTF32(double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  const int unit = std::ilogb(value) - 10;
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

/// What hardware's max makes of a NaN where a library does not care.
inline double reluThatDropsNaN(double value) { return value > 0 ? value : 0; }
inline double reluThatKeepsNaN(double value) {
  return value > 0 || std::isnan(value) ? value : 0;
}

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_ELEMENTS_H
