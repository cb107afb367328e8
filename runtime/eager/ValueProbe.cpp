//===- ValueProbe.cpp - What an op makes of NaN and infinity --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueProbe.h"

#include "tandem/Runtime/Float16.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tandem;

/// Calls `visit` with the tensor's elements where they are floats.
template <typename Visit>
static void visitFloats(const Tensor &tensor, Visit visit) {
  const auto count = size_t(tensor.shape().numElements());
  switch (tensor.dtype()) {
  case DType::f32:
    return visit(std::span(tensor.as<float>(), count));
  case DType::f64:
    return visit(std::span(tensor.as<double>(), count));
  case DType::f16:
    return visit(std::span(tensor.as<F16>(), count));
  case DType::bf16:
    return visit(std::span(tensor.as<BF16>(), count));
  default:
    return;
  }
}

/// What the op makes of operands of one value each: the results' values in
/// double.
static Expected<std::vector<double>>
probe(const PreparedOp &op, std::span<const TensorType> operands,
      const TensorType &result, Stream &stream, double weights, double others) {
  std::vector<Tensor> values;
  for (const TensorType &type : operands) {
    const double value = values.size() == 1 ? weights : others;
    TANDEM_ASSIGN_OR_RETURN(Tensor filled, Tensor::allocate(type));
    visitFloats(filled, [&]<typename T>(std::span<T> elements) {
      std::ranges::fill(elements, T(value));
    });
    values.push_back(std::move(filled));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> there,
                          copyToDevice(values, stream));
  TANDEM_ASSIGN_OR_RETURN(Tensor output,
                          Tensor::allocate(result, stream.allocator()));
  TANDEM_RETURN_IF_ERROR(
      runOp(op, there, {&output, 1}, stream, "a probe of values"));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost({&output, 1}, stream));
  std::vector<double> results;
  visitFloats(here[0], [&](auto elements) {
    for (auto element : elements)
      results.push_back(double(element));
  });
  return results;
}

Expected<bool> eager::keepsNaN(const PreparedOp &op,
                               std::span<const TensorType> operands,
                               const TensorType &result, Stream &stream) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  TANDEM_ASSIGN_OR_RETURN(const auto results,
                          probe(op, operands, result, stream, kNaN, kNaN));
  return std::ranges::all_of(results,
                             [](double value) { return std::isnan(value); });
}

Expected<bool> eager::keepsInfinity(const PreparedOp &op,
                                    std::span<const TensorType> operands,
                                    const TensorType &result, Stream &stream) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TANDEM_ASSIGN_OR_RETURN(const auto results,
                          probe(op, operands, result, stream, -kInfinity, 1));
  return std::ranges::find(results, -kInfinity) != results.end() ||
         std::ranges::none_of(
             results, [](double value) { return std::isfinite(value); });
}
