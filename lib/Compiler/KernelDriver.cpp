//===- KernelDriver.cpp - The kernels of a program, compiled --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelDriver.h"

#include "KernelSource.h"
#include "KernelWorker.h"
#include "ParallelFor.h"

#include <atomic>

using namespace mlir;

namespace tandem {

Expected<FailureRequest> FailureRequest::parse(const std::string &text) {
  FailureRequest request;
  if (text.empty())
    return request;
  size_t number = 0;
  if (!StringRef(text).getAsInteger(10, number)) {
    request.number = number;
    return request;
  }
  std::string message;
  if (!llvm::Regex(text).isValid(message))
    return fail("compile",
                "'" + text + "' is no regular expression: " + message,
                "kernels that are to fail are given by number or by name");
  request.pattern = "^(" + text + ")$";
  return request;
}

bool FailureRequest::matches(size_t index, StringRef name) const {
  if (number)
    return *number == index;
  return !pattern.empty() && llvm::Regex(pattern).match(name);
}

static Expected<LoadedKernels> load(const Target &target,
                                    const Program &program) {
  TANDEM_ASSIGN_OR_RETURN(Device * device, target.device());
  return device->load(program);
}

/// Lends the kernel to a program of its own.
static Expected<std::shared_ptr<const LoadedKernel>>
loadAlone(const Target &target, fb::KernelT &kernel) {
  Program program;
  program.kernels.push_back(std::make_unique<fb::KernelT>(std::move(kernel)));
  auto loaded = load(target, program);
  kernel = std::move(*program.kernels.front());
  if (!loaded)
    return tl::unexpected(std::move(loaded.error()));
  return std::move(loaded->front());
}

static Expected<CompiledKernelPtr>
compileOne(const Target &target, const std::string &spec, KernelWorker &worker,
           std::string_view source, PhaseTimes &times) {
  auto result = std::make_shared<CompiledKernel>();
  TANDEM_ASSIGN_OR_RETURN(result->kernel, worker.compile(source, spec, times));
  if (target.loadsTogether())
    return result;
  PhaseTimer timer(times, "load");
  TANDEM_ASSIGN_OR_RETURN(result->loaded, loadAlone(target, result->kernel));
  return result;
}

namespace {
/// A kernel on its way.
struct Job {
  std::string source;
  KernelOutcome outcome;
};

/// The kernels of one program, shared out to threads.
class Driver {
public:
  Driver(const Target &target, const std::string &spec, KernelCache *cache)
      : target(target), spec(spec), cache(cache) {}
  void run(std::vector<Job> &jobs);

private:
  void work(ArrayRef<Job *> order);
  void compile(Job &job, std::optional<BorrowedWorker> &worker);

  const Target &target;
  const std::string &spec;
  KernelCache *cache;
  std::atomic<size_t> next{0};
};
} // namespace

void Driver::compile(Job &job, std::optional<BorrowedWorker> &worker) {
  KernelOutcome &outcome = job.outcome;
  auto make = [&] {
    Stopwatch watch;
    double before = outcome.times.sum();
    if (!worker)
      worker.emplace(target);
    auto result = compileOne(target, spec, **worker, job.source, outcome.times);
    outcome.otherNs = watch.ns() - (outcome.times.sum() - before);
    return result;
  };
  if (!cache) {
    outcome.compiled = make();
    return;
  }
  bool isMade = false;
  outcome.compiled =
      cache->get(makeKey(target, spec, job.source), make, isMade);
  outcome.isCached = !isMade;
}

void Driver::work(ArrayRef<Job *> order) {
  std::optional<BorrowedWorker> worker;
  for (size_t i; (i = next++) < order.size();)
    compile(*order[i], worker);
}

/// The largest first, so that no thread is left with one at the end.
static std::vector<Job *> inOrderOfSize(std::vector<Job> &jobs) {
  std::vector<Job *> order;
  for (Job &job : jobs)
    if (!job.source.empty())
      order.push_back(&job);
  llvm::sort(order, [](const Job *a, const Job *b) {
    // By address: in the order of the program.
    return a->source.size() != b->source.size()
               ? a->source.size() > b->source.size()
               : a < b;
  });
  return order;
}

void Driver::run(std::vector<Job> &jobs) {
  std::vector<Job *> order = inOrderOfSize(jobs);
  size_t threads = std::min<size_t>(numThreads(), order.size());
  if (threads <= 1)
    return work(order);
  parallelFor(static_cast<int64_t>(threads), [&](int64_t) { work(order); });
}

static Job makeJob(ModuleOp kernel, bool isToFail) {
  Job job{{}, {fail("compile", "it was asked to fail"), {}}};
  if (isToFail)
    return job;
  PhaseTimer timer(job.outcome.times, "encode");
  FailureOr<std::string> source = writeCanonical(kernel);
  if (failed(source))
    job.outcome.compiled = fail("encode", "it cannot be written as bytecode");
  else
    job.source = std::move(*source);
  return job;
}

std::vector<KernelOutcome> compileKernels(const Target &target,
                                          const std::string &spec,
                                          ArrayRef<ModuleOp> kernels,
                                          const FailureRequest &failures,
                                          KernelCache *cache) {
  std::vector<Job> jobs;
  for (ModuleOp kernel : kernels)
    jobs.push_back(
        makeJob(kernel, failures.matches(jobs.size(), *kernel.getSymName())));
  Driver(target, spec, cache).run(jobs);
  std::vector<KernelOutcome> outcomes;
  outcomes.reserve(jobs.size());
  for (Job &job : jobs)
    outcomes.push_back(std::move(job.outcome));
  return outcomes;
}

/// All at once; an error where one of them stands in the way.
static Expected<LoadedKernels> loadTogether(const Target &target,
                                            ArrayRef<KernelOutcome> outcomes) {
  Program program;
  for (const KernelOutcome &outcome : outcomes)
    if (outcome.compiled)
      program.kernels.push_back(
          std::make_unique<fb::KernelT>((*outcome.compiled)->kernel));
  return load(target, program);
}

/// One by one; what cannot be loaded has failed.
static void loadEach(const Target &target,
                     MutableArrayRef<KernelOutcome> outcomes) {
  for (KernelOutcome &outcome : outcomes) {
    if (!outcome.compiled)
      continue;
    auto compiled = std::make_shared<CompiledKernel>(**outcome.compiled);
    if (auto loaded = loadAlone(target, compiled->kernel)) {
      compiled->loaded = *loaded;
      outcome.compiled = std::move(compiled);
    } else {
      outcome.compiled = tl::unexpected(std::move(loaded.error()));
    }
  }
}

LoadedKernels loadKernels(const Target &target,
                          MutableArrayRef<KernelOutcome> outcomes,
                          PhaseTimes &times) {
  if (target.loadsTogether()) {
    PhaseTimer timer(times, "load");
    if (auto loaded = loadTogether(target, outcomes))
      return *loaded;
    loadEach(target, outcomes);
  }
  LoadedKernels kernels;
  for (const KernelOutcome &outcome : outcomes)
    if (outcome.compiled)
      kernels.push_back((*outcome.compiled)->loaded);
  return kernels;
}

} // namespace tandem
