//===- CUDATarget.cpp - Kernel modules to CUDA C++ and PTX ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CUDA/CUDATarget.h"

#include "CUDASource.h"
#include "CubinFacts.h"
#include "PrintKernel.h"

#include "tandem/Analysis/GPUSpec.h"
#include "tandem/Conversion/KernelToEmitC/KernelToEmitC.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Target/CUDA/KernelPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem {
namespace {

tl::unexpected<Error> failAt(ModuleOp kernel, const char *what) {
  return fail("codegen", "kernel '" + kernel.getSymName().value_or("?").str() +
                             "' cannot be " + what);
}

LogicalResult convertToEmitC(ModuleOp kernel) {
  PassManager passes(kernel.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false);
  buildCUDAKernelPipeline(passes);
  return passes.run(kernel);
}

int64_t integerAttribute(emitc::FuncOp function, StringRef name) {
  auto value = function->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

/// Name, launch description and CUDA C++.
Expected<fb::KernelT> describe(ModuleOp kernel) {
  auto functions = kernel.getOps<emitc::FuncOp>();
  if (functions.empty())
    return failAt(kernel, "found: its module has no function");
  emitc::FuncOp function = *functions.begin();
  fb::KernelT result;
  result.name = function.getName().str();
  result.target = KernelTarget::cuda_source;
  result.extent = integerAttribute(function, "blocks");
  uint32_t threads = uint32_t(integerAttribute(function, "threads"));
  result.block = std::make_unique<fb::Dim3>(threads, 1, 1);
  FailureOr<std::string> source = printKernel(kernel);
  if (failed(source))
    return failAt(kernel, "printed as CUDA C++");
  result.code.assign(source->begin(), source->end());
  return result;
}

} // namespace

void registerCUDATargetDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  emitc::EmitCDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, ir::TandemDialect>();
}

void buildCUDAKernelPipeline(OpPassManager &kernel) {
  // The shape of the grid decides what a thread computes, so mapping comes
  // before any of it is expressed in C.
  kernel.addPass(createMapKernelToThreads());
  kernel.addPass(createConvertKernelToEmitC());
}

Expected<fb::KernelT> compileKernelForCUDA(ModuleOp kernel,
                                           const CUDATargetOptions &options,
                                           PhaseTimes &times) {
  {
    PhaseTimer timer(times, "linalg");
    if (failed(lowerKernelToLinalg(kernel, options.deviceSpec)))
      return failAt(kernel, "expressed in linalg");
  }
  PhaseTimer timer(times, "codegen");
  if (failed(convertToEmitC(kernel)))
    return failAt(kernel, "converted to EmitC");
  TANDEM_ASSIGN_OR_RETURN(fb::KernelT result, describe(kernel));
  if (options.form == KernelTarget::cuda_source)
    return result;
  const bool isPTX = options.form == KernelTarget::ptx;
  std::string arch = options.gpu;
  if (isPTX) {
    TANDEM_ASSIGN_OR_RETURN(GPUSpec gpu, findGPUSpec(options.gpu));
    arch = gpu.arch;
  }
  std::string source(result.code.begin(), result.code.end());
  TANDEM_ASSIGN_OR_RETURN(std::string code,
                          isPTX ? compileToPTX(source, result.name, arch)
                                : compileToCubin(source, result.name, arch));
  result.target = options.form;
  result.code.assign(code.begin(), code.end());
  return result;
}

Status assembleCubin(ArrayRef<fb::KernelT *> kernels, const std::string &arch,
                     MutableArrayRef<KernelListing> listings) {
  std::vector<NamedSource> sources;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    std::string name = kernel->name;
    if (kernels.size() > 1)
      name += "_" + std::to_string(number);
    sources.push_back({std::string(kernel->code.begin(), kernel->code.end()),
                       kernel->name, std::move(name)});
  }
  CubinListing cubin;
  TANDEM_ASSIGN_OR_RETURN(std::string code,
                          compileToCubin(mergeSources(sources),
                                         kernels.front()->name, arch, &cubin));
  for (auto [listing, source] : llvm::zip(listings, sources))
    listing = listKernel(source, cubin);
  for (auto [kernel, source] : llvm::zip_equal(kernels, sources)) {
    kernel->target = KernelTarget::cubin;
    kernel->symbol = source.newName;
    kernel->code.assign(code.begin(), code.end());
  }
  return {};
}

Expected<std::string> emitCUDASource(ModuleOp module,
                                     const std::string &deviceSpec) {
  // What the conversion to linalg makes; a tool may not have met it yet.
  module.getContext()
      ->loadDialect<affine::AffineDialect, arith::ArithDialect,
                    linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  // All kernels are converted in one module, so that the declarations that they
  // share are emitted once. The kind of a kernel is an attribute of the module
  // that it comes from.
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto kernel : module.getOps<ModuleOp>()) {
    if (failed(lowerKernelToLinalg(kernel, deviceSpec)))
      return failAt(kernel, "expressed in linalg");
    for (auto function :
         llvm::make_early_inc_range(kernel.getOps<func::FuncOp>()))
      function->moveBefore(kernels->getBody(), kernels->getBody()->end());
  }
  if (failed(convertToEmitC(*kernels)))
    return fail("codegen", "a kernel cannot be converted to EmitC");
  FailureOr<std::string> source = printKernel(*kernels);
  if (failed(source))
    return fail("codegen", "the kernels cannot be printed as CUDA C++");
  return std::move(*source);
}

} // namespace tandem
