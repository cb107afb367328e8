//===- OneThread.h - Small primitives on one thread -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_ONETHREAD_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_ONETHREAD_H

namespace tandem::onednn {

/// While it lives, and where `wanted`, OpenMP runs regions that this thread
/// starts on this thread alone: waking another takes 5 to 10 us. Otherwise the
/// threads that share them are seen to (letIdleWorkersSleep).
class OneThread {
public:
  explicit OneThread(bool wanted);
  ~OneThread();
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  /// The number of threads to go back to; 0: unchanged.
  int before = 0;
};

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_ONETHREAD_H
