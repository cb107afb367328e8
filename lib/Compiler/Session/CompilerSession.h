//===- CompilerSession.h - A context that compiles one graph ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_COMPILERSESSION_H
#define TANDEM_LIB_COMPILER_SESSION_COMPILERSESSION_H

#include "Kernels/KernelDriver.h"
#include "Prediction/DeviceLibraryModel.h"
#include "Remote/SerializedGraph.h"
#include "Session/CompilerConfig.h"

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

/// An MLIR context that is ready to compile one graph: its dialects, the graph,
/// and the pass managers, which take longer to create than to use. Used by one
/// thread at a time.
class CompilerSession {
public:
  static Expected<std::unique_ptr<CompilerSession>>
  create(std::shared_ptr<const SerializedGraph> graph,
         const CompilerConfig &config);

  /// See Compiler::compile and Graph::estimateContractions.
  Expected<Compiled> compile(std::span<const TensorType> inputs);
  Expected<std::vector<ContractionEstimate>>
  estimateContractions(std::span<const TensorType> inputs);
  /// See Graph::printIR.
  Expected<std::string> printIR(std::string_view phase,
                                std::span<const TensorType> inputs);

  /// The number of compilations after which the session should be destroyed, to
  /// free the attributes, types and rearranged constants that live as long as
  /// the context.
  static constexpr size_t kMaxCompilations = 256;
  bool needsReset() const { return compilations >= kMaxCompilations; }

private:
  struct PhasePasses {
    Phase phase;
    std::unique_ptr<mlir::PassManager> passes;
  };

  CompilerSession(std::shared_ptr<const SerializedGraph> graph,
                  const CompilerConfig &config,
                  const mlir::DialectRegistry &registry,
                  std::unique_ptr<const DeviceLibraryModel> libraries);

  PipelineOptions pipelineOptions() const;
  void buildPhases();
  mlir::LogicalResult specializeTo(mlir::ModuleOp module,
                                   std::span<const TensorType> inputs,
                                   PhaseTimes &times);
  mlir::LogicalResult runPhases(mlir::ModuleOp module,
                                llvm::ArrayRef<PhasePasses> phases,
                                PhaseTimes &times);
  /// Compiles the kernel modules of `module` and emits a program that can run.
  /// Sets `overlapNs` to the total working time of all threads less the elapsed
  /// time, in nanoseconds.
  Expected<Compiled> generate(mlir::ModuleOp module, PhaseTimes &times,
                              double &overlapNs);
  /// Replaces the launches of failed kernels by the kernels' ops; fails if
  /// CompileOptions::fallback is not set.
  Status fallBack(mlir::ModuleOp module, llvm::ArrayRef<mlir::ModuleOp> kernels,
                  llvm::ArrayRef<KernelOutcome> outcomes, Compiled &compiled);

  std::shared_ptr<const SerializedGraph> source;
  const CompilerConfig config;
  const Target &target;
  size_t compilations = 0;
  /// A model that is registered in the context; null if the target has no
  /// libraries.
  std::unique_ptr<const DeviceLibraryModel> libraries;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  /// The phases between specialization and kernels.
  std::vector<PhasePasses> phases;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_COMPILERSESSION_H
