//===- HostMachine.h - The machine that kernels are compiled for -*- C++ -*-=//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_HOSTMACHINE_H
#define TANDEM_LIB_TARGET_CPU_HOSTMACHINE_H

#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace tandem {

/// What `options` leaves open, filled in from this host.
CPUTargetOptions resolve(const CPUTargetOptions &options);

/// Whether resolved options have dot products of pairs of bf16 and the rounding
/// to bf16, at all widths of vectors.
bool hasBF16(const CPUTargetOptions &options);

/// Whether they have fused multiply-adds.
bool hasFMA(const CPUTargetOptions &options);

/// The mutant that TANDEM_MUTATE names, in a build with TANDEM_MUTANTS; null
/// otherwise (tandem-cpu-mutate-kernel).
const char *getMutant();

/// A TargetMachine for resolved options. Machines are pooled: one is lent to
/// one compilation at a time, and creating it is paid once per thread that
/// compiles.
class BorrowedMachine {
public:
  static Expected<BorrowedMachine> get(const CPUTargetOptions &options);
  BorrowedMachine(BorrowedMachine &&) = default;
  ~BorrowedMachine();
  llvm::TargetMachine &operator*() const { return *machine; }

private:
  BorrowedMachine(std::string key, std::unique_ptr<llvm::TargetMachine> machine)
      : key(std::move(key)), machine(std::move(machine)) {}
  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_HOSTMACHINE_H
