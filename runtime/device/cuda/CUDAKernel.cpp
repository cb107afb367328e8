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

// As cuda.h numbers them.
constexpr JitOption kErrorLogBuffer = 5;
constexpr JitOption kErrorLogBufferBytes = 6;

class CUDAKernel final : public LoadedKernel {
public:
  CUDAKernel(Context &context, ModuleHandle module)
      : context(context), module(module) {}
  ~CUDAKernel() override;

  Status find(const std::string &symbol);
  int64_t workspaceBytes(const fb::KernelT &) const override { return 0; }
  Status launch(const fb::KernelT &kernel, const StepContext &step,
                std::span<void *const> args) const override;

private:
  Context &context;
  const ModuleHandle module;
  FunctionHandle function = nullptr;
};

/// What is enqueued may still run its code.
CUDAKernel::~CUDAKernel() {
  if (context.enter())
    context.retired().add([&driver = context.driver(), module = module] {
      driver.moduleUnload(module);
    });
}

Status CUDAKernel::find(const std::string &symbol) {
  return context.check(
      context.driver().moduleGetFunction(&function, module, symbol.c_str()),
      "load", "kernel '" + symbol + "' is not in its code");
}

Status CUDAKernel::launch(const fb::KernelT &kernel, const StepContext &step,
                          std::span<void *const> args) const {
  const KernelLaunch launch{function, unsigned(kernel.extent),
                            kernel.block ? *kernel.block : fb::Dim3(1, 1, 1)};
  return static_cast<CUDAStream &>(step.stream)
      .enqueueKernel(step.step.empty() ? kernel.name : step.step, launch, args);
}

} // namespace

Expected<ModuleHandle> cuda::loadModule(Context &context,
                                        const std::string &image,
                                        std::string_view failure) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  std::string log(4096, '\0');
  JitOption options[] = {kErrorLogBuffer, kErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  ModuleHandle module = nullptr;
  // The driver takes PTX as a text that ends in a NUL.
  const Result result = context.driver().moduleLoadDataEx(
      &module, image.c_str(), std::size(options), options, values);
  TANDEM_RETURN_IF_ERROR(context.check(result, "load", failure, log.c_str()));
  return module;
}

Expected<std::shared_ptr<const LoadedKernel>>
cuda::loadKernel(Context &context, const fb::KernelT &kernel) {
  if (kernel.target != KernelTarget::ptx &&
      kernel.target != KernelTarget::cubin)
    return fail("load", "kernel '" + kernel.name + "' is neither PTX nor cubin",
                "NVRTC makes them of CUDA C++");
  const std::string image(kernel.code.begin(), kernel.code.end());
  TANDEM_ASSIGN_OR_RETURN(
      ModuleHandle module,
      loadModule(context, image,
                 "kernel '" + kernel.name + "' cannot be loaded"));
  auto loaded = std::make_shared<CUDAKernel>(context, module);
  TANDEM_RETURN_IF_ERROR(loaded->find(symbolOf(kernel)));
  return loaded;
}
