//===- NaNProbe.cpp - Whether an op keeps NaN -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaNProbe.h"

#include "tandem/Runtime/Float16.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tandem;

template <typename T> static bool isAllNaN(const Tensor &tensor) {
  const T *values = tensor.as<T>();
  return std::all_of(values, values + tensor.shape().numElements(),
                     [](T value) { return std::isnan(double(value)); });
}

static bool isAllNaN(const Tensor &tensor) {
  switch (tensor.dtype()) {
  case DType::f32:
    return isAllNaN<float>(tensor);
  case DType::f64:
    return isAllNaN<double>(tensor);
  case DType::f16:
    return isAllNaN<F16>(tensor);
  case DType::bf16:
    return isAllNaN<BF16>(tensor);
  default:
    return false;
  }
}

Expected<bool> eager::keepsNaN(const PreparedOp &op,
                               std::span<const TensorType> operands,
                               const TensorType &result, Stream &stream) {
  std::vector<Tensor> values;
  for (const TensorType &type : operands) {
    TANDEM_ASSIGN_OR_RETURN(Tensor value, Tensor::allocate(type));
    // All bits set are a NaN in every float type.
    std::memset(value.data(), 0xff, size_t(type.bytes()));
    values.push_back(std::move(value));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> there,
                          copyToDevice(values, stream));
  TANDEM_ASSIGN_OR_RETURN(Tensor output,
                          Tensor::allocate(result, stream.allocator()));
  TANDEM_RETURN_IF_ERROR(
      runOp(op, there, {&output, 1}, stream, "a probe of NaN"));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost({&output, 1}, stream));
  return isAllNaN(here[0]);
}
