//===- FitBytes.cpp - tandem-cuda-fit-bytes -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDAContractionModel.h"

#include "tandem/Analysis/Contraction/Contraction.h"
#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/Transforms/DataSign.h"
#include "tandem/Runtime/Libraries/ByteProducts.h"
#include "tandem/Target/CUDA/KernelPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CUDAFITBYTES
#include "tandem/Target/CUDA/Passes.h.inc"

/// The weights of a product of bytes that cuBLASLt can execute once they are
/// stored along the sums; null for other products and for those that become
/// kernels.
static ElementsAttr getWeightsToFit(ir::MatmulOp op) {
  ElementsAttr weights;
  if (!op.getType().getElementType().isInteger(32) || !isByte(op.getLhs()) ||
      !hasStaticTypes(op) || op.getTransposeLhs() ||
      !matchPattern(op.getRhs(), m_Constant(&weights)) ||
      ir::getRawData(weights).empty() || shapeOf(op.getRhs()).size() != 2)
    return {};
  Expected<Contraction> contraction = describeContraction(op);
  if (!contraction || cudaContractionModel().checkGenerated(op, *contraction) ||
      !cublaslt::canMultiplyBytes(contraction->outputChannels,
                                  contraction->inputChannels))
    return {};
  return weights;
}

static void fitBytes(ir::MatmulOp op) {
  ElementsAttr weights = getWeightsToFit(op);
  if (!weights)
    return;
  if (!op.getTransposeRhs()) {
    weights = ir::transpose(weights, {1, 0});
    if (!weights)
      return;
    OpBuilder builder(op);
    op.getRhsMutable().assign(
        ir::ConstantOp::create(builder, op.getLoc(), weights));
    op.setTransposeRhs(true);
  }
  if (isUnsigned(op.getLhs()))
    changeDataSign(op, weights);
}

namespace {

struct CUDAFitBytesPass : impl::CUDAFitBytesBase<CUDAFitBytesPass> {
  void runOnOperation() override {
    SmallVector<ir::MatmulOp> ops;
    getOperation()->walk([&](ir::MatmulOp op) { ops.push_back(op); });
    for (ir::MatmulOp op : ops)
      fitBytes(op);
  }
};

} // namespace
} // namespace tandem
