//===- KernelDriver.cpp - The kernels of a program, compiled --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelDriver.h"

#include "Kernels/CanonicalKernel.h"
#include "Kernels/KernelWorker.h"
#include "Session/ParallelFor.h"

#include "tandem/Runtime/Program/StoredProgram.h"

#include <atomic>

using namespace mlir;

namespace tandem {

/// Loads a single kernel, which is unchanged on return.
static Expected<std::shared_ptr<const LoadedKernel>>
loadAlone(const Target &target, fb::KernelT &kernel) {
  TANDEM_ASSIGN_OR_RETURN(Device * device, target.device());
  // Lent to a program of its own.
  Program program;
  program.kernels.push_back(std::make_unique<fb::KernelT>(std::move(kernel)));
  Expected<LoadedKernels> loaded = device->load(program);
  kernel = std::move(*program.kernels.front());
  if (!loaded)
    return tl::unexpected(std::move(loaded.error()));
  return std::move(loaded->front());
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
  Driver(const CompilerConfig &config, llvm::function_ref<void(size_t)> onReady)
      : target(*config.target), spec(config.coreSpec),
        cache(config.options.kernelCache ? &KernelCache::process() : nullptr),
        disk(config.disk), loadsKernels(config.loadsKernels), onReady(onReady) {
  }
  void run(std::vector<Job> &jobs);

private:
  /// Calls `work` on as many threads as there are, but not more than `items`.
  void onThreads(size_t items, llvm::function_ref<void()> work);
  void work(ArrayRef<Job *> order);

  /// A kernel that becomes code together with others, for all jobs that need
  /// it. The first of them has its times.
  struct Kernel {
    CacheKey fields;
    KernelKey key;
    std::vector<Job *> jobs;
    /// Null until there is source.
    std::shared_ptr<CompiledKernel> compiled;

    size_t sourceBytes() const { return compiled->kernel.code.size(); }
  };
  void runInPrograms(ArrayRef<Job *> jobs);
  std::vector<Kernel> findMissing(ArrayRef<Job *> jobs);
  void makeSource(Kernel &kernel, std::optional<LeasedWorker> &worker);
  std::vector<std::vector<Kernel *>> shareOut(std::vector<Kernel> &kernels);
  void assemble(ArrayRef<Kernel *> program);
  void complete(Kernel &kernel);
  void finish(Kernel &kernel, Expected<CompiledKernelPtr> compiled);

  void compile(Job &job, std::optional<LeasedWorker> &worker);
  Status load(CompiledKernel &kernel, PhaseTimes &times);
  CompiledKernelPtr findStored(const CacheKey &key, KernelOutcome &outcome);
  void store(const CacheKey &key, const CompiledKernel &kernel,
             KernelOutcome &outcome);

  const Target &target;
  const std::string &spec;
  KernelCache *cache;
  DiskCache *disk;
  const bool loadsKernels;
  /// Called with the number of kernels that have become ready.
  llvm::function_ref<void(size_t)> onReady;
  std::atomic<size_t> next{0};
};
} // namespace

Status Driver::load(CompiledKernel &kernel, PhaseTimes &times) {
  if (!loadsKernels)
    return {};
  PhaseTimer timer(times, "load");
  TANDEM_ASSIGN_OR_RETURN(kernel.loaded, loadAlone(target, kernel.kernel));
  return {};
}

/// Reads a kernel from the disk and loads it; null where it is not there.
CompiledKernelPtr Driver::findStored(const CacheKey &key,
                                     KernelOutcome &outcome) {
  std::optional<fb::KernelT> kernel;
  if (disk) {
    PhaseTimer timer(outcome.times, "read cache");
    kernel = findKernel(*disk, key);
  }
  if (!kernel)
    return nullptr;
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->kernel = std::move(*kernel);
  outcome.isStored = load(*compiled, outcome.times).has_value();
  if (outcome.isStored)
    return compiled;
  disk->remove(key);
  return nullptr;
}

void Driver::store(const CacheKey &key, const CompiledKernel &kernel,
                   KernelOutcome &outcome) {
  if (!disk)
    return;
  PhaseTimer timer(outcome.times, "write cache");
  storeKernel(*disk, key, kernel.kernel);
}

void Driver::compile(Job &job, std::optional<LeasedWorker> &worker) {
  KernelOutcome &outcome = job.outcome;
  const CacheKey key = describeKernel(target, spec, job.source);
  auto make = [&]() -> Expected<CompiledKernelPtr> {
    if (CompiledKernelPtr stored = findStored(key, outcome))
      return stored;
    Stopwatch watch;
    double before = outcome.times.sum();
    if (!worker)
      worker.emplace(target);
    auto compiled = std::make_shared<CompiledKernel>();
    TANDEM_ASSIGN_OR_RETURN(
        compiled->kernel, (**worker).compile(job.source, spec, outcome.times));
    TANDEM_RETURN_IF_ERROR(load(*compiled, outcome.times));
    outcome.otherNs = watch.ns() - (outcome.times.sum() - before);
    store(key, *compiled, outcome);
    return compiled;
  };
  if (!cache) {
    outcome.compiled = make();
    return;
  }
  bool isMade = false;
  outcome.compiled = cache->get(KernelKey(key), make, isMade);
  outcome.isCached = !isMade;
}

void Driver::work(ArrayRef<Job *> order) {
  std::optional<LeasedWorker> worker;
  for (size_t i; (i = next++) < order.size(); onReady(1))
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

void Driver::onThreads(size_t items, llvm::function_ref<void()> work) {
  next = 0;
  size_t threads = std::min<size_t>(numThreads(), items);
  if (threads <= 1)
    return work();
  parallelFor(static_cast<int64_t>(threads), [&](int64_t) { work(); });
}

void Driver::run(std::vector<Job> &jobs) {
  std::vector<Job *> order = inOrderOfSize(jobs);
  if (target.assembles())
    return runInPrograms(order);
  onThreads(order.size(), [&] { work(order); });
}

//===----------------------------------------------------------------------===//
// Kernels that become code several at a time
//===----------------------------------------------------------------------===//

void Driver::finish(Kernel &kernel, Expected<CompiledKernelPtr> compiled) {
  for (Job *job : kernel.jobs) {
    job->outcome.compiled = compiled;
    job->outcome.isCached = job != kernel.jobs.front();
  }
  onReady(kernel.jobs.size());
}

/// The kernels that are in no cache, each once; those that are, are done.
std::vector<Driver::Kernel> Driver::findMissing(ArrayRef<Job *> jobs) {
  std::vector<Kernel> missing;
  for (Job *job : jobs) {
    CacheKey fields = describeKernel(target, spec, job->source);
    const KernelKey key(fields);
    auto same =
        cache ? llvm::find_if(missing,
                              [&](Kernel &kernel) { return kernel.key == key; })
              : missing.end();
    if (same != missing.end()) {
      same->jobs.push_back(job);
      continue;
    }
    CompiledKernelPtr known = cache ? cache->lookUp(key) : nullptr;
    job->outcome.isCached = known != nullptr;
    if (!known) {
      known = findStored(fields, job->outcome);
      if (known && cache)
        cache->put(key, known);
    }
    if (!known) {
      missing.push_back({std::move(fields), key, {job}, nullptr});
      continue;
    }
    job->outcome.compiled = std::move(known);
    onReady(1);
  }
  return missing;
}

void Driver::makeSource(Kernel &kernel, std::optional<LeasedWorker> &worker) {
  Job &job = *kernel.jobs.front();
  Stopwatch watch;
  double before = job.outcome.times.sum();
  if (!worker)
    worker.emplace(target);
  auto source = (**worker).compile(job.source, spec, job.outcome.times);
  job.outcome.otherNs = watch.ns() - (job.outcome.times.sum() - before);
  if (source)
    kernel.compiled = std::make_shared<CompiledKernel>(
        CompiledKernel{std::move(*source), nullptr, {}});
  else
    finish(kernel, tl::unexpected(std::move(source.error())));
}

/// Distributes the kernels over at most as many programs as there are threads,
/// of about equal size: the largest kernel first, each to the program that is
/// the smallest by then.
std::vector<std::vector<Driver::Kernel *>>
Driver::shareOut(std::vector<Kernel> &kernels) {
  std::vector<Kernel *> order;
  for (Kernel &kernel : kernels)
    if (kernel.compiled)
      order.push_back(&kernel);
  llvm::stable_sort(order, [](Kernel *a, Kernel *b) {
    return a->sourceBytes() > b->sourceBytes();
  });
  std::vector<std::vector<Kernel *>> programs(
      std::min<size_t>(numThreads(), order.size()));
  std::vector<size_t> sizes(programs.size(), 0);
  for (Kernel *kernel : order) {
    size_t smallest = llvm::min_element(sizes) - sizes.begin();
    programs[smallest].push_back(kernel);
    sizes[smallest] += kernel->sourceBytes();
  }
  return programs;
}

/// Divides the time of compiling the program among its kernels, in proportion
/// to their source sizes.
void Driver::assemble(ArrayRef<Kernel *> program) {
  std::vector<fb::KernelT *> kernels;
  size_t bytes = 0;
  for (Kernel *kernel : program) {
    kernels.push_back(&kernel->compiled->kernel);
    bytes += kernel->sourceBytes();
  }
  std::vector<double> shares;
  for (Kernel *kernel : program)
    shares.push_back(double(kernel->sourceBytes()) / double(bytes));
  Stopwatch watch;
  std::vector<KernelListing> listings(program.size());
  Status status = target.assemble(kernels, listings);
  double ns = watch.ns();
  for (auto [kernel, listing] : llvm::zip_equal(program, listings))
    kernel->compiled->listing = std::move(listing);
  for (auto [kernel, share] : llvm::zip_equal(program, shares))
    kernel->jobs.front()->outcome.times.add("codegen", ns * share);
  // If a program of several kernels fails, its kernels are compiled one by one,
  // so that only the kernels at fault fail.
  if (!status && program.size() > 1)
    for (Kernel *kernel : program)
      assemble(kernel);
  else if (!status)
    finish(*program.front(), tl::unexpected(status.error()));
  else
    for (Kernel *kernel : program)
      complete(*kernel);
}

void Driver::complete(Kernel &kernel) {
  KernelOutcome &outcome = kernel.jobs.front()->outcome;
  if (Status loaded = load(*kernel.compiled, outcome.times); !loaded)
    return finish(kernel, tl::unexpected(std::move(loaded.error())));
  store(kernel.fields, *kernel.compiled, outcome);
  if (cache)
    cache->put(kernel.key, kernel.compiled);
  finish(kernel, CompiledKernelPtr(kernel.compiled));
}

void Driver::runInPrograms(ArrayRef<Job *> jobs) {
  std::vector<Kernel> missing = findMissing(jobs);
  onThreads(missing.size(), [&] {
    std::optional<LeasedWorker> worker;
    for (size_t i; (i = next++) < missing.size();)
      makeSource(missing[i], worker);
  });
  std::vector<std::vector<Kernel *>> programs = shareOut(missing);
  onThreads(programs.size(), [&] {
    for (size_t i; (i = next++) < programs.size();)
      assemble(programs[i]);
  });
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

std::vector<KernelOutcome> compileKernels(const CompilerConfig &config,
                                          ArrayRef<ModuleOp> kernels) {
  std::vector<Job> jobs;
  for (ModuleOp kernel : kernels)
    jobs.push_back(makeJob(
        kernel, config.failures.matches(jobs.size(), *kernel.getSymName())));
  std::atomic<size_t> ready{0};
  auto onReady = [&](size_t count) {
    size_t done = ready += count;
    if (config.options.progress)
      config.options.progress({"kernels", done, jobs.size()});
  };
  Driver(config, onReady).run(jobs);
  std::vector<KernelOutcome> outcomes;
  outcomes.reserve(jobs.size());
  for (Job &job : jobs)
    outcomes.push_back(std::move(job.outcome));
  return outcomes;
}

} // namespace tandem
