//===- HostMachine.h - The machine that kernels are compiled for --*- C++ -*-=//
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

/// Fills in what `options` leaves open from the host (hostProcessor).
CPUTargetOptions resolve(const CPUTargetOptions &options);

/// Whether resolved options include instructions for dot products of pairs of
/// bf16 and for rounding to bf16, for vectors of all widths (AVX-512 BF16).
bool hasBF16(const CPUTargetOptions &options);
bool hasVNNI(const CPUTargetOptions &options);
bool hasWordPairs(const CPUTargetOptions &options);
bool hasAMXInt8(const CPUTargetOptions &options);

/// Whether resolved options include instructions that find bytes in registers
/// by index (AVX-512 VBMI).
bool hasVBMI(const CPUTargetOptions &options);

/// Whether resolved options include fused multiply-adds.
bool hasFMA(const CPUTargetOptions &options);

/// The mutant that TANDEM_MUTATE names, in a build with TANDEM_MUTANTS; null
/// otherwise (tandem-cpu-mutate-kernel).
const char *getMutant();

/// An LLVM TargetMachine for resolved options, taken from a pool and returned
/// to it by the destructor. A machine is used by one compilation at a time, so
/// that one is created for each thread that compiles at the same time.
class PooledTargetMachine {
public:
  static Expected<PooledTargetMachine> get(const CPUTargetOptions &options);
  PooledTargetMachine(PooledTargetMachine &&) = default;
  ~PooledTargetMachine();
  llvm::TargetMachine &operator*() const { return *machine; }

private:
  PooledTargetMachine(std::string key,
                      std::unique_ptr<llvm::TargetMachine> machine)
      : key(std::move(key)), machine(std::move(machine)) {}
  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_HOSTMACHINE_H
