//===- MatmulOp.cpp - Products that cuBLASLt runs -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulOp.h"

#include "../../device/cuda/CUDAStream.h"

using namespace tandem;
using namespace tandem::cublaslt;

Status MatmulOp::enqueue(const Pointers &pointers,
                         std::span<std::byte> workspace,
                         cuda::StreamHandle stream) const {
  std::unique_ptr<MatmulCall> call = calls.take();
  if (!call) {
    TANDEM_ASSIGN_OR_RETURN(
        call, MatmulCall::create(session.functions(), problem, precision));
  }
  Status status =
      call->run(session.handle(), algorithm, pointers, workspace, stream);
  calls.put(std::move(call));
  return status;
}

Status MatmulOp::run(const StepContext &context,
                     std::span<const Tensor> operands,
                     std::span<Tensor> results) const {
  size_t next = 0;
  auto take = [&](bool isThere) {
    return isThere ? operands[next++].as<char>() : nullptr;
  };
  Pointers pointers;
  pointers.lhs = take(true);
  pointers.rhs = take(true);
  pointers.bias = take(problem.hasBias);
  pointers.residual = take(problem.hasResidual);
  pointers.result = results[0].as<char>();
  void *const all[] = {pointers.lhs, pointers.rhs, pointers.bias,
                       pointers.residual, pointers.result};
  TANDEM_RETURN_IF_ERROR(cuda::checkAlignment(all, problem.alignment));
  return static_cast<cuda::CUDAStream &>(context.stream)
      .enqueueByLibrary(context.step.empty() ? "matmul" : context.step,
                        [&](cuda::StreamHandle stream) {
                          return enqueue(pointers, context.workspace, stream);
                        });
}
