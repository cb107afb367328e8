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

/// Makes OpenMP run the regions that this thread starts on this thread alone,
/// as long as the object lives and if it is `wanted`. This pays for small
/// primitives, because waking another thread takes 5 to 10 us. If not wanted,
/// it calls letIdleWorkersSleep instead.
class OneThread {
public:
  explicit OneThread(bool wanted);
  ~OneThread();
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  /// The number of threads to restore; 0 where it was not changed.
  int before = 0;
};

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_ONETHREAD_H
