//===- FitBytes.cpp - tandem-cpu-fit-bytes --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadCPUDevice.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/Transforms/DataSign.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_FITBYTES
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// The inputs of an output that one instruction multiplies.
constexpr int64_t kQuad = 4;
/// A last quad that is not full costs a load for each of its inputs. Among this
/// many quads, it does not matter.
constexpr int64_t kManyQuads = 4;

/// A contraction of integers of 8 bits with constant weights.
class ByteContraction {
public:
  explicit ByteContraction(Operation *op)
      : op(op), builder(op), loc(op->getLoc()), conv(dyn_cast<ir::ConvOp>(op)),
        matmul(dyn_cast<ir::MatmulOp>(op)) {}

  bool match();
  /// Adds inputs of zeros so that a few inputs fill quads.
  void fillQuads();
  void makeDataUnsigned() {
    if (!isUnsigned(op->getOperand(0)))
      changeDataSign(op, weights);
  }

private:
  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }
  Value pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high);

  Operation *op;
  OpBuilder builder;
  Location loc;
  ir::ConvOp conv;
  ir::MatmulOp matmul;
  ElementsAttr weights;
};

} // namespace

bool ByteContraction::match() {
  return getElementTypeOrSelf(op->getResult(0)).isInteger(32) &&
         isByte(op->getOperand(0)) && hasStaticTypes(op) &&
         matchPattern(op->getOperand(1), m_Constant(&weights)) &&
         !ir::getRawData(weights).empty() &&
         (conv || weights.getShapedType().getRank() == 2);
}

Value ByteContraction::pad(Value value, ArrayRef<int64_t> low,
                           ArrayRef<int64_t> high) {
  const SmallVector<int64_t> none(low.size(), 0);
  return create<ir::PadOp>(value, builder.getDenseI64ArrayAttr(low),
                           builder.getDenseI64ArrayAttr(high),
                           builder.getDenseI64ArrayAttr(none),
                           builder.getF64FloatAttr(0.0));
}

void ByteContraction::fillQuads() {
  if (!conv || conv.getGroups() != 1)
    return;
  const auto channels = int64_t(conv.getLayout().getInput().find('C')),
             inputs = int64_t(conv.getLayout().getKernel().find('I'));
  const ArrayRef<int64_t> shape = shapeOf(conv.getKernel());
  const int64_t count = shape[inputs];
  const int64_t missing = llvm::divideCeilSigned(count, kQuad) * kQuad - count;
  if (missing == 0 || count == 1 || count > kManyQuads * kQuad)
    return;
  SmallVector<int64_t> none(shapeOf(conv.getInput()).size(), 0), more(none);
  more[channels] = missing;
  Value data = pad(conv.getInput(), none, more);
  SmallVector<int64_t> filled(shape);
  filled[inputs] += missing;
  const auto type =
      RankedTensorType::get(filled, getElementTypeOrSelf(conv.getKernel()));
  ir::StridedBox box;
  box.sizes.assign(shape.begin(), shape.end());
  box.sourceStrides = ir::getStrides(shape);
  box.resultStrides = ir::getStrides(filled);
  ElementsAttr constant = ir::rearrange(weights, type, box);
  if (!constant)
    return;
  weights = constant;
  conv.getInputMutable().assign(data);
  conv.getKernelMutable().assign(create<ir::ConstantOp>(constant));
}

namespace {

struct FitBytesPass : impl::FitBytesBase<FitBytesPass> {
  using FitBytesBase::FitBytesBase;

  LogicalResult initialize(MLIRContext *context) override {
    DeviceModel device;
    if (failed(readCPUDevice(context, deviceSpec.getValue(), device)))
      return failure();
    core = getCoreModel(device);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::ConvOp, ir::MatmulOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      ByteContraction contraction(op);
      if (!contraction.match())
        continue;
      contraction.fillQuads();
      if (core.hasVNNI)
        contraction.makeDataUnsigned();
    }
  }

private:
  CoreModel core;
};

} // namespace
} // namespace tandem
