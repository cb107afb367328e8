//===- StepLog.h - The steps that may be running ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_STEPLOG_H
#define TANDEM_RUNTIME_DEVICE_CUDA_STEPLOG_H

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace tandem::cuda {

/// What a stream was given last, and how much of that is done: an error that a
/// GPU tells late is one of the rest's. Keeps the last kSize names, in memory
/// that it uses again. Thread-safe.
class StepLog {
public:
  void add(std::string_view step) {
    std::lock_guard lock(mutex);
    steps[added++ % kSize] = step;
  }
  /// How many were added: a position in the stream.
  uint64_t position() const {
    std::lock_guard lock(mutex);
    return added;
  }
  /// All that were added before `position` are done.
  void finish(uint64_t position) {
    std::lock_guard lock(mutex);
    done = std::max(done, position);
  }
  /// Returns the steps that may be running, such as "one of kernel_0 at
  /// g.mlir:3:8, kernel_1 at g.mlir:5:8"; empty if there are none.
  std::string describe() const;

private:
  static constexpr uint64_t kSize = 16;

  mutable std::mutex mutex; // guards all
  std::array<std::string, kSize> steps;
  uint64_t added = 0, done = 0;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_STEPLOG_H
