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
#include "tandem/Dialect/Tandem/Transforms/ConvPadding.h"
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
  /// Adds 128 to data of i8, which makes it ui8, and subtracts 128 times the
  /// sums of the weights from the result.
  void makeDataUnsigned();

private:
  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }
  Value pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high);
  int64_t outputDimOfWeights();
  /// 128 times the sum of the weights of each output, as an operand that
  /// broadcasts with the result.
  Value createSums();

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

int64_t ByteContraction::outputDimOfWeights() {
  if (conv)
    return int64_t(conv.getLayout().getKernel().find('O'));
  return matmul.getTransposeRhs() ? 0 : 1;
}

Value ByteContraction::createSums() {
  const ArrayRef<int64_t> shape = weights.getShapedType().getShape();
  const ArrayRef<char> bytes = ir::getRawData(weights);
  const int64_t dim = outputDimOfWeights(), outputs = shape[dim];
  const int64_t stride = ir::getStrides(shape)[dim];
  std::vector<int32_t> sums(outputs);
  const int64_t count = weights.getShapedType().getNumElements();
  for (int64_t i = 0; i < count; ++i)
    sums[i / stride % outputs] +=
        128 * int32_t(int8_t(bytes[weights.isSplat() ? 0 : i]));
  SmallVector<int64_t> ofResult(shapeOf(op->getResult(0)).size(), 1);
  ofResult[conv ? int64_t(conv.getLayout().getOutput().find('C'))
                : int64_t(ofResult.size()) - 1] = outputs;
  return create<ir::ConstantOp>(DenseElementsAttr::get(
      RankedTensorType::get(ofResult, builder.getI32Type()),
      ArrayRef<int32_t>(sums)));
}

void ByteContraction::makeDataUnsigned() {
  if (isUnsigned(op->getOperand(0)))
    return;
  if (conv && isPadded(conv))
    padExplicitly(builder, conv);
  // x + 128 differs from x in the uppermost bit.
  Value upper = create<ir::ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI8Type()),
                             static_cast<int8_t>(-128)));
  Value data = create<ir::BitwiseXorOp>(op->getOperand(0), upper);
  op->setOperand(0, create<ir::BitcastOp>(
                        data, builder.getIntegerType(8, /*isSigned=*/false)));
  Value result = op->getResult(0), sums = createSums();
  builder.setInsertionPointAfter(op);
  auto corrected = ir::SubOp::create(builder, loc, result, sums);
  result.replaceAllUsesExcept(corrected, corrected);
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
