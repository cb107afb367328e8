//===- CUBLASLtProduct.h - A product of the fake cuBLASLt -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_LIBRARIES_CUBLASLTPRODUCT_H
#define TANDEM_TEST_FAKECUDA_LIBRARIES_CUBLASLTPRODUCT_H

#include "Driver/Machine.h"

namespace fake::cublaslt {

// The enumerations, each a namespace.
#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  namespace enumeration {                                                      \
  [[maybe_unused]] inline constexpr int name = value;                          \
  }
#include "tandem/Runtime/Libraries/CUBLASLtConstants.def"
#undef TANDEM_CONSTANT

inline constexpr Result kInvalid = 7; // CUBLAS_STATUS_INVALID_VALUE

/// A matrix in column-major order.
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leadingDim;
  int32_t batch = 1;
  int64_t offset = 0;

  int64_t index(uint64_t row, uint64_t column, int32_t matrix) const {
    return int64_t(row) + int64_t(column) * leadingDim + matrix * offset;
  }
  int64_t numElements() const {
    return index(rows - 1, columns - 1, batch - 1) + 1;
  }
};

/// What is computed.
struct Desc {
  int computeType, scaleType;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = Epilogue::none;
  const void *bias = nullptr;

  bool hasBias() const { return epilogue & Epilogue::bias; }
};

struct Preferences {
  uint64_t maxWorkspaceBytes = 0;
  uint32_t reductionSchemes = ReductionScheme::all;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

/// What is in the 64 bytes of an algorithm.
struct Algo {
  uint64_t mark, id, workspaceBytes, alignment;
};
inline constexpr uint64_t kMark = 0xfa4eb1a5;

/// Reports something that is wrong.
Result wrong(const std::string &message);

/// A product's descriptors.
struct Product {
  Desc desc;
  Layout a, b, c, d;

  uint64_t depth() const { return desc.transposeA ? a.rows : a.columns; }
  int64_t elementBytes() const;
  /// Whether they fit. Reports what does not.
  Result check() const;

private:
  Result checkIntegers() const;
};

/// A product on the device's memory.
struct Execution {
  Product product;
  Algo algo;
  double alpha, beta;
  const void *a, *b, *c;
  void *d;

  /// Checks where the matrices are, and notes their uses.
  Result use(void *workspace, size_t workspaceBytes,
             std::vector<Use> &uses) const;
  void run() const;

private:
  double element(uint64_t row, uint64_t column, int32_t matrix) const;
  double sum(uint64_t row, uint64_t column, int32_t matrix) const;
};

} // namespace fake::cublaslt

#endif // TANDEM_TEST_FAKECUDA_LIBRARIES_CUBLASLTPRODUCT_H
