//===- MatmulOp.h - Products that cuBLASLt runs -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULOP_H
#define TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULOP_H

#include "CUBLASLt.h"

#include "tandem/Support/ObjectPool.h"

namespace tandem::cublaslt {

/// A product with its algorithm as a prepared op. Operands and results are
/// those of its FusedContraction.
class MatmulOp final : public PreparedOp {
public:
  MatmulOp(Session &session, const MatmulProblem &problem, Precision precision,
           const Algorithm &algorithm)
      : session(session), problem(problem), precision(precision),
        algorithm(algorithm) {}

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;
  int64_t workspaceBytes() const override {
    return int64_t(algorithm.heuristic.workspaceBytes);
  }

private:
  Status enqueue(const Pointers &pointers, std::span<std::byte> workspace,
                 cuda::StreamHandle stream) const;

  Session &session;
  const MatmulProblem problem;
  const Precision precision;
  const Algorithm algorithm;
  mutable ObjectPool<MatmulCall> calls;
};

} // namespace tandem::cublaslt

#endif // TANDEM_RUNTIME_EAGER_CUBLASLT_MATMULOP_H
