//===- CUDADevice.cpp - A GPU as a device ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/CUDADevice.h"

#include "CUDAKernel.h"
#include "CUDAStream.h"
#include "DeviceLibraries.h"
#include "DeviceWideAllocator.h"

#include "../ConstantCache.h"

#include <map>

using namespace tandem;
using namespace tandem::cuda;

namespace {

class GPU final : public CUDADevice {
public:
  explicit GPU(Context &context) : context(context), clock(context) {}
  Status open();

  std::string_view name() const override { return context.name(); }
  int index() const override { return context.index(); }
  std::string_view arch() const override { return context.arch(); }
  GPUProperties properties() const override { return context.properties(); }
  bool canCapture() const override {
    return cuda::canCapture(context.driver());
  }
  ProviderList providers(const LibraryOptions &options) const override {
    return libraries->providers(options);
  }
  Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused,
               const LibraryOptions &options) override {
    return libraries->prepareFused(fused, options);
  }
  Expected<std::string> libraryFacts() override { return libraries->facts(); }
  Expected<LoadedKernels> load(const Program &program) override;
  Expected<std::unique_ptr<Stream>> createStream() override {
    return CUDAStream::create(*this, context, clock);
  }
  Expected<std::unique_ptr<Stream>> adoptStream(void *handle) override {
    return CUDAStream::adopt(*this, context, clock,
                             static_cast<StreamHandle>(handle));
  }
  Stream &defaultStream() override { return *stream; }
  Expected<std::vector<Tensor>> placeConstants(std::span<const Tensor> tensors,
                                               Stream &on) override {
    return constants.place(tensors, on);
  }

private:
  Context &context;
  DeviceWideAllocator constantMemory{*this, context};
  ConstantCache constants{constantMemory};
  ModuleCache modules{context};
  DeviceClock clock;
  std::unique_ptr<CUDAStream> stream;
  const std::unique_ptr<DeviceLibraries> libraries =
      DeviceLibraries::create(context, *this);
};

Status GPU::open() {
  TANDEM_RETURN_IF_ERROR(clock.open());
  TANDEM_ASSIGN_OR_RETURN(stream, CUDAStream::create(*this, context, clock));
  return {};
}

Expected<LoadedKernels> GPU::load(const Program &program) {
  LoadedKernels kernels;
  for (const auto &kernel : program.kernels) {
    TANDEM_ASSIGN_OR_RETURN(auto loaded, loadKernel(modules, *kernel));
    kernels.push_back(std::move(loaded));
  }
  return kernels;
}

Expected<CUDADevice *> open(int index) {
  TANDEM_ASSIGN_OR_RETURN(Context * context, Context::create(index));
  auto device = std::make_unique<GPU>(*context);
  TANDEM_RETURN_IF_ERROR(device->open());
  // Never destroyed: tensors with static storage may outlive it otherwise.
  return device.release();
}

} // namespace

bool tandem::hasCUDADriver() { return cuda::driver().has_value(); }

Expected<CUDADevice *> tandem::cudaDevice(int index) {
  static std::mutex mutex; // guards devices; held while one is opened
  // Never destroyed, as the devices are not.
  static auto &devices = *new std::map<int, Expected<CUDADevice *>>;
  std::lock_guard lock(mutex);
  auto known = devices.find(index);
  if (known == devices.end())
    known = devices.emplace(index, open(index)).first;
  return known->second;
}
