//===- CUDAPasses.cpp - CUDA as a target ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDAContractionModel.h"
#include "CUDALibraries.h"

#include "tandem/Analysis/GPUSpec.h"
#include "tandem/Conversion/KernelToEmitC/KernelToEmitC.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Pipelines/PipelineOptions.h"
#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Target/CUDA/CUDATarget.h"
#include "tandem/Target/CUDA/KernelPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace tandem {
namespace {

/// CUDA C++, which is the same for all devices; for the one that is here,
/// cubin.
class CUDA final : public Target {
public:
  explicit CUDA(int index) : index(index) {}
  StringRef name() const override { return "cuda"; }
  StringRef description() const override {
    return "the first GPU of NVIDIA's (cuda:1 is the second)";
  }

  Expected<Device *> device() const override { return cudaDevice(index); }
  bool hasDevice() const override { return hasCUDADriver(); }
  std::string deviceSpec() const override;
  const ContractionModel *contractionModel() const override {
    return &cudaContractionModel();
  }
  const LibraryModel *libraryModel() const override {
    return &cudaLibraryModel();
  }
  bool generatesReductions() const override { return true; }

  void addLayoutPasses(OpPassManager &pm,
                       const PipelineOptions &) const override {
    pm.addNestedPass<func::FuncOp>(createCUDAFitBytes());
  }
  void addPassesBeforeFusion(OpPassManager &pm,
                             const PipelineOptions &options) const override {
    // Fusion makes one kernel of what a softmax becomes, and two of a reduction
    // with too few results to keep the device busy.
    pm.addNestedPass<func::FuncOp>(createTandemDecomposeSoftmax());
    TandemSplitReductionsOptions split;
    split.deviceSpec = options.deviceSpec;
    pm.addNestedPass<func::FuncOp>(createTandemSplitReductions(split));
  }

  void addKernelPasses(OpPassManager &kernels,
                       const PipelineOptions &) const override {
    buildCUDAKernelPipeline(kernels);
  }
  StringRef kernelPhase() const override { return "emitc"; }

  void registerDialects(DialectRegistry &registry) const override {
    registerCUDATargetDialects(registry);
    ContractionModels::add(registry, cudaContractionModel());
    LibraryModels::add(registry, cudaLibraryModel());
  }
  Expected<fb::KernelT> compile(ModuleOp kernel, const std::string &spec,
                                PhaseTimes &times) const override {
    CUDATargetOptions options;
    options.deviceSpec = spec;
    return compileKernelForCUDA(kernel, options, times);
  }
  // Compiling a program with NVRTC takes at least 13 ms, which is more than
  // most kernels take.
  bool assembles() const override { return true; }
  Status assemble(ArrayRef<fb::KernelT *> kernels,
                  MutableArrayRef<KernelListing> listings) const override {
    TANDEM_ASSIGN_OR_RETURN(CUDADevice * gpu, cudaDevice(index));
    return assembleCubin(kernels, std::string(gpu->arch()), listings);
  }
  std::string fingerprint() const override {
    Expected<CUDADevice *> gpu = cudaDevice(index);
    Expected<std::string> version = nvrtcVersion();
    if (!gpu || !version)
      return {};
    // Loaded kernels are one device's.
    std::string text = std::string((*gpu)->name()) + " " +
                       std::string((*gpu)->arch()) + " NVRTC " + *version;
    if (const auto &cudnn = cuda::cudnn())
      text += " cuDNN " + cudnn->version;
    if (const auto &cublasLt = cuda::cublasLt())
      text += " cuBLASLt " + cublasLt->version;
    return text;
  }

private:
  const int index;
};

/// The GPU that is here, if its architecture is described; else a current one.
std::string CUDA::deviceSpec() const {
  if (hasDevice())
    if (Expected<CUDADevice *> gpu = cudaDevice(index))
      if (std::string text = describeGPU((*gpu)->arch(), (*gpu)->properties());
          !text.empty())
        return text;
  return CUDATargetOptions().gpu;
}

} // namespace

const Target &cudaTarget(int index) {
  static std::mutex mutex; // guards targets
  // Never destroyed, as threads may still compile at exit.
  static auto &targets = *new std::map<int, CUDA>;
  std::lock_guard lock(mutex);
  return targets.try_emplace(index, index).first->second;
}

} // namespace tandem
