//===- ThroughFloat.cpp - Ops on 16-bit floats by way of f32 ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {
bool isSixteenBit(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

void castAll(UnaryKernel cast, const Tensor &from, Tensor &to) {
  parallelFor(
      from.shape().numElements(), kGrain, [&](int64_t begin, int64_t end) {
        cast(from.as<char>() + begin * byteWidth(from.dtype()),
             to.as<char>() + begin * byteWidth(to.dtype()), end - begin);
      });
}

class ThroughFloatOp final : public PreparedOp {
public:
  ThroughFloatOp(Prepared op, std::span<const TensorType> wideOperands,
                 DType dtype, const TensorType &wideResult)
      : op(std::move(op)), wideResult(wideResult), bytes(wideResult.bytes()),
        widen(kernels().cast(dtype, DType::f32)),
        narrow(kernels().cast(DType::f32, dtype)) {
    if (wideResult.dtype != DType::f32) // argmax: the result is written at once
      bytes = 0;
    for (const TensorType &operand : wideOperands)
      bytes += operand.bytes();
    bytes += this->op->workspaceBytes();
  }

  int64_t workspaceBytes() const override { return bytes; }

  Status run(std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    std::vector<Tensor> wide;
    for (const Tensor &operand : operands) {
      TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                              Tensor::allocate({DType::f32, operand.shape()}));
      castAll(widen, operand, copy);
      wide.push_back(std::move(copy));
    }
    if (!isSixteenBit(results[0].dtype())) // argmax
      return op->run(wide, results);
    TANDEM_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(wideResult));
    TANDEM_RETURN_IF_ERROR(op->run(wide, std::span(&result, 1)));
    castAll(narrow, result, results[0]);
    return {};
  }

private:
  Prepared op;
  TensorType wideResult;
  int64_t bytes;
  UnaryKernel widen, narrow;
};
} // namespace

Prepared eager::prepareThroughFloat(const Signature &signature) {
  const DType dtype = signature.operands[0].dtype;
  std::vector<TensorType> operands(signature.operands.begin(),
                                   signature.operands.end());
  for (TensorType &type : operands)
    type.dtype = DType::f32;
  TensorType result = signature.result;
  if (isSixteenBit(result.dtype))
    result.dtype = DType::f32;
  const std::span<const TensorType> results(&result, 1);
  for (const Provider *provider : {&oneDNNProvider(), &eigenProvider()}) {
    if (!provider->supports(signature.op, operands, results))
      continue;
    if (auto op = provider->prepare(signature.op, operands, results))
      return std::make_unique<ThroughFloatOp>(std::move(*op), operands, dtype,
                                              result);
  }
  return nullptr;
}
