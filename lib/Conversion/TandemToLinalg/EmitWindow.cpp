//===- EmitWindow.cpp - Windows and contractions, unrolled ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementalEmitter.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace tandem {

namespace {
/// The spatial geometry that windows and convolutions share.
struct Geometry {
  ArrayRef<int64_t> window, strides, padLow, dilations;
  LayoutDims layout;
};
} // namespace

/// Calls `visit` with each offset within the window, in row-major order, until
/// it returns false.
static bool forEachTap(ArrayRef<int64_t> window,
                       function_ref<bool(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t, 3> tap(window.size(), 0);
  while (true) {
    if (!visit(tap))
      return false;
    int i = window.size() - 1;
    for (; i >= 0 && ++tap[i] == window[i]; --i)
      tap[i] = 0;
    if (i < 0)
      return true;
  }
}

/// Fills in the spatial dims of the input's index for a tap, and the conditions
/// under which it is not padding.
static void emitTapIndex(ElementalEmitter &emitter, const Geometry &geometry,
                         ArrayRef<AffineExpr> output, ArrayRef<int64_t> tap,
                         ArrayRef<int64_t> inputShape, ElementIndex &input,
                         SmallVectorImpl<Value> &conditions) {
  for (auto [i, offset] : llvm::enumerate(tap)) {
    unsigned dim = geometry.layout.spatial[i];
    AffineExpr expr = output[i] * geometry.strides[i] +
                      (offset * geometry.dilations[i] - geometry.padLow[i]);
    emitter.emitInRange(expr, inputShape[dim], conditions);
    input[dim] = expr;
  }
}

static FailureOr<LayoutDims> parse(Operation *op, StringRef layout,
                                   bool isKernel) {
  Expected<LayoutDims> dims =
      parseLayout(std::string_view(layout.data(), layout.size()), isKernel);
  if (dims)
    return *dims;
  return op->emitOpError() << dims.error().message;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct Convolution {
  ir::ConvOp op;
  LayoutDims input, kernel, output;
  SmallVector<int64_t, 3> window;
  int64_t inputChannelsOfGroup, outputChannelsOfGroup;
};
} // namespace

static FailureOr<Convolution> analyze(ir::ConvOp op) {
  ir::ConvLayoutAttr layout = op.getLayout();
  FailureOr<LayoutDims> input = parse(op, layout.getInput(), false);
  FailureOr<LayoutDims> kernel = parse(op, layout.getKernel(), true);
  FailureOr<LayoutDims> output = parse(op, layout.getOutput(), false);
  if (failed(input) || failed(kernel) || failed(output))
    return failure();
  Convolution conv{op, *input, *kernel, *output, {}, 0, 0};
  ArrayRef<int64_t> kernelShape = typeOf(op.getKernel()).getShape();
  for (int i = 0; i < kernel->numSpatial; ++i)
    conv.window.push_back(kernelShape[kernel->spatial[i]]);
  conv.inputChannelsOfGroup = kernelShape[kernel->channel];
  conv.outputChannelsOfGroup = kernelShape[kernel->batch] / op.getGroups();
  return conv;
}

/// `element`, which is one of `operand`, in the type in which products are
/// summed: integers are widened by their sign.
static Value widenFactor(OpBuilder &builder, Location loc, Value element,
                         Value operand, Type sumType) {
  if (!element || element.getType() == sumType)
    return element;
  if (isUnsigned(operand))
    return arith::ExtUIOp::create(builder, loc, sumType, element);
  return arith::ExtSIOp::create(builder, loc, sumType, element);
}

/// Adds the product of two elements to `sum`, which may be null.
static Value addProductOf(OpBuilder &builder, Location loc, Value sum, Value a,
                          Value b) {
  if (isa<FloatType>(a.getType()))
    return addProduct(builder, loc, sum, a, b);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return sum ? arith::AddIOp::create(builder, loc, sum, product) : product;
}

/// Adds the products of one tap over the group's input channels to `sum`, which
/// is null at first.
static Value emitConvTap(ElementalEmitter &emitter, const Convolution &conv,
                         const ElementIndex &index, ArrayRef<int64_t> tap,
                         ElementIndex inputIndex, ValueRange conditions,
                         Value sum) {
  OpBuilder &builder = emitter.getBuilder();
  ir::ConvOp op = conv.op;
  Location loc = emitter.getLoc();
  AffineExpr outputChannel = index[conv.output.channel];
  const IndexRanges &ranges = emitter.getRanges();
  AffineExpr firstChannel =
      op.getGroups() == 1
          ? builder.getAffineConstantExpr(0)
          : ranges.floorDiv(outputChannel, conv.outputChannelsOfGroup) *
                conv.inputChannelsOfGroup;
  ElementIndex kernelIndex(typeOf(op.getKernel()).getRank());
  kernelIndex[conv.kernel.batch] = outputChannel;
  for (auto [i, offset] : llvm::enumerate(tap))
    kernelIndex[conv.kernel.spatial[i]] = builder.getAffineConstantExpr(offset);
  Type sumType = getComputeType(typeOf(op.getResult()).getElementType());
  Value zero = emitter.constant(sumType, 0);
  for (int64_t c = 0; c < conv.inputChannelsOfGroup; ++c) {
    inputIndex[conv.input.channel] = firstChannel + c;
    kernelIndex[conv.kernel.channel] = builder.getAffineConstantExpr(c);
    Value x = emitter.emitGuarded(conditions, zero, [&] {
      return widenFactor(builder, loc, emitter.emit(op.getInput(), inputIndex),
                         op.getInput(), sumType);
    });
    Value w =
        widenFactor(builder, loc, emitter.emit(op.getKernel(), kernelIndex),
                    op.getKernel(), sumType);
    if (!x || !w)
      return {};
    sum = addProductOf(builder, loc, sum, x, w);
  }
  return sum;
}

static Value emitConv(ElementalEmitter &emitter, ir::ConvOp op,
                      const ElementIndex &index) {
  FailureOr<Convolution> conv = analyze(op);
  if (failed(conv))
    return {};
  Geometry geometry{conv->window, op.getStrides(), op.getPadLow(),
                    op.getDilations(), conv->input};
  ArrayRef<int64_t> inputShape = typeOf(op.getInput()).getShape();
  SmallVector<AffineExpr, 3> output;
  for (int i = 0; i < conv->output.numSpatial; ++i)
    output.push_back(index[conv->output.spatial[i]]);
  Value bias;
  if (op.getBias() &&
      !(bias = emitter.emit(op.getBias(), index[conv->output.channel])))
    return {};
  if (getUnrolledElements(op) == 0) { // No products.
    Type type = getComputeType(typeOf(op.getResult()).getElementType());
    return bias ? bias : emitter.constant(type, 0);
  }
  Value sum;
  bool isDone = forEachTap(conv->window, [&](ArrayRef<int64_t> tap) {
    SmallVector<Value> conditions;
    ElementIndex inputIndex(inputShape.size());
    inputIndex[conv->input.batch] = index[conv->output.batch];
    emitTapIndex(emitter, geometry, output, tap, inputShape, inputIndex,
                 conditions);
    sum = emitConvTap(emitter, *conv, index, tap, inputIndex, conditions, sum);
    return static_cast<bool>(sum);
  });
  if (!isDone || !bias)
    return isDone ? sum : Value();
  return arith::AddFOp::create(emitter.getBuilder(), emitter.getLoc(), sum,
                               bias);
}

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

/// The index in an operand of `matmul` but for its last two dims: the batch
/// dims of the result, broadcast.
static ElementIndex getBatchIndex(Value operand, ArrayRef<AffineExpr> index) {
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  ElementIndex result;
  size_t skipped = index.size() - shape.size();
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    result.push_back(shape[i] == 1
                         ? getAffineConstantExpr(0, operand.getContext())
                         : index[skipped + i]);
  return result;
}

static Value emitMatmul(ElementalEmitter &emitter, ir::MatmulOp op,
                        const ElementIndex &index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type type = getComputeType(typeOf(op.getResult()).getElementType());
  Value sum = emitter.constant(type, 0);
  for (int64_t k = 0, e = getUnrolledElements(op); k < e; ++k) {
    AffineExpr inner = builder.getAffineConstantExpr(k);
    auto read = [&](Value operand, AffineExpr row, AffineExpr column,
                    bool transposed) {
      ElementIndex at = getBatchIndex(operand, index);
      at.push_back(transposed ? column : row);
      at.push_back(transposed ? row : column);
      return widenFactor(builder, loc, emitter.emit(operand, at), operand,
                         type);
    };
    Value a =
        read(op.getLhs(), index[index.size() - 2], inner, op.getTransposeLhs());
    Value b = read(op.getRhs(), inner, index.back(), op.getTransposeRhs());
    if (!a || !b)
      return {};
    sum = addProductOf(builder, loc, sum, a, b);
  }
  return sum;
}

Value emitContraction(ElementalEmitter &emitter, Operation *op,
                      const ElementIndex &index) {
  if (Status can = checkElemental(op); !can) {
    op->emitOpError(can.error().message);
    return {};
  }
  if (auto conv = dyn_cast<ir::ConvOp>(op))
    return emitConv(emitter, conv, index);
  return emitMatmul(emitter, cast<ir::MatmulOp>(op), index);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Combines the elements of the window at `index`: `combine` is told whether
/// the tap is in range and returns the new accumulator.
static Value emitPool(ElementalEmitter &emitter, Value input,
                      const Geometry &geometry, const ElementIndex &index,
                      Value initial, Value otherwise,
                      function_ref<Value(Value, Value)> combine,
                      function_ref<void(ValueRange)> onTap) {
  SmallVector<AffineExpr, 3> output;
  for (int i = 0; i < geometry.layout.numSpatial; ++i)
    output.push_back(index[geometry.layout.spatial[i]]);
  Value result = initial;
  bool isDone = forEachTap(geometry.window, [&](ArrayRef<int64_t> tap) {
    SmallVector<Value> conditions;
    ElementIndex inputIndex = index;
    emitTapIndex(emitter, geometry, output, tap, typeOf(input).getShape(),
                 inputIndex, conditions);
    onTap(conditions);
    Value element = emitter.emitGuarded(
        conditions, otherwise, [&] { return emitter.emit(input, inputIndex); });
    if (element)
      result = combine(result, element);
    return static_cast<bool>(element);
  });
  return isDone ? result : Value();
}

static Value emitMaxPool(ElementalEmitter &emitter, ir::MaxPoolOp op,
                         const Geometry &geometry, const ElementIndex &index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Value lowest = emitLowest(emitter, typeOf(op.getResult()).getElementType());
  auto combine = [&](Value a, Value b) {
    return emitCombination(builder, loc, ir::ReduceKind::max,
                           isUnsigned(op.getResult()), a, b);
  };
  return emitPool(emitter, op.getInput(), geometry, index, lowest, lowest,
                  combine, [](ValueRange) {});
}

static Value emitAvgPool(ElementalEmitter &emitter, ir::AvgPoolOp op,
                         const Geometry &geometry, const ElementIndex &index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type type = getComputeType(typeOf(op.getResult()).getElementType());
  Value zero = emitter.constant(type, 0), one = emitter.constant(type, 1);
  // Taps that are never padding are counted here, the others as they come.
  int64_t certain = 0;
  Value uncertain;
  auto count = [&](ValueRange conditions) {
    if (conditions.empty() || op.getCountIncludePad()) {
      ++certain;
      return;
    }
    Value all = conditions.front();
    for (Value condition : conditions.drop_front())
      all = arith::AndIOp::create(builder, loc, all, condition);
    Value tap = arith::SelectOp::create(builder, loc, all, one, zero);
    uncertain =
        uncertain
            ? arith::AddFOp::create(builder, loc, uncertain, tap).getResult()
            : tap;
  };
  Value sum = emitPool(
      emitter, op.getInput(), geometry, index, zero, zero,
      [&](Value a, Value b) -> Value {
        return arith::AddFOp::create(builder, loc, a, b);
      },
      count);
  if (!sum)
    return {};
  Value divisor = emitter.constant(type, certain);
  if (uncertain)
    divisor = arith::AddFOp::create(builder, loc, divisor, uncertain);
  return arith::DivFOp::create(builder, loc, sum, divisor);
}

Value emitWindowOp(ElementalEmitter &emitter, Operation *op,
                   const ElementIndex &index) {
  if (Status can = checkElemental(op); !can) {
    op->emitOpError(can.error().message);
    return {};
  }
  auto emitAs = [&](auto pool, auto emitOne) -> Value {
    FailureOr<LayoutDims> layout = parse(op, pool.getLayout(), false);
    if (failed(layout))
      return {};
    Geometry geometry{pool.getWindow(), pool.getStrides(), pool.getPadLow(),
                      pool.getDilations(), *layout};
    return emitOne(emitter, pool, geometry, index);
  };
  if (auto pool = dyn_cast<ir::MaxPoolOp>(op))
    return emitAs(pool, emitMaxPool);
  return emitAs(cast<ir::AvgPoolOp>(op), emitAvgPool);
}

} // namespace tandem
