//===- CapturedGraph.h - Captured work of a GPU -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H

#include "Context.h"

#include "tandem/Runtime/Device.h"

namespace tandem::cuda {

/// Pointers one after the other, as the driver takes them for a buffer of
/// parameters.
class ParameterBuffer {
public:
  explicit ParameterBuffer(std::span<void *const> args)
      : bytes(args.size_bytes()),
        options{kPointer, const_cast<void **>(args.data()), kSize, &bytes,
                nullptr} {}
  ParameterBuffer(const ParameterBuffer &) = delete;
  ParameterBuffer &operator=(const ParameterBuffer &) = delete;

  /// The `extra` of a launch; valid as long as this and the pointers.
  void **extra() { return options; }

private:
  // The option numbers of cuda.h.
  static inline void *const kPointer = reinterpret_cast<void *>(1);
  static inline void *const kSize = reinterpret_cast<void *>(2);

  size_t bytes;
  void *options[5];
};

/// A kernel's launch, but for its arguments.
struct KernelLaunch {
  FunctionHandle function = nullptr;
  unsigned blocks = 1;
  fb::Dim3 threads;
};

/// A node of a graph that is a kernel's launch.
struct KernelNode {
  GraphNodeHandle node = nullptr;
  KernelLaunch launch;
};

/// The memory of a stream that captures: one block, handed out to one user at a
/// time, as the steps that are captured run one after the other.
class CapturedMemory final : public Allocator {
public:
  CapturedMemory(const Device &device, std::span<std::byte> block)
      : Allocator(&device), block(block) {}
  Expected<void *> allocate(int64_t bytes) override;
  void deallocate(void *pointer, int64_t bytes) override;

private:
  const std::span<std::byte> block;
  bool isInUse = false;
};

/// What a stream notes while it captures. Used by the thread that captures.
class Recording {
public:
  Recording(const Device &device, Context &context,
            std::span<std::byte> workspace)
      : context(context), memory(device, workspace) {}

  /// Begins and ends the capture of `stream`. The graph is the caller's.
  Status begin(StreamHandle stream);
  Expected<GraphHandle> end(StreamHandle stream);
  /// Notes the launch that was enqueued last.
  Status addKernel(const KernelLaunch &launch, StreamHandle stream);

  Context &context;
  CapturedMemory memory;
  std::vector<KernelNode> kernels;
};

/// A graph of the driver's, ready to be launched.
class CapturedGraph final : public CapturedWork {
public:
  /// Creates a captured graph from `graph` and takes ownership of `graph`.
  /// Errors refer to the captured graph as `title`.
  static Expected<std::unique_ptr<CapturedGraph>>
  create(Context &context, GraphHandle graph, std::vector<KernelNode> kernels,
         std::string title);
  ~CapturedGraph() override;

  Status launch(Stream &stream) override;
  Status setArguments(size_t number, std::span<void *const> args) override;
  /// Takes the arguments of `graph`, which stays the caller's. False where they
  /// are not all that differs.
  bool update(GraphHandle graph);

private:
  CapturedGraph(Context &context, GraphHandle graph)
      : context(context), graph(graph) {}

  Context &context;
  /// Kept for its nodes, by which the executable's are named.
  const GraphHandle graph;
  GraphExecHandle executable = nullptr;
  std::vector<KernelNode> kernels;
  std::string title;
};

/// Whether the driver has all functions that capturing needs.
bool canCapture(const Driver &driver);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CAPTUREDGRAPH_H
