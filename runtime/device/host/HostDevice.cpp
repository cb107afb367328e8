//===- HostDevice.cpp - The CPU as a device -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ConstantCache.h"

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Provider.h"

#include <array>
#include <chrono>
#include <cstring>
#include <mutex>

using namespace tandem;

namespace {

/// All is done before whoever enqueues it goes on.
class HostEvent final : public Event {
public:
  bool isDone() const override { return true; }
  void synchronize() const override {}
  double ns() const override {
    return std::chrono::duration<double, std::nano>(time.time_since_epoch())
        .count();
  }

private:
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

class HostStream final : public Stream {
public:
  explicit HostStream(Allocator &memory) : memory(memory) {}

  Device &device() const override { return hostDevice(); }
  Allocator &allocator() override { return memory; }
  Status copy(const Tensor &from, const Tensor &to) override {
    if (from.bytes() != 0)
      std::memcpy(to.data(), from.data(), from.bytes());
    return {};
  }
  Expected<std::unique_ptr<Event>> record() override {
    return std::make_unique<HostEvent>();
  }
  Status wait(const Event &) override { return {}; }
  Status synchronize() override { return {}; }

private:
  Allocator &memory;
};

/// Who loads kernels of which form.
class Loaders {
public:
  void set(fb::KernelTarget form, KernelLoader loader) {
    std::lock_guard lock(mutex);
    loaders[static_cast<size_t>(form)] = loader;
  }
  KernelLoader get(fb::KernelTarget form) {
    std::lock_guard lock(mutex);
    return loaders[static_cast<size_t>(form)];
  }

private:
  std::mutex mutex; // guards loaders; held for a look-up
  std::array<KernelLoader, size_t(fb::KernelTarget::MAX) + 1> loaders = {};
};

Loaders &loaders() {
  static Loaders instance;
  return instance;
}

class HostDevice final : public Device {
public:
  std::string_view name() const override { return "cpu"; }
  bool isHost() const override { return true; }
  ProviderList providers(const LibraryOptions &) const override {
    return eagerProviders();
  }
  Expected<LoadedKernels> load(const Program &program) override;
  Expected<std::unique_ptr<Stream>> createStream() override {
    return createHostStream(cachingAllocator());
  }
  Stream &defaultStream() override { return stream; }
  Expected<std::vector<Tensor>> placeConstants(std::span<const Tensor> tensors,
                                               Stream &on) override {
    return constants.place(tensors, on);
  }

private:
  HostStream stream{cachingAllocator()};
  ConstantCache constants{cachingAllocator()};
};

Expected<LoadedKernels> HostDevice::load(const Program &program) {
  if (program.kernels.empty())
    return LoadedKernels();
  // A program is for one target.
  const fb::KernelT &first = *program.kernels.front();
  if (KernelLoader loader = loaders().get(first.target))
    return loader(program);
  return fail(
      "load",
      "nothing in this process loads kernel '" + first.name + "' (" +
          fb::EnumNameKernelTarget(first.target) + ")",
      "programs with kernels need Tandem's compiler beside its runtime");
}

} // namespace

Device &tandem::hostDevice() {
  // Never destroyed: tensors with static storage may outlive it otherwise.
  static auto *device = new HostDevice;
  return *device;
}

std::unique_ptr<Stream> tandem::createHostStream(Allocator &allocator) {
  return std::make_unique<HostStream>(allocator);
}

void tandem::setHostLoader(fb::KernelTarget form, KernelLoader loader) {
  loaders().set(form, loader);
}
