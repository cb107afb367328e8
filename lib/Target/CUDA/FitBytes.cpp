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
#include "tandem/Dialect/Tandem/Transforms/ConvPadding.h"
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

/// The constant weights of a contraction of bytes with sums of i32 that becomes
/// no kernel; null for other ops.
static ElementsAttr getWeights(Operation *op) {
  ElementsAttr weights;
  if (!getElementTypeOrSelf(op->getResult(0)).isInteger(32) ||
      !isByte(op->getOperand(0)) || !hasStaticTypes(op) ||
      !matchPattern(op->getOperand(1), m_Constant(&weights)) ||
      ir::getRawData(weights).empty())
    return {};
  Expected<Contraction> contraction = describeContraction(op);
  if (!contraction || cudaContractionModel().checkGenerated(op, *contraction))
    return {};
  return weights;
}

/// Whether cuBLASLt can execute a product of bytes once its weights are stored
/// along the sums.
static bool isProductOfCUBLASLt(ir::MatmulOp op) {
  if (op.getTransposeLhs() || shapeOf(op.getRhs()).size() != 2)
    return false;
  const ArrayRef<int64_t> weights = shapeOf(op.getRhs());
  const int64_t outputs = getOutputDimOfWeights(op);
  return cublaslt::canMultiplyBytes(weights[outputs], weights[1 - outputs]);
}

static void fitProduct(ir::MatmulOp op) {
  ElementsAttr weights = getWeights(op);
  if (!weights || !isProductOfCUBLASLt(op))
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

/// Padding is left as it is: it would become a pass over the data.
static void fitConv(ir::ConvOp op) {
  ElementsAttr weights = getWeights(op);
  if (!weights || !isUnsigned(op.getInput()) || op.getGroups() != 1 ||
      isPadded(op))
    return;
  const ArrayRef<int64_t> shape = shapeOf(op.getKernel());
  if (fitInI32(llvm::product_of(shape) / shape[getOutputDimOfWeights(op)]))
    changeDataSign(op, weights);
}

namespace {

struct CUDAFitBytesPass : impl::CUDAFitBytesBase<CUDAFitBytesPass> {
  void runOnOperation() override {
    SmallVector<ir::MatmulOp> products;
    SmallVector<ir::ConvOp> convs;
    getOperation()->walk([&](ir::MatmulOp op) { products.push_back(op); });
    getOperation()->walk([&](ir::ConvOp op) { convs.push_back(op); });
    llvm::for_each(products, fitProduct);
    llvm::for_each(convs, fitConv);
  }
};

} // namespace
} // namespace tandem
