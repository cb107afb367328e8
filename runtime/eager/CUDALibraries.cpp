//===- CUDALibraries.cpp - cuDNN, cuBLASLt and own kernels ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../device/cuda/DeviceLibraries.h"

#include "cublaslt/CUBLASLt.h"
#include "cuda/KernelProvider.h"
#include "cudnn/CUDNN.h"
#include "custom/CustomCallProvider.h"

using namespace tandem;
using namespace tandem::cuda;

static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16,
                                   DType::bf16};

namespace {

/// The providers of a device: cuDNN and cuBLASLt, each opened when it is first
/// asked for an op, then the kernels that come with the runtime, and registered
/// functions. There is a list for each combination of options.
class CUDALibraries final : public DeviceLibraries {
public:
  CUDALibraries(Context &context, Device &device, const Provider *given)
      : kernels(context), own(given ? given : &kernels), customCalls(device),
        cudnn(context, device), cublasLt(context, device), strict(*this, {}),
        strictDropping(*this, {Precision::strict, true}),
        tf32(*this, {Precision::tf32, false}),
        tf32Dropping(*this, {Precision::tf32, true}) {}

  ProviderList providers(const LibraryOptions &options) override {
    return of(options).list;
  }
  Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused,
               const LibraryOptions &options) override;
  Expected<std::string> facts() override;

private:
  struct Providers {
    Providers(CUDALibraries &libraries, LibraryOptions options)
        : conv(libraries.cudnn, options, {&libraries.own, 1}),
          matmul(libraries.cublasLt, options),
          list{&conv, &matmul, libraries.own, &libraries.customCalls} {}
    cudnn::CUDNNProvider conv;
    cublaslt::CUBLASLtProvider matmul;
    const std::array<const Provider *, 4> list;
  };
  Providers &of(const LibraryOptions &options) {
    return options.precision == Precision::strict
               ? (options.mayDropNaN ? strictDropping : strict)
               : (options.mayDropNaN ? tf32Dropping : tf32);
  }

  const KernelProvider kernels;
  const Provider *const own;
  const CustomCallProvider customCalls;
  cudnn::Session cudnn;
  cublaslt::Session cublasLt;
  Providers strict, strictDropping, tf32, tf32Dropping;
};

} // namespace

std::unique_ptr<DeviceLibraries>
DeviceLibraries::create(Context &context, Device &device, const Provider *own) {
  return std::make_unique<CUDALibraries>(context, device, own);
}

Expected<std::unique_ptr<PreparedOp>>
CUDALibraries::prepareFused(const FusedContraction &fused,
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

Expected<std::string> CUDALibraries::facts() {
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
