//===- Context.h - A GPU's primary context and its errors -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CONTEXT_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CONTEXT_H

#include "DeferredRelease.h"
#include "StepLog.h"

#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/Libraries/CUDA.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cuda {

/// CU_STREAM_NON_BLOCKING: the default stream, which other libraries may use,
/// does not wait for such a stream.
inline constexpr unsigned kNonBlocking = 1;
/// CU_EVENT_DISABLE_TIMING.
inline constexpr unsigned kDisableTiming = 2;

/// The primary context of one device, which other libraries of the process
/// share, and what became of it. Thread-safe; lives as long as the process.
class Context {
public:
  /// Errors have phase "device".
  static Expected<Context *> create(int index);

  const Driver &driver() const { return table; }
  int index() const { return number; }
  /// "cuda:0".
  const std::string &name() const { return title; }
  /// "sm_90".
  const std::string &arch() const { return architecture; }
  GPUProperties properties() const;
  /// What libraries tell GPUs apart by: "NVIDIA H200, sm_90, 132
  /// multiprocessors".
  const std::string &model() const { return description; }

  /// Makes it the calling thread's; an error where the device is lost. Before
  /// every call of the driver that concerns it.
  Status enter();

  /// The Error of a driver call: `what` failed, with CUDA's name for the error.
  /// An error that sticks was caused by a step that was enqueued earlier,
  /// whichever call reports it. The Error then names the steps that may be
  /// running, and the device is lost, as every later Error says.
  Status check(Result result, std::string_view phase, std::string_view what,
               std::string_view hint = {});

  /// What is released once work is done. The context is to be entered first.
  DeferredRelease &deferred() { return deferredReleases; }

  /// What a stream has enqueued, for errors that stick.
  void addLog(const StepLog &log);
  void removeLog(const StepLog &log);

  /// Something that keeps memory which nobody uses, to be given back when there
  /// is none left. Called in any thread.
  using Trim = std::function<void()>;
  void addCache(const void *owner, Trim trim);
  void removeCache(const void *owner);
  void trimCaches();

private:
  Context(const Driver &driver, int index)
      : table(driver), number(index), title("cuda:" + std::to_string(index)),
        deferredReleases(driver) {}
  Status open();
  std::string nameOf(Result result) const;
  /// Makes the device lost.
  Error lose(Result result, std::string_view phase, std::string_view what);

  const Driver &table;
  const int number;
  const std::string title;
  std::string architecture, description;
  ContextHandle handle = nullptr;

  DeferredRelease deferredReleases;

  std::atomic<bool> isLost{false};
  std::mutex mutex; // guards lostBy and logs
  std::string lostBy;
  std::vector<const StepLog *> logs;
  /// Guards caches, also while they are trimmed, so that none goes meanwhile.
  std::mutex trimming;
  std::vector<std::pair<const void *, Trim>> caches;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CONTEXT_H
