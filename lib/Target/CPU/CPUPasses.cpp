//===- CPUPasses.cpp - The CPU as a target --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Fusion/ContractionModel.h"
#include "tandem/Pipelines/PipelineOptions.h"
#include "tandem/Target/CPU/CPUOptions.h"
#include "tandem/Target/CPU/CPUShares.h"
#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem {
namespace {

/// The most elements that a convolution may combine to one result for its
/// padding to be materialized. Convolutions that combine more are better
/// contractions.
constexpr int64_t kMaxReadsOfLoop = 16;

class CPU final : public Target {
public:
  CPU() { setHostLoader(fb::KernelTarget::cpu_object, loadCPUKernels); }

  StringRef name() const override { return "cpu"; }
  StringRef description() const override {
    return "fused kernels through LLVM for this host";
  }

  Expected<Device *> device() const override { return &hostDevice(); }
  bool isHost() const override { return true; }
  const ContractionModel *contractionModel() const override {
    return &cpuContractionModel();
  }
  bool generatesReductions() const override { return true; }

  std::span<const TargetOptionInfo> options() const override {
    return cpuOptionInfos();
  }
  bool autotunesContractions(const TargetOptions &options) const override {
    return read(options).contractions == Contractions::autotune;
  }
  bool multipliesFactors(const TargetOptions &options) const override {
    return read(options).scaledWeights != ScaledWeights::never;
  }
  std::string deviceModel(const TargetOptions &options) const override {
    return read(options).deviceModel;
  }

  Status checkDevice(const DeviceModel &model) const override {
    return checkCPUShares(model);
  }

  void addLayoutPasses(OpPassManager &pm,
                       const PipelineOptions &options) const override;
  void addPassesBeforeFusion(OpPassManager &pm,
                             const PipelineOptions &options) const override;
  void addPassesAfterFusion(OpPassManager &pm,
                            const PipelineOptions &options) const override;
  void addKernelPasses(OpPassManager &kernels,
                       const PipelineOptions &options) const override {
    buildCPUKernelPipeline(kernels, {.deviceSpec = options.deviceSpec});
  }
  StringRef kernelPhase() const override { return "llvm"; }
  StringRef continuation() const override {
    return "mlir-translate --allow-unregistered-dialect --mlir-to-llvmir | "
           "llc -O2 -mcpu=native";
  }

  void registerDialects(DialectRegistry &registry) const override {
    registerCPUTargetDialects(registry);
    ContractionModels::add(registry, cpuContractionModel());
  }
  Expected<fb::KernelT> compile(ModuleOp kernel, const std::string &spec,
                                PhaseTimes &times) const override {
    return compileKernelForCPU(kernel, {.deviceSpec = spec}, times);
  }
  std::string fingerprint() const override { return describeCPUTarget(); }
  void warmUp() const override { warmUpCPUTarget(); }

private:
  /// Reads options that have been checked.
  static CPUOptions read(const TargetOptions &options) {
    return parseCPUOptions(options).value_or(CPUOptions());
  }
};

void CPU::addLayoutPasses(OpPassManager &pm,
                          const PipelineOptions &options) const {
  // This pass runs before layouts are assigned, because their costs depend on
  // the element type of the data.
  FitBytesOptions bytes;
  bytes.deviceSpec = options.deviceSpec;
  bytes.sums = read(options.targetOptions).byteSums;
  pm.addNestedPass<func::FuncOp>(createFitBytes(bytes));
  AssignLayoutsOptions layouts;
  layouts.deviceSpec = options.deviceSpec;
  layouts.winograd = read(options.targetOptions).winograd != Winograd::never;
  layouts.notes = !options.fusionReport.empty();
  pm.addNestedPass<func::FuncOp>(createAssignLayouts(layouts));
}

void CPU::addPassesBeforeFusion(OpPassManager &pm,
                                const PipelineOptions &options) const {
  // Before all that asks whether a contraction becomes a kernel.
  const CPUOptions given = read(options.targetOptions);
  if (!options.areBackendsChosen) {
    ChooseContractionsOptions choose;
    choose.how = given.contractions;
    choose.winograd = given.winograd != Winograd::never;
    choose.deviceSpec = options.deviceSpec;
    choose.notes = !options.fusionReport.empty();
    pm.addNestedPass<func::FuncOp>(createChooseContractions(choose));
  }
  // This pass runs after the backends of other contractions have been chosen:
  // it chooses the backend of the convolutions that it builds, for which the
  // library is slow.
  DecomposeConvBackwardWeightsOptions decompose;
  decompose.how = given.contractions;
  decompose.deviceSpec = options.deviceSpec;
  pm.addNestedPass<func::FuncOp>(createDecomposeConvBackwardWeights(decompose));
  // Fusion makes one kernel of the ops that replace a softmax.
  pm.addNestedPass<func::FuncOp>(createTandemDecomposeSoftmax());
  TandemSplitReductionsOptions split;
  split.deviceSpec = options.deviceSpec;
  pm.addNestedPass<func::FuncOp>(createTandemSplitReductions(split));
  // Fusion would compute padding inside the loop kernel. A GPU predicates its
  // loads, so materializing the padding would only cost it another launch.
  // Contraction kernels skip padding, so only ops that are light enough for a
  // loop kernel are padded.
  TandemMaterializePaddingOptions padding;
  padding.maxReads = kMaxReadsOfLoop;
  pm.addNestedPass<func::FuncOp>(createTandemMaterializePadding(padding));
}

/// These passes run after fusion, which decides which contractions become
/// generated kernels. A library packs weights itself. Transformed weights are
/// packed when they are transformed.
void CPU::addPassesAfterFusion(OpPassManager &pm,
                               const PipelineOptions &options) const {
  TransformWeightsOptions transform;
  transform.how = read(options.targetOptions).winograd;
  transform.deviceSpec = options.deviceSpec;
  pm.addNestedPass<func::FuncOp>(createTransformWeights(transform));
  PackWeightsOptions pack;
  pack.deviceSpec = options.deviceSpec;
  pack.alwaysScales =
      read(options.targetOptions).scaledWeights == ScaledWeights::always;
  pm.addNestedPass<func::FuncOp>(createPackWeights(pack));
}

} // namespace

const Target &cpuTarget() {
  static const CPU target;
  return target;
}

} // namespace tandem
