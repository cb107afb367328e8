//===- ThroughFloat.cpp - Ops on 16-bit floats by way of f32 ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "eigen/Parallel.h"
#include "eigen/Prepare.h"
#include "eigen/kernels/Kernels.h"

#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {
void castAll(UnaryKernel cast, const Tensor &from, const Tensor &to) {
  parallelFor(
      from.shape().numElements(), kGrain, [&](int64_t begin, int64_t end) {
        cast(from.as<char>() + begin * byteWidth(from.dtype()),
             to.as<char>() + begin * byteWidth(to.dtype()), end - begin);
      });
}

/// The types of the op on f32.
struct WideTypes {
  std::vector<TensorType> operands;
  TensorType result;

  explicit WideTypes(const OpSignature &signature)
      : operands(signature.operands.begin(), signature.operands.end()),
        result(signature.result()) {
    for (TensorType &type : operands)
      type.dtype = DType::f32;
    if (result.dtype == signature.operands[0].dtype) // Else argmax.
      result.dtype = DType::f32;
  }
};

class ThroughFloatOp final : public PreparedOp {
public:
  ThroughFloatOp(Prepared op, WideTypes types, DType dtype)
      : op(std::move(op)), types(std::move(types)),
        widen(kernels().cast(dtype, DType::f32)),
        narrow(kernels().cast(DType::f32, dtype)) {}

  int64_t workspaceBytes() const override {
    int64_t bytes = op->workspaceBytes();
    for (const TensorType &operand : types.operands)
      bytes += alignedBytes(operand.bytes());
    return isResultWide() ? bytes + alignedBytes(types.result.bytes()) : bytes;
  }

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    Scratch scratch(context);
    std::vector<Tensor> wide;
    for (size_t i = 0; i < operands.size(); ++i) {
      wide.push_back(scratch.take(types.operands[i]));
      castAll(widen, operands[i], wide.back());
    }
    if (!isResultWide())
      return op->run(scratch.left(), wide, results);
    Tensor result = scratch.take(types.result);
    TANDEM_RETURN_IF_ERROR(op->run(scratch.left(), wide, {&result, 1}));
    castAll(narrow, result, results[0]);
    return {};
  }

private:
  bool isResultWide() const { return types.result.dtype == DType::f32; }

  Prepared op;
  WideTypes types;
  UnaryKernel widen, narrow;
};

class ThroughFloatProvider final : public Provider {
public:
  explicit ThroughFloatProvider(ProviderList inner)
      : inner(inner.begin(), inner.end()) {}

  std::string_view name() const override { return "through f32"; }

  Expected<Prepared> prepare(const OpSignature &signature) const override {
    if (!goesThroughFloat(signature) ||
        signature.result().shape.numElements() == 0)
      return nullptr;
    WideTypes types(signature);
    const OpSignature wide{signature.op, types.operands, {&types.result, 1}};
    for (const Provider *provider : inner) {
      TANDEM_ASSIGN_OR_RETURN(Prepared op, provider->prepare(wide));
      if (op)
        return std::make_unique<ThroughFloatOp>(std::move(op), std::move(types),
                                                signature.operands[0].dtype);
    }
    return nullptr;
  }

private:
  const std::vector<const Provider *> inner;
};
} // namespace

std::unique_ptr<Provider>
tandem::createThroughFloatProvider(ProviderList inner) {
  return std::make_unique<ThroughFloatProvider>(inner);
}
