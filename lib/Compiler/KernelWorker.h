//===- KernelWorker.h - A context that compiles kernels ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELWORKER_H
#define TANDEM_LIB_COMPILER_KERNELWORKER_H

#include "tandem/Support/ObjectPool.h"
#include "tandem/Target/Target.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string_view>

namespace tandem {

/// A context with the dialects of a device, in which one thread at a time
/// compiles kernels.
class KernelWorker {
public:
  explicit KernelWorker(const Target &target);

  /// Compiles a kernel in canonical form (see KernelSource.h) for a core that
  /// `spec` describes (Target::compile). Errors tell
  /// what was diagnosed, without a location. Adds the phase "encode", for
  /// reading it, and those of the target.
  Expected<fb::KernelT> compile(std::string_view source,
                                const std::string &spec, PhaseTimes &times);

  /// Whether it has compiled so many kernels that what they have left in the
  /// context (attributes and types live as long as it) should be given back.
  bool isWornOut() const { return compiled >= 512; }

private:
  const Target &target;
  mlir::MLIRContext context;
  size_t compiled = 0;
};

/// A worker from the process's pool, or a new one. Thread-safe; no lock is
/// held while it is made or used.
class BorrowedWorker {
public:
  explicit BorrowedWorker(const Target &target);
  BorrowedWorker(const BorrowedWorker &) = delete;
  BorrowedWorker &operator=(const BorrowedWorker &) = delete;
  ~BorrowedWorker();
  KernelWorker &operator*() const { return *worker; }

private:
  ObjectPool<KernelWorker> &pool;
  std::unique_ptr<KernelWorker> worker;
};

/// Sees to it that the process has an idle worker of `device`, and what its
/// target makes once. The first kernel of a process would wait for them.
void warmUp(const Target &target);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELWORKER_H
