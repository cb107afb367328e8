//===- NaNPropagationProbe.cpp - Whether an op keeps NaN ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaNPropagationProbe.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tandem;

/// Calls `visit` with the tensor's elements.
template <typename Visit>
static void visitElements(const Tensor &tensor, Visit visit) {
  const auto count = size_t(tensor.shape().numElements());
  withStorage(tensor.dtype(),
              [&]<typename T>(T) { visit(std::span(tensor.as<T>(), count)); });
}

Expected<std::vector<double>> eager::probe(const PreparedOp &op,
                                           std::span<const TensorType> operands,
                                           const TensorType &result,
                                           Stream &stream,
                                           const ProbedValue &value) {
  std::vector<Tensor> values;
  for (const TensorType &type : operands) {
    TANDEM_ASSIGN_OR_RETURN(Tensor filled, Tensor::allocate(type));
    visitElements(filled, [&]<typename T>(std::span<T> elements) {
      for (size_t i = 0; i < elements.size(); ++i)
        elements[i] = T(value(values.size(), int64_t(i)));
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
  visitElements(here[0], [&](auto elements) {
    for (auto element : elements)
      results.push_back(double(element));
  });
  return results;
}

Expected<bool> eager::keepsNaN(const PreparedOp &op,
                               std::span<const TensorType> operands,
                               const TensorType &result, Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(
      const auto results,
      probe(op, operands, result, stream, [](size_t, int64_t) {
        return std::numeric_limits<double>::quiet_NaN();
      }));
  return std::ranges::all_of(results,
                             [](double value) { return std::isnan(value); });
}
