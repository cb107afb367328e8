//===- LowerKernelToLoops.cpp - Kernels to vector loops over pointers -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUDialect.h"
#include "tandem/Target/CPU/Passes.h"

#include "Contraction/ContractionLowering.h"
#include "KernelLowerings.h"
#include "ReadCPUDevice.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_LOWERKERNELTOLOOPS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {
struct LowerKernelToLoopsPass
    : impl::LowerKernelToLoopsBase<LowerKernelToLoopsPass> {
  using LowerKernelToLoopsBase::LowerKernelToLoopsBase;
  LogicalResult initialize(MLIRContext *context) override {
    DeviceModel device;
    if (failed(readCPUDevice(context, deviceSpec.getValue(), device)))
      return failure();
    streamedBytes = device.streamedBytes;
    core = getCoreModel(device.withVectors(vectorBits));
    core.hasBF16 = bf16;
    core.hasVNNI = vnni;
    core.hasWordPairs = wordPairs;
    core.hasAMXInt8 = amxInt8;
    return success();
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels)
      if (failed(lower(module, kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(ModuleOp module, func::FuncOp kernel) {
    for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                              kernel.getResultTypes()))
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          !tensor || !tensor.hasStaticShape())
        return kernel.emitError("a kernel takes and returns tensors of known "
                                "shapes, not ")
               << type;
    auto kind = module->getAttrOfType<ir::FusionKindAttr>(
        ir::TandemDialect::kKindAttrName);
    if (kind && kind.getValue() == ir::FusionKind::reduction)
      return lowerReductionKernel(module, kernel, vectorBits, streamedBytes);
    if (findContraction(kernel))
      return lowerContractionKernel(module, kernel, core, streamedBytes);
    return lowerLoopKernel(module, kernel, vectorBits, streamedBytes);
  }

  CoreModel core;
  int64_t streamedBytes = 0;
};
} // namespace

} // namespace tandem
