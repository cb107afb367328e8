//===- Pipelines.cpp - The phases and the order of passes -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Pipelines/Pipelines.h"

#include "tandem/Conversion/KernelToEmitC/KernelToEmitC.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem {
namespace {

constexpr Phase kPhases[] = {Phase::Specialise, Phase::Simplify, Phase::Layout,
                             Phase::Fuse,       Phase::Kernels,  Phase::Linalg,
                             Phase::Target};

/// Convolutions that combine more elements to one are better contractions.
constexpr int64_t kMaxReadsOfLoop = 16;

bool isCUDA(StringRef device) { return device.starts_with("cuda"); }

void buildLinalg(OpPassManager &kernels, const PipelineOptions &options) {
  ConvertTandemToLinalgOptions linalg;
  linalg.deviceSpec = options.deviceSpec;
  kernels.addNestedPass<func::FuncOp>(createConvertTandemToLinalg(linalg));
}

void buildTarget(OpPassManager &kernels, const PipelineOptions &options) {
  if (!isCUDA(options.device))
    return buildCPUKernelPipeline(kernels, {.deviceSpec = options.deviceSpec});
  // The shape of the grid decides what a thread computes, so mapping comes
  // before any of it is expressed in C.
  kernels.addPass(createMapKernelToThreads());
  kernels.addPass(createConvertKernelToEmitC());
}

/// What tandem-fuse and tandem-report-fusion must agree on.
template <typename PassOptions>
void setFusionOptions(PassOptions &pass, const PipelineOptions &options) {
  pass.fuel = options.fusionFuel;
  pass.deviceSpec = options.deviceSpec;
  pass.contractions = pass.reductions = !isCUDA(options.device);
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

StringRef name(Phase phase, StringRef device) {
  switch (phase) {
  case Phase::Specialise:
    return "specialise";
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
    return isCUDA(device) ? "emitc" : "llvm";
  }
  return "";
}

FailureOr<Phase> parsePhase(StringRef text, StringRef device,
                            std::string &valid) {
  valid.clear();
  for (Phase phase : kPhases) {
    if (name(phase, device) == text)
      return phase;
    valid += (valid.empty() ? "" : ", ") + name(phase, device).str();
  }
  return failure();
}

void buildPhase(OpPassManager &pm, Phase phase,
                const PipelineOptions &options) {
  switch (phase) {
  case Phase::Specialise: {
    // Before all else: what folds, and what fusion pays, depends on the sizes.
    TandemSpecialiseOptions specialise;
    specialise.shapes.assign(options.shapes.begin(), options.shapes.end());
    specialise.function = options.function;
    return pm.addPass(createTandemSpecialise(specialise));
  }
  case Phase::Simplify:
    // Before fusion, which takes ops as they are: a batch_norm that could be
    // in a convolution would become part of a kernel. After it no dead op and
    // no common subexpression is left, which fusion would compute.
    return pm.addPass(createTandemSimplify());
  case Phase::Layout:
    // Before fusion, which takes transposes in as indexing; after batch norms
    // and biases are gone from between the ops that want the same layout.
    if (!isCUDA(options.device)) {
      AssignLayoutsOptions layouts;
      layouts.deviceSpec = options.deviceSpec;
      layouts.winograd = options.winograd != "never";
      layouts.notes = !options.fusionReport.empty();
      pm.addNestedPass<func::FuncOp>(createAssignLayouts(layouts));
    }
    return;
  case Phase::Fuse: {
    TandemFuseOptions fuse;
    setFusionOptions(fuse, options);
    if (!isCUDA(options.device)) {
      // Before all that asks whether a contraction becomes a kernel.
      if (!options.contractions.empty()) {
        ChooseContractionsOptions choose;
        choose.how = options.contractions;
        choose.winograd = options.winograd != "never";
        choose.deviceSpec = options.deviceSpec;
        choose.notes = !options.fusionReport.empty();
        pm.addNestedPass<func::FuncOp>(createChooseContractions(choose));
      }
      // Before fusion, which makes one kernel of what a softmax becomes.
      pm.addNestedPass<func::FuncOp>(createTandemDecomposeSoftmax());
      TandemSplitReductionsOptions split;
      split.deviceSpec = options.deviceSpec;
      pm.addNestedPass<func::FuncOp>(createTandemSplitReductions(split));
      // Before fusion, which would compute the padding in place. A GPU
      // predicates its loads and would only pay one more launch; a kernel of a
      // contraction has no need of it, so only what is lighter is padded.
      TandemMaterialisePaddingOptions padding;
      padding.maxReads = kMaxReadsOfLoop;
      pm.addNestedPass<func::FuncOp>(createTandemMaterialisePadding(padding));
    }
    addFusionReport(pm, options);
    pm.addNestedPass<func::FuncOp>(createTandemFuse(fuse));
    // After fusion, which says what becomes a contraction of ours: a library
    // packs for itself. What is transformed is packed with it.
    if (!isCUDA(options.device)) {
      TransformWeightsOptions transform;
      transform.how = options.winograd;
      transform.deviceSpec = options.deviceSpec;
      pm.addNestedPass<func::FuncOp>(createTransformWeights(transform));
      PackWeightsOptions pack;
      pack.deviceSpec = options.deviceSpec;
      pm.addNestedPass<func::FuncOp>(createPackWeights(pack));
    }
    return;
  }
  case Phase::Kernels:
    // After all fusion: from here on kernels do not see each other.
    return pm.addPass(createTandemOutlineKernels());
  case Phase::Linalg:
    return buildLinalg(pm.nest<ModuleOp>(), options);
  case Phase::Target:
    return buildTarget(pm.nest<ModuleOp>(), options);
  }
}

void buildKernelPhases(OpPassManager &kernel, const PipelineOptions &options) {
  buildLinalg(kernel, options);
  buildTarget(kernel, options);
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
