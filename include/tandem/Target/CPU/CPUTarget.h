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

/// The target "cpu", which compiles kernels to ELF objects for the host.
const Target &cpuTarget();
/// Returns the model of the target's contraction kernels.
const ContractionModel &cpuContractionModel();

/// The machine to compile for. Empty strings stand for the host.
struct CPUTargetOptions {
  /// LLVM's name of the processor ("znver5") and its features ("+avx512f,…").
  /// Without a name, the features are added to those of the host ("+…") or
  /// removed from them ("-avx512bf16").
  std::string cpu;
  std::string features;
  /// Preferred vector width, in bits; 0 for the widest of the processor.
  unsigned vectorBits = 0;
  /// Whether to expand math functions with MLIR's patterns instead of Tandem's,
  /// for comparison.
  bool stockMath = false;
  /// The device for which tiles and tasks are planned, as an argument of
  /// findDeviceModel. Only the numbers for one core are used. The vectors and
  /// instructions are those of `cpu` and `features`.
  std::string deviceSpec = "generic";
};

/// Returns the processor, features and vector width of the host (hostProcessor)
/// as a string. The code of a kernel depends on these properties in addition to
/// the kernel itself.
std::string describeCPUTarget();

/// Initializes LLVM's description of the host, and the linker, so that the
/// first kernel of a process need not wait for them. Thread-safe.
void warmUpCPUTarget();

/// Registers the dialects, and the external models of interfaces, that the
/// lowering of kernels needs. To be called before contexts are created from
/// `registry`.
void registerCPUTargetDialects(mlir::DialectRegistry &registry);

/// Compiles one kernel to an ELF object. `kernel` is a module in the form that
/// phase `kernels` leaves: one function of the module's name, on tandem ops
/// with static types. The module is lowered in place and cannot be used
/// afterwards. The module needs no parent op. Kernels in different contexts may
/// be compiled concurrently.
///
/// Sets name, target, code, extent, grain, workspace, frame and in_place; bytes
/// and flops are left to the caller. Adds to the phases "linalg" (tandem to
/// linalg on tensors), "lower" (to the LLVM dialect), "optimize" (LLVM IR) and
/// "codegen" (to an object). MLIR's diagnostics go to the context's handler;
/// the Error has phase "codegen".
Expected<fb::KernelT> compileKernelForCPU(mlir::ModuleOp kernel,
                                          const CPUTargetOptions &options,
                                          PhaseTimes &times);

/// Links the objects of `program.kernels` into this process and looks up each
/// kernel by its symbol. Thread-safe. Errors (phase "load") name the kernel.
Expected<LoadedKernels> loadCPUKernels(const Program &program);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CPUTARGET_H
