//===- GuardedDevice.cpp - A device that the host cannot read -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedDevice.h"

#include "GuardedMemory.h"
#include "WorkQueue.h"

#include "tandem/Runtime/Provider.h"

#include <cstring>

using namespace tandem;
using namespace tandem::test;

namespace {

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

GuardedMemory &memory() {
  static auto *memory = new GuardedMemory;
  return *memory;
}

std::vector<void *> pointersOf(std::span<const Tensor> tensors) {
  std::vector<void *> pointers;
  for (const Tensor &tensor : tensors)
    pointers.push_back(tensor.data());
  return pointers;
}

/// Freed memory goes back when the work before that is done.
class StreamAllocator final : public Allocator {
public:
  StreamAllocator(const Device &device, WorkQueue &queue)
      : Allocator(&device), queue(queue) {}
  Expected<void *> allocate(int64_t bytes) override {
    TANDEM_ASSIGN_OR_RETURN(void *pointer, memory().allocate(bytes));
    count(bytes);
    return pointer;
  }
  void deallocate(void *pointer, int64_t bytes) override {
    count(-bytes);
    queue.add([=] {
      memory().deallocate(pointer);
      return Status();
    });
  }

private:
  WorkQueue &queue;
};

class GuardedEvent final : public Event {
public:
  explicit GuardedEvent(std::shared_ptr<Mark> mark) : mark(std::move(mark)) {}
  bool isDone() const override { return mark->isDone(); }
  void synchronize() const override { mark->wait(); }
  double ns() const override { return mark->ns(); }

  const std::shared_ptr<Mark> mark;
};

class GuardedStream final : public Stream {
public:
  explicit GuardedStream(Device &device)
      : owner(device), blocks(device, queue) {}

  Device &device() const override { return owner; }
  Allocator &allocator() override { return blocks; }
  Status copy(const Tensor &from, const Tensor &to) override {
    queue.add([=]() -> Status {
      void *const pointers[] = {from.data(), to.data()};
      const GuardedMemory::Access access(memory(), pointers);
      std::memcpy(to.data(), from.data(), from.bytes());
      return {};
    });
    return {};
  }
  Expected<std::unique_ptr<Event>> record() override {
    return std::make_unique<GuardedEvent>(queue.mark());
  }
  Status wait(const Event &event) override {
    queue.add([mark = static_cast<const GuardedEvent &>(event).mark] {
      mark->wait();
      return Status();
    });
    return {};
  }
  Status synchronize() override { return queue.finish(); }

  WorkQueue queue;

private:
  Device &owner;
  StreamAllocator blocks;
};

WorkQueue &queueOf(const StepContext &context) {
  return static_cast<GuardedStream &>(context.stream).queue;
}

/// What a step of the CPU's is given in place of `context`.
StepContext onHost(std::span<std::byte> workspace) {
  return {hostDevice().defaultStream(), workspace};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

class GuardedKernel final : public LoadedKernel {
public:
  explicit GuardedKernel(std::shared_ptr<const LoadedKernel> inner)
      : inner(std::move(inner)) {}

  int64_t workspaceBytes(const fb::KernelT &kernel) const override {
    return inner->workspaceBytes(kernel);
  }
  Status launch(const fb::KernelT &kernel, const StepContext &context,
                std::span<void *const> args) const override {
    fb::KernelT shape; // All of it but the code.
    shape.extent = kernel.extent;
    shape.grain = kernel.grain;
    shape.workspace = kernel.workspace;
    std::vector<void *> pointers(args.begin(), args.end());
    pointers.push_back(context.workspace.data());
    queueOf(context).add([kernel = inner, shape = std::move(shape),
                          pointers = std::move(pointers),
                          workspace = context.workspace] {
      const GuardedMemory::Access access(memory(), pointers);
      return kernel->launch(shape, onHost(workspace), pointers);
    });
    return {};
  }

private:
  std::shared_ptr<const LoadedKernel> inner;
};

class GuardedOp final : public PreparedOp {
public:
  explicit GuardedOp(std::unique_ptr<PreparedOp> inner)
      : inner(std::move(inner)) {}

  int64_t workspaceBytes() const override { return inner->workspaceBytes(); }
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    queueOf(context).add([op = inner,
                          from = std::vector(operands.begin(), operands.end()),
                          to = std::vector(results.begin(), results.end()),
                          workspace = context.workspace]() mutable {
      void *const bytes[] = {workspace.data()};
      const GuardedMemory::Access reads(memory(), pointersOf(from));
      const GuardedMemory::Access writes(memory(), pointersOf(to));
      const GuardedMemory::Access access(memory(), bytes);
      return op->run(onHost(workspace), from, to);
    });
    return {};
  }

private:
  std::shared_ptr<const PreparedOp> inner;
};

class GuardedProvider final : public Provider {
public:
  explicit GuardedProvider(const Provider &inner) : inner(inner) {}
  std::string_view name() const override { return inner.name(); }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    const GuardedMemory::Access access(memory(),
                                       pointersOf(signature.constants));
    TANDEM_ASSIGN_OR_RETURN(auto op, inner.prepare(signature));
    return op ? std::make_unique<GuardedOp>(std::move(op)) : nullptr;
  }

private:
  const Provider &inner;
};

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

class Guarded final : public GuardedDevice {
public:
  Guarded() {
    for (const Provider *provider : eagerProviders()) {
      owned.push_back(wrap(*provider));
      list.push_back(owned.back().get());
    }
  }

  std::string_view name() const override { return "guarded"; }
  ProviderList providers(const LibraryOptions &) const override { return list; }
  Expected<LoadedKernels> load(const Program &program) override {
    TANDEM_ASSIGN_OR_RETURN(LoadedKernels kernels, hostDevice().load(program));
    for (auto &kernel : kernels)
      kernel = wrap(std::move(kernel));
    return kernels;
  }
  Expected<std::unique_ptr<Stream>> createStream() override {
    return std::make_unique<GuardedStream>(*this);
  }
  Stream &defaultStream() override { return stream; }

  std::shared_ptr<const LoadedKernel>
  wrap(std::shared_ptr<const LoadedKernel> kernel) override {
    return std::make_shared<GuardedKernel>(std::move(kernel));
  }
  std::unique_ptr<Provider> wrap(const Provider &provider) override {
    return std::make_unique<GuardedProvider>(provider);
  }

private:
  std::vector<std::unique_ptr<Provider>> owned;
  std::vector<const Provider *> list;
  GuardedStream stream{*this};
};

} // namespace

GuardedDevice &test::guardedDevice() {
  static auto *device = new Guarded;
  return *device;
}
