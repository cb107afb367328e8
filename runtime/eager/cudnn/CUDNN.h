//===- CUDNN.h - cuDNN as a provider ----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_CUDNN_H
#define TANDEM_RUNTIME_EAGER_CUDNN_CUDNN_H

#include "Planner.h"

#include "../../device/cuda/DeviceWideAllocator.h"

#include "tandem/Support/ObjectPool.h"

namespace tandem::cudnn {

/// A handle of cuDNN, used by one thread at a time.
class Handle {
public:
  explicit Handle(const cuda::CUDNN &library) : library(library) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() {
    if (context)
      library.destroy(context);
  }

  const cuda::CUDNN &library;
  cudnnContext *context = nullptr;
};

/// cuDNN on one device. Lives as long as the process; thread-safe.
class Session {
public:
  /// `device` is that of `context`.
  Session(cuda::Context &context, Device &device)
      : context(context), device(device), weights(device, context) {}

  /// Opens the library at the first call. An Error where it is missing or does
  /// not work on the device.
  const Status &open();

  // These are for a session that is open.

  Planner &planner() { return *plans; }
  /// Memory for what ops keep, and the stream to make it on.
  Allocator &memory() { return weights; }
  Stream &stream() { return device.defaultStream(); }
  /// Enqueues a plan on a stream of the device. The tensors are given by id and
  /// address.
  Status execute(const Plan &plan, cuda::StreamHandle stream,
                 std::span<const int64_t> ids, std::span<void *const> pointers,
                 void *workspace);
  /// The engines whose fused relu keeps NaN in this type: the first call runs
  /// each that comes with its kernels on NaN. The planner knows them, too.
  Expected<EngineSet> enginesThatKeepNaN(DType dtype);

  /// Whether a call of cuDNN's is faster than a kernel of ours that does the
  /// same. The first call of this function with a key measures both.
  Expected<bool> isFaster(const std::string &key, const PreparedOp &call,
                          const PreparedOp &kernel,
                          const OpSignature &signature);

private:
  Status openOnce();
  Expected<std::unique_ptr<Handle>> createHandle();
  Expected<EngineSet> probe(DType dtype);
  // Trials.cpp.
  Expected<bool> passesTrial(std::shared_ptr<const Plan> plan,
                             const ConvProblem &problem);
  Expected<bool> sumsBytesExactly(const PreparedOp &op,
                                  const ConvProblem &problem);

  cuda::Context &context;
  Device &device;
  cuda::DeviceWideAllocator weights;
  const cuda::CUDNN *library = nullptr;
  /// What plans are made with, in calls and in the background.
  std::unique_ptr<Handle> first, second;
  std::optional<Planner> plans;
  ObjectPool<Handle> handles;
  std::mutex mutex; // guards opened and probed; held while setting them
  std::optional<Status> opened;
  std::map<DType, EngineSet> probed;
  std::mutex measuring; // guards faster; held while measuring
  std::map<std::string, bool> faster;
};

/// conv, conv_backward_data and conv_backward_weights of f32, f64, f16 and
/// bf16, by engines of cuDNN that come with their kernels, and conv of i8 with
/// sums of i32 by those whose sums are exact, where they are faster than our
/// own kernels. Pooling is left to our own kernels, as it is not documented
/// what the library's makes of NaN. If the library is missing, the provider
/// prepares no ops.
class CUDNNProvider final : public Provider {
public:
  /// `kernels` transpose operands and results whose layout cuDNN does not have,
  /// and add biases. All must outlive the provider.
  CUDNNProvider(Session &session, LibraryOptions options, ProviderList kernels)
      : session(session), options(options), kernels(kernels) {}

  std::string_view name() const override { return "cudnn"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    return prepareFused({signature});
  }
  /// A convolution with what follows it. Null where no engine computes that.
  Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &conv) const override;

private:
  /// One whose tensors all have layouts that cuDNN has.
  Expected<std::unique_ptr<PreparedOp>>
  preparePacked(const ConvProblem &problem) const;
  /// Any other: conversions around one of those.
  Expected<std::unique_ptr<PreparedOp>>
  prepareConverted(const ConvProblem &problem,
                   const FusedContraction &conv) const;

  /// One of bytes: `call` if it is faster than our own kernel, null otherwise.
  /// The problem is that of the layouts as they are given.
  Expected<std::unique_ptr<PreparedOp>>
  takeIfFaster(std::unique_ptr<PreparedOp> call, const ConvProblem &problem,
               const OpSignature &conv) const;

  /// A conv_backward_data whose bias is added by another op: no engine that
  /// comes with its kernels adds one (cuDNN 9.19).
  Expected<std::unique_ptr<PreparedOp>>
  prepareBiasAfter(const OpSignature &conv) const;

  Session &session;
  const LibraryOptions options;
  const ProviderList kernels;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_CUDNN_H
