//===- CUDAKernel.cpp - Kernels that a driver has loaded ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDAKernel.h"

#include "CUDAStream.h"

using namespace tandem;
using namespace tandem::cuda;

namespace {

class CUDAKernel final : public LoadedKernel {
public:
  CUDAKernel(std::shared_ptr<const Module> module, FunctionHandle function)
      : module(std::move(module)), function(function) {}

  int64_t workspaceBytes(const fb::KernelT &) const override { return 0; }
  Status launch(const fb::KernelT &kernel, const StepContext &step,
                std::span<void *const> args) const override;

private:
  const std::shared_ptr<const Module> module;
  const FunctionHandle function;
};

Status CUDAKernel::launch(const fb::KernelT &kernel, const StepContext &step,
                          std::span<void *const> args) const {
  const KernelLaunch launch{function, unsigned(kernel.extent),
                            kernel.block ? *kernel.block : fb::Dim3(1, 1, 1)};
  return static_cast<CUDAStream &>(step.stream)
      .enqueueKernel(step.step.empty() ? kernel.name : step.step, launch, args);
}

} // namespace

Expected<std::shared_ptr<const LoadedKernel>>
cuda::loadKernel(ModuleCache &modules, const fb::KernelT &kernel) {
  if (kernel.target != KernelTarget::ptx &&
      kernel.target != KernelTarget::cubin)
    return fail("load", "kernel '" + kernel.name + "' is neither PTX nor cubin",
                "NVRTC makes them of CUDA C++");
  const std::string image(kernel.code.begin(), kernel.code.end());
  TANDEM_ASSIGN_OR_RETURN(
      auto module,
      modules.load(image, "kernel '" + kernel.name + "' cannot be loaded"));
  TANDEM_ASSIGN_OR_RETURN(FunctionHandle function,
                          module->find(symbolOf(kernel)));
  return std::make_shared<CUDAKernel>(std::move(module), function);
}
