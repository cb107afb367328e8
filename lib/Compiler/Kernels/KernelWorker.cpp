//===- KernelWorker.cpp - A context that compiles kernels -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelWorker.h"

#include "Session/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/DenseMap.h"

#include <mutex>

using namespace mlir;

namespace tandem {

static DialectRegistry dialectsOf(const Target &target) {
  DialectRegistry registry;
  target.registerDialects(registry);
  return registry;
}

KernelWorker::KernelWorker(const Target &target)
    : target(target),
      context(dialectsOf(target), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
}

Expected<fb::KernelT> KernelWorker::compile(std::string_view source,
                                            const std::string &spec,
                                            PhaseTimes &times) {
  ++compiled;
  DiagnosticCollector diagnostics(&context);
  OwningOpRef<ModuleOp> kernel;
  {
    PhaseTimer timer(times, "encode");
    // Verified before it was written.
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    kernel = parseSourceString<ModuleOp>(source, config);
  }
  if (!kernel)
    return tl::unexpected(
        diagnostics.takeError("encode", "the kernel cannot be read again"));
  Expected<fb::KernelT> result = target.compile(*kernel, spec, times);
  if (result)
    return result;
  return tl::unexpected(
      diagnostics.takeError(result.error().phase, result.error().message));
}

/// The idle workers of one target. Pools outlive threads that compile at exit.
static ObjectPool<KernelWorker> &poolOf(const Target &target) {
  static std::mutex mutex;
  static auto *pools =
      new llvm::DenseMap<const Target *,
                         std::unique_ptr<ObjectPool<KernelWorker>>>;
  std::lock_guard lock(mutex);
  auto &pool = (*pools)[&target];
  if (!pool)
    pool = std::make_unique<ObjectPool<KernelWorker>>();
  return *pool;
}

LeasedWorker::LeasedWorker(const Target &target)
    : pool(poolOf(target)), worker(pool.take()) {
  if (!worker)
    worker = std::make_unique<KernelWorker>(target);
}

LeasedWorker::~LeasedWorker() {
  if (!worker->needsReset())
    pool.put(std::move(worker));
}

void warmUp(const Target &target) {
  target.warmUp();
  LeasedWorker worker(target);
}

} // namespace tandem
