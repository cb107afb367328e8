//===- DeviceLibraries.cpp - The libraries that a GPU has -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLibraries.h"

using namespace tandem;
using namespace tandem::cuda;

static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16,
                                   DType::bf16};

DeviceLibraries::DeviceLibraries(Context &context, Device &device,
                                 const Provider &own)
    : own(&own), customCalls(device), cudnn(context, device),
      cublasLt(context, device), strict(*this, {}),
      strictDropping(*this, {Precision::strict, true}),
      tf32(*this, {Precision::tf32, false}),
      tf32Dropping(*this, {Precision::tf32, true}) {}

Expected<std::unique_ptr<PreparedOp>>
DeviceLibraries::prepareFused(const FusedContraction &fused,
                              const LibraryOptions &options) {
  Providers &providers = of(options);
  return fused.contraction.op.kind == OpKind::conv
             ? providers.conv.prepareFused(fused)
             : providers.matmul.prepareFused(fused);
}

/// "f32: 0 44; f16: none", of the numbers that `find` returns for a type.
template <typename Find> static Expected<std::string> listByType(Find find) {
  std::string text;
  for (DType dtype : kTypes) {
    TANDEM_ASSIGN_OR_RETURN(const auto numbers, find(dtype));
    text += (text.empty() ? "" : "; ") + std::string(name(dtype)) + ":";
    for (auto number : numbers)
      text += " " + std::to_string(number);
    if (numbers.empty())
      text += " none";
  }
  return text;
}

Expected<std::string> DeviceLibraries::facts() {
  std::string text;
  if (cudnn.open()) {
    TANDEM_ASSIGN_OR_RETURN(const std::string engines,
                            listByType([&](DType dtype) {
                              return cudnn.enginesThatKeepNaN(dtype);
                            }));
    text += "cuDNN " + cuda::cudnn()->version +
            ", engines whose relu keeps NaN: " + engines + "\n";
  }
  if (cublasLt.open()) {
    TANDEM_ASSIGN_OR_RETURN(const std::string algorithms,
                            listByType([&](DType dtype) {
                              return cublasLt.algorithmsThatKeepNaN(dtype);
                            }));
    text += "cuBLASLt " + cuda::cublasLt()->version +
            ", algorithms whose relu keeps NaN: " + algorithms + "\n";
  }
  return text;
}
