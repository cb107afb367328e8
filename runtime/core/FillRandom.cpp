//===- FillRandom.cpp - Reproducible random tensors -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitMix64.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Memory/Storage.h"

#include <Eigen/Core>

using namespace tandem;

/// Uniform in [-1, 1) on a grid that `bits` bits of significand hold exactly,
/// so that no rounding reaches 1.
template <int bits> static double uniform(uint64_t random) {
  constexpr double kStep = 2.0 / (uint64_t(1) << bits);
  return static_cast<double>(random >> (64 - bits)) * kStep - 1.0;
}

template <typename T, typename Make>
static void fill(Tensor &tensor, uint64_t seed, Make make) {
  SplitMix64 random(SplitMix64(seed).next());
  T *data = tensor.as<T>();
  int64_t count = tensor.shape().numElements();
  for (int64_t i = 0; i < count; ++i)
    data[i] = static_cast<T>(make(random.next()));
}

void tandem::fillRandomBytes(Tensor &tensor, uint64_t seed) {
  if (tensor.dtype() == DType::i8 || tensor.dtype() == DType::ui8)
    fill<uint8_t>(tensor, seed, [](uint64_t random) { return random >> 56; });
  else
    fillRandom(tensor, seed);
}

void tandem::fillRandom(Tensor &tensor, uint64_t seed) {
  withStorage<Eigen::half, Eigen::bfloat16>(tensor.dtype(), [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, bool>)
      fill<uint8_t>(tensor, seed, [](uint64_t r) { return r >> 63; });
    else if constexpr (std::is_integral_v<T>)
      fill<T>(tensor, seed, [](uint64_t random) { return random >> 61; });
    else
      fill<T>(tensor, seed, uniform<std::numeric_limits<T>::digits>);
  });
}
