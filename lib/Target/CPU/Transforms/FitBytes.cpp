//===- FitBytes.cpp - tandem-cpu-fit-bytes --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadCPUDevice.h"
#include "Transforms/LayoutCostModel.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/Transforms/DataSign.h"
#include "tandem/Support/ExactSums.h"
#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/Debug.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

#define DEBUG_TYPE "tandem-contractions"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_FITBYTES
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// The number of inputs that one instruction multiplies for each output.
constexpr int64_t kQuad = 4;
/// A last quad that is not full costs a load for each of its inputs. With at
/// least this many quads, this cost does not matter.
constexpr int64_t kManyQuads = 4;

/// A contraction of integers of 8 bits with constant weights.
class ByteContraction {
public:
  explicit ByteContraction(Operation *op)
      : op(op), builder(op), loc(op->getLoc()), conv(dyn_cast<ir::ConvOp>(op)),
        matmul(dyn_cast<ir::MatmulOp>(op)) {}

  bool match();
  /// Decides whether to sum products in f32 or in i32. Sums in f32 must be
  /// exact and, unless `sums` requires f32, faster. For sums in i32, adds
  /// inputs of zeros if few inputs do not fill quads. Returns whether the sums
  /// are in f32.
  bool chooseSums(const DeviceModel &device, ByteSums sums);
  void makeDataUnsigned() {
    if (!isUnsigned(op->getOperand(0)))
      changeDataSign(op, weights);
  }

private:
  bool areSumsExactInF32();
  double estimateNs(const DeviceModel &device);
  double estimateNsInF32(const DeviceModel &device);
  void fillQuads();
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
         typeOf(op->getOperand(1)).getNumElements() > 0 &&
         matchPattern(op->getOperand(1), m_Constant(&weights)) &&
         !ir::getRawData(weights).empty() &&
         (conv || weights.getShapedType().getRank() == 2);
}

/// Whether the sum of any subset of the products of an output has a magnitude
/// of at most 2^24. f32 represents all integers of such magnitudes, so that
/// sums of the products are exact in any order.
bool ByteContraction::areSumsExactInF32() {
  const bool areUnsigned = isUnsigned(op->getOperand(0));
  // The largest magnitudes of negative and of positive data.
  const int64_t mostBelow = areUnsigned ? 0 : 128,
                mostAbove = areUnsigned ? 255 : 127;
  const ArrayRef<int64_t> shape = weights.getShapedType().getShape();
  const ArrayRef<char> bytes = ir::getRawData(weights);
  const int64_t dim = getOutputDimOfWeights(op), outputs = shape[dim];
  const int64_t products = weights.getShapedType().getNumElements() / outputs;
  // The sums of weights must fit i32. With more products, nearly all weights
  // would have to be 0 for exact sums.
  if (products > kMostExactInF32 / 2)
    return false;
  std::span<const int8_t> values(reinterpret_cast<const int8_t *>(bytes.data()),
                                 bytes.size());
  if (!weights.isSplat())
    return sumWeights(values, outputs, ir::getStrides(shape)[dim])
        .areExactInF32(mostBelow, mostAbove);
  WeightSums sums = sumWeights(values.first(1), 1, 1);
  sums.positive[0] *= int32_t(products);
  sums.negative[0] *= int32_t(products);
  return sums.areExactInF32(mostBelow, mostAbove);
}

/// The estimated time of the op. Convolutions are assumed to get channels-last
/// layouts (AssignLayouts).
double ByteContraction::estimateNs(const DeviceModel &device) {
  if (conv) {
    const bool becomesInputLast = conv.getLayout().getInput().starts_with("NC"),
               becomesOutputLast =
                   conv.getLayout().getOutput().starts_with("NC");
    return LayoutCostModel{device}.getConvNs(conv, becomesInputLast,
                                             becomesOutputLast);
  }
  double least = std::numeric_limits<double>::max();
  for (const ContractionCost &cost :
       estimateContractionCosts(op, /*isConstant=*/true, device))
    least = std::min(least, cost.getNs());
  return least;
}

double ByteContraction::estimateNsInF32(const DeviceModel &device) {
  op->setAttr(kSumsInF32AttrName, builder.getUnitAttr());
  const double ns = estimateNs(device);
  op->removeAttr(kSumsInF32AttrName);
  return ns;
}

bool ByteContraction::chooseSums(const DeviceModel &device, ByteSums sums) {
  const bool mayBeInF32 = sums != ByteSums::i32 && areSumsExactInF32();
  const double inF32 =
      mayBeInF32 && sums == ByteSums::automatic ? estimateNsInF32(device) : 0;
  const SmallVector<Value> given(op->getOperands());
  const ElementsAttr givenWeights = weights;
  fillQuads();
  if (!mayBeInF32)
    return false;
  const double inI32 = estimateNs(device);
  LLVM_DEBUG(llvm::dbgs() << *op << "\n  "
                          << llvm::formatv("sums in i32 {0:f1} us, in f32 "
                                           "{1:f1} us\n",
                                           inI32 / 1000, inF32 / 1000));
  if (sums == ByteSums::automatic && inI32 <= inF32)
    return false;
  const SmallVector<Value> filled(op->getOperands());
  op->setOperands(given);
  for (auto [before, after] : llvm::zip_equal(given, filled))
    if (before != after)
      after.getDefiningOp()->erase();
  weights = givenWeights;
  op->setAttr(kSumsInF32AttrName, builder.getUnitAttr());
  return true;
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
      op->removeAttr(kSumsInF32AttrName);
      ByteContraction contraction(op);
      if (!contraction.match())
        continue;
      if (!contraction.chooseSums(device, sums) && core.hasVNNI)
        contraction.makeDataUnsigned();
    }
  }

private:
  DeviceModel device;
  CoreModel core;
};

} // namespace
} // namespace tandem
