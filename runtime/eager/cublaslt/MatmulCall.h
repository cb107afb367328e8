//===- MatmulCall.h - Descriptors of cuBLASLt for one product ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULCALL_H
#define TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULCALL_H

#include "MatmulProblem.h"

#include "tandem/Runtime/Libraries/CUDA.h"

#include <memory>

namespace tandem::cublaslt {

/// The Error of a call that returned `result`: `what` failed, and cuBLAS's name
/// for it.
tl::unexpected<Error> failure(const cuda::CUBLASLt &library,
                              cuda::Result result, std::string_view what);

/// An algorithm that cuBLASLt's heuristics have chosen. Immutable.
struct Algorithm {
  cuda::MatmulHeuristic heuristic;
  /// The library's number for the algorithm, whatever its tiles.
  int id = 0;
};

/// The tensors of one run: `bias` and `residual` are of the result's type, and
/// are null where there is none.
struct Pointers {
  char *lhs, *rhs, *bias, *residual, *result;
};

/// The descriptors of a product. cuBLASLt's matrices are column-major, where a
/// row-major matrix is its transpose: the product is computed as
/// result^T = rhs^T * lhs^T, so that A is the rhs and B the lhs. Used by one
/// thread at a time, as the pointer to the bias is part of a descriptor.
class MatmulCall {
public:
  static Expected<std::unique_ptr<MatmulCall>>
  create(const cuda::CUBLASLt &library, const MatmulProblem &problem,
         Precision precision);
  ~MatmulCall();
  MatmulCall(const MatmulCall &) = delete;
  MatmulCall &operator=(const MatmulCall &) = delete;

  /// The algorithms that the heuristics propose, the best first; none where
  /// cuBLASLt has none. `maxWorkspaceBytes` is the most workspace.
  Expected<std::vector<Algorithm>> propose(cublasLtContext *handle,
                                           uint64_t maxWorkspaceBytes);
  /// Enqueues the product.
  Status run(cublasLtContext *handle, const Algorithm &algorithm,
             const Pointers &pointers, std::span<std::byte> workspace,
             cuda::StreamHandle stream);

private:
  MatmulCall(const cuda::CUBLASLt &library, const MatmulProblem &problem)
      : library(library), problem(problem) {}
  Status describe(Precision precision);
  /// `matrix` as cuBLASLt sees it.
  Status createLayout(const Matrix &matrix, DType dtype, void *&layout);
  Status setBias(const void *bias);

  const cuda::CUBLASLt &library;
  const MatmulProblem problem;
  void *desc = nullptr;
  void *a = nullptr, *b = nullptr, *d = nullptr;
};

} // namespace tandem::cublaslt

#endif // TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULCALL_H
