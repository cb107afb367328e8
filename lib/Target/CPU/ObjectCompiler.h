//===- ObjectCompiler.h - LLVM IR to object code -----------------*- C++
//-*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_OBJECTCOMPILER_H
#define TANDEM_LIB_TARGET_CPU_OBJECTCOMPILER_H

#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tandem {

/// This thread's target machine for the options; made once. Not to be shared
/// between threads.
Expected<llvm::TargetMachine *>
getTargetMachine(const CPUTargetOptions &options);

/// Sets the target of every function of `module`.
void setTarget(llvm::Module &module, llvm::TargetMachine &machine,
               unsigned vectorBits);

/// The short pipeline for kernels: what makes straight loops out of them,
/// LLVM's loop vectoriser, and what cleans up behind it.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

/// An ELF object; an Error where LLVM cannot emit one.
Expected<llvm::SmallVector<char, 0>> emitObject(llvm::Module &module,
                                                llvm::TargetMachine &machine);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_OBJECTCOMPILER_H
