//===- GuardedTarget.cpp - The CPU's code on a guarded device -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into a tool, it makes the guarded device the default one.
//
//===----------------------------------------------------------------------===//

#include "GuardedDevice.h"

#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/Target.h"

using namespace mlir;

namespace tandem::test {
namespace {

class GuardedTarget final : public Target {
public:
  StringRef name() const override { return "guarded"; }
  StringRef description() const override {
    return "the CPU in memory that the host cannot read (for tests)";
  }

  Expected<Device *> device() const override { return &guardedDevice(); }
  bool isHost() const override { return cpu.isHost(); }
  const ContractionModel *contractionModel() const override {
    return cpu.contractionModel();
  }
  bool generatesReductions() const override {
    return cpu.generatesReductions();
  }

  std::span<const TargetOptionInfo> options() const override {
    return cpu.options();
  }
  bool autotunesContractions(const TargetOptions &options) const override {
    return cpu.autotunesContractions(options);
  }
  std::string deviceModel(const TargetOptions &options) const override {
    return cpu.deviceModel(options);
  }
  Status checkDevice(const DeviceModel &model) const override {
    return cpu.checkDevice(model);
  }

  void addLayoutPasses(OpPassManager &pm,
                       const PipelineOptions &options) const override {
    cpu.addLayoutPasses(pm, options);
  }
  void addPassesBeforeFusion(OpPassManager &pm,
                             const PipelineOptions &options) const override {
    cpu.addPassesBeforeFusion(pm, options);
  }
  void addPassesAfterFusion(OpPassManager &pm,
                            const PipelineOptions &options) const override {
    cpu.addPassesAfterFusion(pm, options);
  }
  void addKernelPasses(OpPassManager &kernels,
                       const PipelineOptions &options) const override {
    cpu.addKernelPasses(kernels, options);
  }
  StringRef kernelPhase() const override { return cpu.kernelPhase(); }

  void registerDialects(DialectRegistry &registry) const override {
    cpu.registerDialects(registry);
  }
  Expected<fb::KernelT> compile(ModuleOp kernel, const std::string &spec,
                                PhaseTimes &times) const override {
    return cpu.compile(kernel, spec, times);
  }
  std::string fingerprint() const override { return cpu.fingerprint(); }
  void warmUp() const override { cpu.warmUp(); }

private:
  const Target &cpu = cpuTarget();
};

const bool isAdded = [] {
  static const GuardedTarget target;
  addDefaultTarget(target);
  return true;
}();

} // namespace
} // namespace tandem::test
