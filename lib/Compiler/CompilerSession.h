//===- CompilerSession.h - One thread's share of a compiler ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_COMPILERSESSION_H
#define TANDEM_LIB_COMPILER_COMPILERSESSION_H

#include "GraphSource.h"
#include "KernelDriver.h"

#include "tandem/Analysis/CostModel.h"
#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <span>
#include <vector>

namespace tandem {

/// A context with its dialects, the graph in it, and pass managers that are
/// ready to run: what a compilation needs and what takes longer to make than to
/// use. One thread at a time.
class CompilerSession {
public:
  static Expected<std::unique_ptr<CompilerSession>>
  create(std::shared_ptr<const GraphSource> graph,
         const CompileOptions &options);

  const Target &getTarget() const { return target; }

  Expected<Compiled> compile(std::span<const TensorType> inputs);
  Expected<std::vector<ContractionEstimate>>
  estimateContractions(std::span<const TensorType> inputs);

  /// After so many, what they have left in the context (attributes, types and
  /// rearranged constants live as long as it) should be given back.
  static constexpr size_t kMaxCompilations = 256;
  bool isWornOut() const { return compilations >= kMaxCompilations; }

private:
  struct PhasePasses {
    Phase phase;
    std::unique_ptr<mlir::PassManager> passes;
  };

  CompilerSession(std::shared_ptr<const GraphSource> graph,
                  const Target &target, const CompileOptions &options,
                  const mlir::DialectRegistry &registry);

  /// Of `pipeline` it sets what the passes are told of the machine.
  Status describeMachine(PipelineOptions &pipeline);
  mlir::LogicalResult specialiseTo(mlir::ModuleOp module,
                                   std::span<const TensorType> inputs,
                                   PhaseTimes &times);
  mlir::LogicalResult runPhases(mlir::ModuleOp module,
                                llvm::ArrayRef<PhasePasses> phases,
                                PhaseTimes &times);
  /// From kernel modules and their launches to a program that can run.
  /// `overlapNs`: by how much less the clock has advanced than threads have
  /// worked.
  Expected<Compiled> generate(mlir::ModuleOp module, PhaseTimes &times,
                              double &overlapNs);
  /// Puts ops in place of the kernels that have failed; an error where that is
  /// not wanted.
  Status fallBack(mlir::ModuleOp module, llvm::ArrayRef<mlir::ModuleOp> kernels,
                  llvm::ArrayRef<KernelOutcome> outcomes, Compiled &compiled);

  std::shared_ptr<const GraphSource> source;
  const Target &target;
  CompileOptions options;
  FailureRequest failures;
  /// The machine whose prices programs have; and one of its cores, for which
  /// kernels are compiled.
  DeviceModel model;
  std::string coreSpec;
  size_t compilations = 0;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  /// The phases between specialisation and kernels.
  std::vector<PhasePasses> phases;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_COMPILERSESSION_H
