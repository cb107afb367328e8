//===- CodeGen.h - LLVM IR to an object --------------------------*- C++ -*-==//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CODEGEN_H
#define TANDEM_LIB_TARGET_CPU_CODEGEN_H

#include "tandem/Target/CPU/CPUTarget.h"

#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tandem {

/// Runs a short pipeline of LLVM's optimizations on a module whose loops are
/// already vectorized.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const CPUTargetOptions &options);

/// Compiles a module to an ELF object.
Expected<std::vector<uint8_t>> emitObject(llvm::Module &module,
                                          llvm::TargetMachine &machine);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CODEGEN_H
