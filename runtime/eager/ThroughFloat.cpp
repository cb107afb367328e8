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

/// The types of the op on f32, and which of them differ from those of the op.
/// Indices and the like keep their types, and so do the statistics of a
/// layer_norm, which are of f32 already.
struct WideTypes {
  explicit WideTypes(const OpSignature &signature)
      : operands(signature.operands.begin(), signature.operands.end()),
        results(signature.results.begin(), signature.results.end()),
        isOperandWidened(widen(operands, signature.operands[0].dtype)),
        isResultWidened(widen(results, signature.operands[0].dtype)) {}

  std::vector<TensorType> operands, results;
  std::vector<bool> isOperandWidened, isResultWidened;

private:
  static std::vector<bool> widen(std::vector<TensorType> &types, DType narrow) {
    std::vector<bool> isWidened;
    for (TensorType &type : types) {
      isWidened.push_back(type.dtype == narrow);
      if (isWidened.back())
        type.dtype = DType::f32;
    }
    return isWidened;
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
    for (size_t i = 0; i < types.operands.size(); ++i)
      if (types.isOperandWidened[i])
        bytes += alignedBytes(types.operands[i].bytes());
    for (size_t i = 0; i < types.results.size(); ++i)
      if (types.isResultWidened[i])
        bytes += alignedBytes(types.results[i].bytes());
    return bytes;
  }

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    Scratch scratch(context);
    std::vector<Tensor> wide(operands.begin(), operands.end());
    for (size_t i = 0; i < operands.size(); ++i)
      if (types.isOperandWidened[i]) {
        wide[i] = scratch.take(types.operands[i]);
        castAll(widen, operands[i], wide[i]);
      }
    std::vector<Tensor> computed(results.begin(), results.end());
    for (size_t i = 0; i < results.size(); ++i)
      if (types.isResultWidened[i])
        computed[i] = scratch.take(types.results[i]);
    TANDEM_RETURN_IF_ERROR(op->run(scratch.left(), wide, computed));
    for (size_t i = 0; i < results.size(); ++i)
      if (types.isResultWidened[i])
        castAll(narrow, computed[i], results[i]);
    return {};
  }

private:
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
    if (!goesThroughFloat(signature) || !signature.hasElements())
      return nullptr;
    WideTypes types(signature);
    const OpSignature wide{signature.op, types.operands, types.results};
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
