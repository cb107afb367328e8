//===- CPUTarget.cpp - Kernel modules to machine code ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"
#include "ObjectCompiler.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void tandem::registerCPUTargetDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void tandem::buildCPUKernelPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createCPUKernelSignature());
  pm.addPass(createCPUBufferizeKernel());
  pm.addNestedPass<func::FuncOp>(createCPUKernelLoops());
  // After the loops: only then is an index a value that arith can compute.
  pm.addNestedPass<func::FuncOp>(createCPUExpandScalars());
  pm.addPass(createCPUKernelToLLVM());
}

namespace {

LogicalResult runPasses(ModuleOp kernel,
                        llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(kernel.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  build(pm);
  return pm.run(kernel);
}

tl::unexpected<tandem::Error> failAt(ModuleOp kernel, const char *what) {
  return tandem::fail("codegen", "kernel '" +
                                     kernel.getSymName().value_or("?").str() +
                                     "' cannot be " + what);
}

} // namespace

tandem::Expected<tandem::fb::KernelT>
tandem::compileKernelForCPU(ModuleOp kernel, const CPUTargetOptions &options,
                            PhaseTimes &times) {
  {
    PhaseTimer timer(times, "linalg");
    for (auto func : kernel.getOps<func::FuncOp>())
      if (failed(convertKernelToLinalg(func)))
        return failAt(kernel, "expressed in linalg");
  }
  fb::KernelT result;
  result.name = kernel.getSymName().value_or("kernel").str();
  result.target = KernelTarget::cpu_object;
  PhaseTimer timer(times, "codegen");
  TANDEM_ASSIGN_OR_RETURN(llvm::TargetMachine * machine,
                          getTargetMachine(options));
  if (failed(runPasses(kernel, buildCPUKernelPipeline)))
    return failAt(kernel, "lowered to LLVM");
  auto body = kernel.lookupSymbol(result.name + ".body");
  if (!body)
    return failAt(kernel, "found by its name");
  if (auto extent = body->getAttrOfType<IntegerAttr>(kExtentAttr))
    result.extent = extent.getInt();
  if (auto grain = body->getAttrOfType<IntegerAttr>(kGrainAttr))
    result.grain = grain.getInt();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernel, context, result.name);
  if (!module)
    return failAt(kernel, "translated to LLVM IR");
  setTarget(*module, *machine, options.vectorBits);
  optimise(*module, *machine);
  TANDEM_ASSIGN_OR_RETURN(auto object, emitObject(*module, *machine));
  result.code.assign(object.begin(), object.end());
  return result;
}
