//===- Pipelines.cpp - The phases and the order of passes -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Pipelines/Pipelines.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Fusion/ContractionModel.h"
#include "tandem/Fusion/LibraryModel.h"
#include "tandem/Fusion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem {
namespace {

constexpr Phase kPhases[] = {Phase::Specialize, Phase::Simplify, Phase::Layout,
                             Phase::Fuse,       Phase::Kernels,  Phase::Linalg,
                             Phase::Target};

void buildLinalg(OpPassManager &kernels, const PipelineOptions &options) {
  ConvertTandemToLinalgOptions linalg;
  linalg.deviceSpec = options.deviceSpec;
  kernels.addNestedPass<func::FuncOp>(createConvertTandemToLinalg(linalg));
}

/// What tandem-fuse and tandem-report-fusion must agree on.
template <typename PassOptions>
void setFusionOptions(PassOptions &pass, const PipelineOptions &options) {
  pass.fuel = options.fusionFuel;
  pass.deviceSpec = options.deviceSpec;
  if (const ContractionModel *model = options.target->contractionModel())
    pass.contractions = model->name().str();
  pass.libraries = options.libraries;
  if (const LibraryModel *model = options.target->libraryModel();
      model && options.libraries.empty())
    pass.libraries = model->name().str();
  pass.reductions = options.target->generatesReductions();
  pass.phasesApart = options.keepsPhasesApart;
}

/// Right before fusion, for it accounts for the same ops.
void addFusionReport(OpPassManager &pm, const PipelineOptions &options) {
  if (options.fusionReport.empty() && options.whyNotFused.empty())
    return;
  TandemReportFusionOptions report;
  setFusionOptions(report, options);
  report.file = options.fusionReport;
  report.whyNot.assign(options.whyNotFused.begin(), options.whyNotFused.end());
  pm.addPass(createTandemReportFusion(report));
}

} // namespace

StringRef name(Phase phase, const Target &target) {
  switch (phase) {
  case Phase::Specialize:
    return "specialize";
  case Phase::Simplify:
    return "simplify";
  case Phase::Layout:
    return "layout";
  case Phase::Fuse:
    return "fuse";
  case Phase::Kernels:
    return "kernels";
  case Phase::Linalg:
    return "linalg";
  case Phase::Target:
    return target.kernelPhase();
  }
  return "";
}

FailureOr<Phase> parsePhase(StringRef text, const Target &target,
                            std::string &valid) {
  valid.clear();
  for (Phase phase : kPhases) {
    if (name(phase, target) == text)
      return phase;
    valid += (valid.empty() ? "" : ", ") + name(phase, target).str();
  }
  return failure();
}

void buildPhase(OpPassManager &pm, Phase phase,
                const PipelineOptions &options) {
  switch (phase) {
  case Phase::Specialize: {
    // Specialization is first, because the sizes decide which ops fold and what
    // fusion costs.
    TandemSpecializeOptions specialize;
    specialize.shapes.assign(options.shapes.begin(), options.shapes.end());
    specialize.function = options.function;
    return pm.addPass(createTandemSpecialize(specialize));
  }
  case Phase::Simplify:
    // Simplification folds batch norms into convolutions, and removes dead ops
    // and common subexpressions. Fusion does not remove such ops, and would put
    // them into kernels.
    pm.addNestedPass<func::FuncOp>(createTandemDropStopGradients());
    pm.addNestedPass<func::FuncOp>(createTandemDecomposeConvBackwardData());
    // Layer norms are decomposed before layouts are chosen, because these
    // passes move transposes across the resulting ops.
    pm.addNestedPass<func::FuncOp>(createTandemDecomposeLayerNorm());
    pm.addNestedPass<func::FuncOp>(
        createTandemDecomposeResize({options.target->isHost()}));
    pm.addPass(createTandemSimplify());
    // Loops are outlined after simplification has moved constants into their
    // bodies. All later passes see the bodies as functions.
    pm.addPass(createTandemOutlineLoops());
    // Constants are evaluated after simplification, which leaves fewer ops to
    // execute, and before layouts and packed weights are chosen for them.
    return pm.addNestedPass<func::FuncOp>(createTandemEvaluateConstants(
        {options.target->multipliesFactors(options.targetOptions)}));
  case Phase::Layout:
    // Layouts are chosen after batch norms and biases have been folded, which
    // would otherwise separate ops that prefer the same layout.
    return options.target->addLayoutPasses(pm, options);
  case Phase::Fuse: {
    options.target->addPassesBeforeFusion(pm, options);
    addFusionReport(pm, options);
    TandemFuseOptions fuse;
    setFusionOptions(fuse, options);
    pm.addNestedPass<func::FuncOp>(createTandemFuse(fuse));
    return options.target->addPassesAfterFusion(pm, options);
  }
  case Phase::Kernels:
    // Kernels are outlined after all fusion. Each kernel is then a module of
    // its own.
    return pm.addPass(createTandemOutlineKernels());
  case Phase::Linalg:
    return buildLinalg(pm.nest<ModuleOp>(), options);
  case Phase::Target:
    return options.target->addKernelPasses(pm.nest<ModuleOp>(), options);
  }
}

void buildKernelPhases(OpPassManager &kernel, const PipelineOptions &options) {
  buildLinalg(kernel, options);
  options.target->addKernelPasses(kernel, options);
}

void buildPipeline(OpPassManager &pm, Phase until,
                   const PipelineOptions &options) {
  for (Phase phase : kPhases) {
    buildPhase(pm, phase, options);
    if (phase == until)
      return;
  }
}

} // namespace tandem
