//===- CPUTarget.h - Kernel modules to machine code -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CPUTARGET_H
#define TANDEM_TARGET_CPU_CPUTARGET_H

#include "tandem/Target/Target.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tandem {

/// Target "cpu".
const Target &cpuTarget();
/// Its kernels of contractions.
const ContractionModel &cpuContractionModel();

/// The machine to compile for. Empty strings mean this host.
struct CPUTargetOptions {
  /// LLVM's name of the processor ("znver5") and its features ("+avx512f,…").
  /// Without a name, features are added to this host's or, as "-avx512bf16",
  /// taken away.
  std::string cpu;
  std::string features;
  /// Preferred vector width in bits; 0: the widest of the processor.
  unsigned vectorBits = 0;
  /// Expand functions as MLIR does, not as Tandem does: to compare with.
  bool stockMath = false;
  /// What tiles and tasks are planned for: findDeviceModel. Only what one core
  /// has counts, and neither features nor vectors do.
  std::string deviceSpec = "generic";
};

/// This host (see hostProcessor): processor, features and vector width, all
/// that decides the code of a kernel beside the kernel.
std::string describeCPUTarget();

/// Makes what the first kernel of a process would wait for: LLVM's description
/// of this host and the linker. Thread-safe.
void warmUpCPUTarget();

/// Inserts the dialects, and the external models of interfaces, that the
/// lowering of kernels needs. Called once per context, ahead of compilation.
void registerCPUTargetDialects(mlir::DialectRegistry &registry);

/// Compiles one kernel to an ELF object. `kernel` is a module as phase
/// `kernels` leaves it: one function of the module's name, on tandem ops with
/// static types. It is lowered in place and of no further use; it needs no
/// parent, and kernels in different contexts may be compiled concurrently.
///
/// Fills name, target, code, extent, grain and in_place; bytes and flops are
/// the caller's. Adds to the phases "linalg" (tandem to linalg on tensors),
/// "lower" (to the LLVM dialect), "optimize" (LLVM IR) and "codegen" (to an
/// object). What MLIR diagnoses goes to the context's handler; the Error has
/// phase "codegen".
Expected<fb::KernelT> compileKernelForCPU(mlir::ModuleOp kernel,
                                          const CPUTargetOptions &options,
                                          PhaseTimes &times);

/// Links the objects of `program.kernels` into this process and looks up each
/// kernel by its name. Thread-safe. Errors (phase "load") name the kernel.
Expected<LoadedKernels> loadCPUKernels(const Program &program);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CPUTARGET_H
