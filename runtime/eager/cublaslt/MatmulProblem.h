//===- MatmulProblem.h - Matrix products in cuBLASLt's terms ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULPROBLEM_H
#define TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULPROBLEM_H

#include "tandem/Runtime/Kernels/FusedContraction.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::cublaslt {

/// A matrix in row-major order, and how often it is repeated. Strides are in
/// elements.
struct Matrix {
  /// The size of the matrix as it is stored, rows x columns; transposed if the
  /// product says so.
  int64_t rows = 0, columns = 0;
  /// From one row to the next.
  int64_t rowStride = 0;
  /// From one matrix of a batch to the next; 0 where all are the same.
  int64_t batchStride = 0;
};

/// A product with its epilogue: result = activation(lhs * rhs + residual +
/// bias), m x n, where every row has the same bias.
struct MatmulProblem {
  /// The type of the result, of its sums, and of bias and residual.
  DType dtype = DType::f32;
  /// The type of lhs and rhs: `dtype`, or i8 if that is i32.
  DType factors = DType::f32;
  Matrix lhs, rhs, result;
  bool transposeLhs = false, transposeRhs = false;
  /// The matrices of one call, and where each call's first matrices begin: more
  /// than one call where the batch has no single stride.
  int64_t batch = 1;
  struct Offsets {
    int64_t lhs, rhs, result;
  };
  std::vector<Offsets> calls;
  bool hasBias = false, hasResidual = false;
  Activation activation = Activation::none;
  /// What the addresses of all operands and of the result are multiples of, in
  /// bytes, and those that all calls begin at.
  int64_t alignment = 16, callAlignment = 16;

  /// Returns the problem if cuBLASLt supports its types, no dim has size 0 and
  /// there are not too many calls; returns none otherwise.
  static std::optional<MatmulProblem> of(const FusedContraction &matmul);

  /// All that the choice of an algorithm depends on, as text: for caches.
  std::string key() const;
};

} // namespace tandem::cublaslt

#endif // TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULPROBLEM_H
