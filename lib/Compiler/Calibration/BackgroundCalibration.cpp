//===- BackgroundCalibration.cpp - Measuring beside a program -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/BackgroundCalibration.h"

#include "tandem/Compiler/Calibrate.h"
#include "tandem/Support/Environment.h"
#include "tandem/Support/ProcessEnd.h"
#include "tandem/Tandem.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tandem {

static constexpr std::chrono::milliseconds kDelay(1000);
/// What a thread that must not be noticed is given, of 19.
static constexpr int kNiceness = 10;

struct BackgroundCalibration::Impl {
  pthread_t thread;
  bool isRunning = false;
  /// Guards `isStopped`, which ends the delay.
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> isStopped{false};
};

namespace {
struct Shared {
  /// Guards `current`.
  std::mutex mutex;
  std::weak_ptr<BackgroundCalibration> current;
};

/// True while this thread measures. Compilers that are created for measuring
/// must not start another calibration.
thread_local bool isMeasuring = false;

std::atomic<bool> isAllowed{true};
} // namespace

static Shared &getShared() {
  static Shared *shared = new Shared;
  return *shared;
}

void allowBackgroundCalibration(bool allow) { isAllowed = allow; }

BackgroundCalibration::BackgroundCalibration()
    : impl(std::make_unique<Impl>()) {
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  impl->isRunning =
      pthread_create(&impl->thread, nullptr, run, impl.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void *BackgroundCalibration::run(void *self) {
  auto &impl = *static_cast<Impl *>(self);
  {
    std::unique_lock lock(impl.mutex);
    if (impl.changed.wait_for(lock, kDelay,
                              [&] { return bool(impl.isStopped); }))
      return nullptr;
  }
  isMeasuring = true;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  CalibrateOptions options;
  options.wholeMachine = false;
  options.isCancelled = [&] { return bool(impl.isStopped); };
  // What cannot be measured, or not be written, stays as it is detected.
  if (auto calibration = calibrateHost(options))
    (void)setMeasuredModel(calibration->model);
  return nullptr;
}

void BackgroundCalibration::stop() {
  if (!impl->isRunning)
    return;
  {
    std::lock_guard lock(impl->mutex);
    impl->isStopped = true;
  }
  impl->changed.notify_all();
  pthread_join(impl->thread, nullptr);
  impl->isRunning = false;
}

BackgroundCalibration::~BackgroundCalibration() { stop(); }

/// Before a fork, as a child has no such thread, but whatever lock it held, and
/// when the process ends.
void BackgroundCalibration::stopCurrent() {
  std::lock_guard lock(getShared().mutex);
  if (auto current = getShared().current.lock())
    current->stop();
}

std::shared_ptr<BackgroundCalibration> BackgroundCalibration::share() {
  if (isMeasuring || !isAllowed || lookUp(Variable::device) || measuredModel())
    return nullptr;
  static const int isRegistered = pthread_atfork(stopCurrent, nullptr, nullptr);
  (void)isRegistered;
  stopAtProcessEnd<stopCurrent>();
  std::lock_guard lock(getShared().mutex);
  auto current = getShared().current.lock();
  if (!current) {
    current.reset(new BackgroundCalibration);
    getShared().current = current;
  }
  return current;
}

} // namespace tandem
