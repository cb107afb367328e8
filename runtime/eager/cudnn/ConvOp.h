//===- ConvOp.h - Convolutions that cuDNN runs ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_CONVOP_H
#define TANDEM_RUNTIME_EAGER_CUDNN_CONVOP_H

#include "CUDNN.h"

namespace tandem::cudnn {

/// A plan of cuDNN's as a prepared op. Operands and results are those of its
/// FusedContraction.
class ConvOp final : public PreparedOp {
public:
  ConvOp(Session &session, std::shared_ptr<const PlanChoice> plans,
         const ConvProblem &problem);

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;
  int64_t workspaceBytes() const override { return plans->workspaceBytes(); }

private:
  Session &session;
  const std::shared_ptr<const PlanChoice> plans;
  const int64_t alignment;
  /// The ids of the operands, and of the result.
  std::vector<int64_t> ids;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_CONVOP_H
