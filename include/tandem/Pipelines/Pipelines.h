//===- Pipelines.h - The phases and the order of passes --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PIPELINES_PIPELINES_H
#define TANDEM_PIPELINES_PIPELINES_H

#include "tandem/Pipelines/PipelineOptions.h"
#include "tandem/Target/Target.h"

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tandem {

/// What a compilation goes through, in this order. The first five work on the
/// whole module; the others on each kernel module by itself.
enum class Phase {
  /// Static shapes for one signature.
  Specialise,
  /// Fewer and cheaper ops.
  Simplify,
  /// Channels first or last, as the device likes it.
  Layout,
  /// tandem.fusion regions.
  Fuse,
  /// Each fusion in a kernel module of its own, launched.
  Kernels,
  /// Kernels as linalg.generic on tensors.
  Linalg,
  /// Kernels in the dialect that the target's code is made from, which the
  /// phase is called by.
  Target
};

/// "specialise", …, "llvm".
llvm::StringRef name(Phase phase, const Target &target);
/// The phase of that name for that target; `valid` gets all names otherwise.
mlir::FailureOr<Phase> parsePhase(llvm::StringRef name, const Target &target,
                                  std::string &valid);

/// Adds the passes of one phase. `pm` is anchored on builtin.module.
void buildPhase(mlir::OpPassManager &pm, Phase phase,
                const PipelineOptions &options);
/// Adds the passes of phases linalg and target to `kernel`, which is anchored
/// on a kernel module by itself.
void buildKernelPhases(mlir::OpPassManager &kernel,
                       const PipelineOptions &options);
/// Adds the passes of all phases up to and including `until`.
void buildPipeline(mlir::OpPassManager &pm, Phase until,
                   const PipelineOptions &options);

/// Registers the pipeline `tandem-compile{shapes=… until=… device=…
/// fusion-fuel=… function=…}`.
void registerPipelines();

} // namespace tandem

#endif // TANDEM_PIPELINES_PIPELINES_H
