//===- KernelWorker.h - A context that compiles kernels ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELS_KERNELWORKER_H
#define TANDEM_LIB_COMPILER_KERNELS_KERNELWORKER_H

#include "tandem/Support/ObjectPool.h"
#include "tandem/Target/Target.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string_view>

namespace tandem {

/// An MLIR context with the dialects of a target, in which kernels are
/// compiled. Used by one thread at a time.
class KernelWorker {
public:
  explicit KernelWorker(const Target &target);

  /// Compiles a kernel in canonical form (CanonicalKernel.h) for the core that
  /// `spec` describes (Target::compile). Errors contain the emitted diagnostic,
  /// without a location. Adds the phase "encode", for reading the kernel, and
  /// the phases of the target.
  Expected<fb::KernelT> compile(std::string_view source,
                                const std::string &spec, PhaseTimes &times);

  /// Whether the worker has compiled so many kernels that it should be
  /// destroyed, to free the attributes and types that live as long as the
  /// context.
  bool needsReset() const { return compiled >= 512; }

private:
  const Target &target;
  mlir::MLIRContext context;
  size_t compiled = 0;
};

/// A worker from the process's pool, or a new one if the pool is empty. The
/// destructor returns it to the pool. Thread-safe; no lock is held while a
/// worker is created or used.
class LeasedWorker {
public:
  explicit LeasedWorker(const Target &target);
  LeasedWorker(const LeasedWorker &) = delete;
  LeasedWorker &operator=(const LeasedWorker &) = delete;
  ~LeasedWorker();
  KernelWorker &operator*() const { return *worker; }

private:
  ObjectPool<KernelWorker> &pool;
  std::unique_ptr<KernelWorker> worker;
};

/// Makes sure that the pool has an idle worker for `target`, and that the
/// target is warm (Target::warmUp), so that the first kernel of a process does
/// not wait for them.
void warmUp(const Target &target);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELS_KERNELWORKER_H
