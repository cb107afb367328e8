//===- BackgroundQueue.cpp - Work beside the calls ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/BackgroundQueue.h"

#include "background/SpareCores.h"

#include "tandem/Runtime/SharedOpenMP.h"
#include "tandem/Support/ProcessEnd.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <unistd.h>

using namespace tandem;
using namespace tandem::tiering;

BackgroundQueue &BackgroundQueue::process() {
  // Never destroyed: threads may use it until the process is gone.
  static auto *queue = new BackgroundQueue;
  stopAtProcessEnd<stopProcess>();
  return *queue;
}

BackgroundQueue::BackgroundQueue() {
  pthread_atfork([] { process().beforeFork(); },
                 [] { process().afterFork(/*isChild=*/false); },
                 [] { process().afterFork(/*isChild=*/true); });
}

void BackgroundQueue::stopProcess() { process().stop(); }

void BackgroundQueue::sumLossRates() {
  double sum = 0;
  for (const JobPtr &job : jobs)
    sum += job->lossRate();
  waitingLossRate = sum;
}

Status BackgroundQueue::startThread() {
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int code = pthread_create(&thread, nullptr, work, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code != 0)
    return fail("execute",
                std::string("no background thread can be started: ") +
                    std::strerror(code));
  threads.push_back(thread);
  return {};
}

/// Moves the calling thread away from a processor, if it is there and may run
/// on another one. Linux wakes a thread where it slept, or beside the thread
/// that woke it; among few processors it does not look for an idle one, and
/// leaves the two to share that processor for some milliseconds, which is as
/// long as most compilations take.
static void leaveProcessor(int processor) {
  cpu_set_t allowed;
  if (processor < 0 || sched_getcpu() != processor ||
      sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  // From then on, it is the system's choice again.
  if (CPU_COUNT(&others) > 0 &&
      sched_setaffinity(0, sizeof others, &others) == 0)
    sched_setaffinity(0, sizeof allowed, &allowed);
}

void *BackgroundQueue::work(void *self) {
  pthread_setname_np(pthread_self(), "tandem-compile");
  // This fails if none of these processors is allowed any more. The thread then
  // keeps the affinity of the thread that created it.
  sched_setaffinity(0, sizeof(cpu_set_t), &processorsAtStart());
  SpareCores::process().addThisThread();
  static_cast<BackgroundQueue *>(self)->workUntilStopped();
  SpareCores::process().removeThisThread();
  return nullptr;
}

JobPtr BackgroundQueue::takeNext() {
  if (isPaused || jobs.empty() || runningJobs.size() >= limit)
    return nullptr;
  // A stable choice: among equals, the first that came.
  auto next = std::max_element(jobs.begin(), jobs.end(),
                               [](const JobPtr &a, const JobPtr &b) {
                                 return a->priority() < b->priority();
                               });
  JobPtr job = std::move(*next);
  jobs.erase(next);
  sumLossRates();
  runningJobs.push_back(job);
  ++begunJobs;
  return job;
}

void BackgroundQueue::workUntilStopped() {
  ContentionTrackedLock lock(mutex);
  while (true) {
    JobPtr job;
    changed->wait(lock, [&] { return isStopped || (job = takeNext()); });
    if (!job)
      return;
    lock.unlock();
    leaveProcessor(job->processor);
    job->run();
    if (const SharedOpenMP *openMP = sharedOpenMP())
      openMP->endWorkers();
    lock.lock();
    std::erase(runningJobs, job);
    changed->notify_all();
    // Jobs use libraries that create static objects on first use. exit calls
    // handlers in reverse order of registration, so stopProcess is registered
    // again as jobs end: it must run before those objects are destroyed.
    if (std::has_single_bit(++endedJobs))
      std::atexit(stopProcess);
    // Before the lock is taken again: its end may need other locks.
    lock.unlock();
    job.reset();
    lock.lock();
  }
}

Status BackgroundQueue::add(JobPtr job) {
  job->processor = sched_getcpu();
  ContentionTrackedLock lock(mutex);
  if (isStopped)
    return fail("execute", "the process is about to end");
  // Jobs that were just added have no threads yet, so count them as running.
  if (threads.size() < limit &&
      threads.size() <= runningJobs.size() + jobs.size()) {
    Status started = startThread();
    if (!started && threads.empty())
      return started;
  }
  jobs.push_back(std::move(job));
  sumLossRates();
  changed->notify_all();
  return {};
}

bool BackgroundQueue::cancel(const JobPtr &job) {
  {
    ContentionTrackedLock lock(mutex);
    if (std::erase(jobs, job) == 0)
      return false;
    sumLossRates();
    changed->notify_all();
  }
  job->cancel();
  return true;
}

void BackgroundQueue::cancelWaiting(const void *owner) {
  std::vector<JobPtr> cancelled;
  {
    ContentionTrackedLock lock(mutex);
    for (const JobPtr &job : jobs)
      if (job->owner == owner)
        cancelled.push_back(job);
    std::erase_if(jobs, [&](const JobPtr &job) { return job->owner == owner; });
    sumLossRates();
    changed->notify_all();
  }
  for (const JobPtr &job : cancelled)
    job->cancel();
}

void BackgroundQueue::cancelAll(const void *owner) {
  cancelWaiting(owner);
  {
    ContentionTrackedLock lock(mutex);
    for (const JobPtr &job : runningJobs)
      if (job->owner == owner)
        job->interrupt();
  }
  wait(owner);
}

void BackgroundQueue::wait(const void *owner) {
  auto isOurs = [&](const JobPtr &job) { return job->owner == owner; };
  ContentionTrackedLock lock(mutex);
  // In a child of fork, jobs may wait for which no thread was started yet.
  if (!jobs.empty() && threads.empty())
    (void)startThread();
  changed->wait(lock, [&] {
    return std::none_of(jobs.begin(), jobs.end(), isOurs) &&
           std::none_of(runningJobs.begin(), runningJobs.end(), isOurs);
  });
}

size_t BackgroundQueue::waiting() const {
  ContentionTrackedLock lock(mutex);
  return jobs.size();
}

size_t BackgroundQueue::running() const {
  ContentionTrackedLock lock(mutex);
  return runningJobs.size();
}

void BackgroundQueue::setThreads(int count) {
  ContentionTrackedLock lock(mutex);
  limit = static_cast<size_t>(std::max(count, 1));
  while (threads.size() < std::min(limit, jobs.size() + runningJobs.size()))
    if (!startThread())
      break;
  changed->notify_all();
}

void BackgroundQueue::stop() {
  std::vector<JobPtr> cancelled;
  std::vector<pthread_t> ending;
  {
    ContentionTrackedLock lock(mutex);
    isStopped = true;
    cancelled.swap(jobs);
    ending.swap(threads);
    for (const JobPtr &job : runningJobs)
      job->interrupt();
    changed->notify_all();
  }
  for (const JobPtr &job : cancelled)
    job->cancel();
  for (pthread_t thread : ending)
    pthread_join(thread, nullptr);
}

void BackgroundQueue::beforeFork() {
  ContentionTrackedLock lock(mutex);
  isPaused = true;
  for (const JobPtr &job : runningJobs)
    job->postpone();
  changed->wait(lock, [&] { return runningJobs.empty(); });
  // Locked while the process is copied, so that the child's copy is whole.
  lock.release();
}

void BackgroundQueue::afterFork(bool isChild) {
  isPaused = false;
  if (isChild) {
    threads.clear();
    changed = new std::condition_variable;
  }
  mutex.unlock();
  changed->notify_all();
}
