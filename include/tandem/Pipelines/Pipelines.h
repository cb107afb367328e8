//===- Pipelines.h - The phases and the order of passes ---------*- C++ -*-===//
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

/// The phases of a compilation, in order. The first five work on the whole
/// module, the others on each kernel module by itself.
enum class Phase {
  /// Sets static shapes for one signature.
  Specialize,
  /// Simplifies the graph to fewer and cheaper ops.
  Simplify,
  /// Chooses the layouts (channels first or last) that are fastest on the
  /// device.
  Layout,
  /// Groups ops into tandem.fusion regions.
  Fuse,
  /// Outlines each fusion into a kernel module of its own, which a
  /// tandem.launch runs.
  Kernels,
  /// Converts kernels to linalg.generic on tensors.
  Linalg,
  /// Lowers kernels to the dialect that the target generates code from. The
  /// phase is named after that dialect (Target::kernelPhase).
  Target
};

/// The name of a phase for `target`: "specialize", …, "llvm".
llvm::StringRef name(Phase phase, const Target &target);
/// The phase called `name` for `target`. On failure `valid` is set to the list
/// of all names.
mlir::FailureOr<Phase> parsePhase(llvm::StringRef name, const Target &target,
                                  std::string &valid);

/// Adds the passes of one phase. `pm` is anchored on builtin.module.
void buildPhase(mlir::OpPassManager &pm, Phase phase,
                const PipelineOptions &options);
/// Adds the passes of phases Linalg and Target to `kernel`, which is anchored
/// on a single kernel module.
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
