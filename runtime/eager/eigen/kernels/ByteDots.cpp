//===- ByteDots.cpp - Dot products of widened 8-bit integers --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <immintrin.h>

#include <type_traits>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// A register of the level: pairs of i16 are multiplied and added to i32, which
/// is exact for factors of 8 bits.
#if defined(__AVX512BW__)
struct Register {
  __m512i lanes = _mm512_setzero_si512();
  static constexpr int64_t kHalves = 32, kColumns = 4;
  static Register load(const int16_t *from) {
    return {_mm512_loadu_si512(from)};
  }
  void addProducts(Register a, Register b) {
    lanes = _mm512_add_epi32(lanes, _mm512_madd_epi16(a.lanes, b.lanes));
  }
  int32_t sum() const { return _mm512_reduce_add_epi32(lanes); }
};
#elif defined(__AVX2__)
struct Register {
  __m256i lanes = _mm256_setzero_si256();
  static constexpr int64_t kHalves = 16, kColumns = 2;
  static Register load(const int16_t *from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i *>(from))};
  }
  void addProducts(Register a, Register b) {
    lanes = _mm256_add_epi32(lanes, _mm256_madd_epi16(a.lanes, b.lanes));
  }
  int32_t sum() const {
    alignas(32) int32_t each[8];
    _mm256_store_si256(reinterpret_cast<__m256i *>(each), lanes);
    int32_t total = 0;
    for (int32_t lane : each)
      total += lane;
    return total;
  }
};
#else
struct Register {
  __m128i lanes = _mm_setzero_si128();
  static constexpr int64_t kHalves = 8, kColumns = 2;
  static Register load(const int16_t *from) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i *>(from))};
  }
  void addProducts(Register a, Register b) {
    lanes = _mm_add_epi32(lanes, _mm_madd_epi16(a.lanes, b.lanes));
  }
  int32_t sum() const {
    alignas(16) int32_t each[4];
    _mm_store_si128(reinterpret_cast<__m128i *>(each), lanes);
    return each[0] + each[1] + each[2] + each[3];
  }
};
#endif

constexpr int64_t kRows = 4, kColumns = Register::kColumns;

/// The sums of products of `Rows` rows with `Columns` columns.
template <int64_t Rows, int64_t Columns>
void multiplyTile(const int16_t *rows, const int16_t *columns, int32_t *sums,
                  int64_t n, int64_t k) {
  Register tile[Rows][Columns];
  for (int64_t p = 0; p < k; p += Register::kHalves) {
    Register right[Columns];
    for (int64_t j = 0; j < Columns; ++j)
      right[j] = Register::load(columns + j * k + p);
    for (int64_t i = 0; i < Rows; ++i) {
      const Register left = Register::load(rows + i * k + p);
      for (int64_t j = 0; j < Columns; ++j)
        tile[i][j].addProducts(left, right[j]);
    }
  }
  for (int64_t i = 0; i < Rows; ++i)
    for (int64_t j = 0; j < Columns; ++j)
      sums[i * n + j] = tile[i][j].sum();
}

/// The columns stay in the near cache while all rows pass.
void byteDots(const int16_t *rows, const int16_t *columns, int32_t *sums,
              int64_t m, int64_t n, int64_t k) {
  static_assert(kByteDepth % Register::kHalves == 0);
  int64_t j = 0;
  for (; j + kColumns <= n; j += kColumns) {
    int64_t i = 0;
    for (; i + kRows <= m; i += kRows)
      multiplyTile<kRows, kColumns>(rows + i * k, columns + j * k,
                                    sums + i * n + j, n, k);
    for (; i < m; ++i)
      multiplyTile<1, kColumns>(rows + i * k, columns + j * k, sums + i * n + j,
                                n, k);
  }
  for (; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      multiplyTile<1, 1>(rows + i * k, columns + j * k, sums + i * n + j, n, k);
}

/// A product of 8 bits each fits 16 bits.
template <typename T>
void byteProducts(const void *data, int64_t stride, const int16_t *factors,
                  int64_t factorStride, int32_t *sums, int64_t n) {
  const T *x = static_cast<const T *>(data);
  const auto add = [&](auto dataStep, const auto &factorAt) {
    for (int64_t i = 0; i < n; ++i)
      sums[i] += static_cast<int16_t>(x[i * dataStep] * factorAt(i));
  };
  const auto addAll = [&](const auto &factorAt) {
    if (stride == 1)
      add(std::integral_constant<int64_t, 1>(), factorAt);
    else if (stride == 2)
      add(std::integral_constant<int64_t, 2>(), factorAt);
    else
      add(stride, factorAt);
  };
  if (factorStride == 0)
    addAll([factor = *factors](int64_t) { return factor; });
  else
    addAll([=](int64_t i) { return factors[i * factorStride]; });
}

} // namespace

ByteProductsKernel findByteProducts(DType dtype) {
  return dtype == DType::ui8 ? byteProducts<uint8_t> : byteProducts<int8_t>;
}

ByteDotsKernel findByteDots() { return byteDots; }

} // namespace tandem::eager::TANDEM_LEVEL
