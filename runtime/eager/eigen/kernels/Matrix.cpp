//===- Matrix.cpp - Transposition and matrix products -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <Eigen/Core>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// One square tile, of a vector register each way where Eigen can transpose
/// registers of the type.
template <typename T> struct Tile {
  static constexpr int64_t size = 16;
  static void transpose(const T *in, T *out, int64_t inStride,
                        int64_t outStride) {
    for (int64_t b = 0; b < size; ++b)
      for (int64_t a = 0; a < size; ++a)
        out[b * outStride + a] = in[a * inStride + b];
  }
};

template <typename T> struct VectorTile {
  using Packet = typename Eigen::internal::packet_traits<T>::type;
  static constexpr int64_t size =
      Eigen::internal::unpacket_traits<Packet>::size;
  static void transpose(const T *in, T *out, int64_t inStride,
                        int64_t outStride) {
    Eigen::internal::PacketBlock<Packet, size> block;
    for (int64_t a = 0; a < size; ++a)
      block.packet[a] = Eigen::internal::ploadu<Packet>(in + a * inStride);
    Eigen::internal::ptranspose(block);
    for (int64_t b = 0; b < size; ++b)
      Eigen::internal::pstoreu(out + b * outStride, block.packet[b]);
  }
};
template <> struct Tile<float> : VectorTile<float> {};
template <> struct Tile<double> : VectorTile<double> {};

template <typename T>
void transpose(const void *in, void *out, int64_t rows, int64_t columns,
               int64_t inStride, int64_t outStride) {
  constexpr int64_t tile = Tile<T>::size;
  const T *x = static_cast<const T *>(in);
  T *y = static_cast<T *>(out);
  int64_t i = 0;
  for (; i + tile <= rows; i += tile) {
    int64_t j = 0;
    for (; j + tile <= columns; j += tile)
      Tile<T>::transpose(x + i * inStride + j, y + j * outStride + i, inStride,
                         outStride);
    for (; j < columns; ++j)
      for (int64_t a = 0; a < tile; ++a)
        y[j * outStride + i + a] = x[(i + a) * inStride + j];
  }
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t a = i; a < rows; ++a)
      y[j * outStride + a] = x[a * inStride + j];
}

template <typename T>
using Matrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
void matmul(const void *lhs, const void *rhs, void *result, int64_t m,
            int64_t n, int64_t k, bool transposeLhs, bool transposeRhs,
            int64_t resultStride) {
  using In = Eigen::Map<const Matrix<T>>;
  const T *a = static_cast<const T *>(lhs), *b = static_cast<const T *>(rhs);
  Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>> c(
      static_cast<T *>(result), m, n, Eigen::OuterStride<>(resultStride));
  if (transposeLhs && transposeRhs)
    c.noalias() = In(a, k, m).transpose() * In(b, n, k).transpose();
  else if (transposeLhs)
    c.noalias() = In(a, k, m).transpose() * In(b, k, n);
  else if (transposeRhs)
    c.noalias() = In(a, m, k) * In(b, n, k).transpose();
  else
    c.noalias() = In(a, m, k) * In(b, k, n);
}

} // namespace

TransposeKernel findTranspose(int64_t width) {
  switch (width) {
  case 1:
    return transpose<uint8_t>;
  case 2:
    return transpose<uint16_t>;
  case 4:
    return transpose<float>;
  default:
    return transpose<double>;
  }
}

/// Integers are multiplied as unsigned ones, which wrap; products of 8-bit
/// integers are not worth a kernel.
MatmulKernel findMatmul(DType dtype) {
  switch (dtype) {
  case DType::f64:
    return matmul<double>;
  case DType::i32:
  case DType::ui32:
    return matmul<uint32_t>;
  case DType::i64:
  case DType::ui64:
    return matmul<uint64_t>;
  case DType::f32: // oneDNN multiplies it.
  case DType::f16:
  case DType::bf16:
  case DType::i1:
  case DType::i8:
  case DType::ui8:
  case DType::i16:
  case DType::ui16:
    break;
  }
  return nullptr;
}

} // namespace tandem::eager::TANDEM_LEVEL
