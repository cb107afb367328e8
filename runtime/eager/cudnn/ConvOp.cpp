//===- ConvOp.cpp - Convolutions that cuDNN runs --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvOp.h"

#include "../../device/cuda/CUDAStream.h"

using namespace tandem;
using namespace tandem::cudnn;

ConvOp::ConvOp(Session &session, std::shared_ptr<const PlanChoice> plans,
               const ConvProblem &problem)
    : session(session), plans(std::move(plans)), alignment(problem.alignment),
      ids{kInput, kKernel} {
  if (problem.hasBias)
    ids.push_back(kBias);
  if (problem.hasResidual)
    ids.push_back(kResidual);
  ids.push_back(kOutput);
}

Status ConvOp::run(const StepContext &context, std::span<const Tensor> operands,
                   std::span<Tensor> results) const {
  std::array<void *, 5> pointers;
  for (size_t i = 0; i < ids.size(); ++i)
    pointers[i] = i < operands.size() ? operands[i].data() : results[0].data();
  const std::span<void *const> used(pointers.data(), ids.size());
  TANDEM_RETURN_IF_ERROR(cuda::checkAlignment(used, alignment));
  return static_cast<cuda::CUDAStream &>(context.stream)
      .enqueueByLibrary(context.step.empty() ? "conv" : context.step,
                        [&](cuda::StreamHandle stream) {
                          return session.execute(plans->now(), stream, ids,
                                                 used,
                                                 context.workspace.data());
                        });
}
