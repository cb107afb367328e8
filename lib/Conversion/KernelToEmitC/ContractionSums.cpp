//===- ContractionSums.cpp - What a thread of a convolution sums ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::conversion;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Where the weights of `channel` begin.
Value ContractionEmitter::weightsOf(Value channel) {
  AffineExpr number = builder.getAffineDimExpr(0);
  int64_t block = contraction.outputBlock;
  return index.apply(loc,
                     number.floorDiv(block) * contraction.outputBlockStride +
                         number % block * contraction.outputStride,
                     1, channel);
}

void ContractionEmitter::createSums() {
  sums = allocate("sums", kPositions * kChannels, gpu::AddressSpace::Private,
                  computed);
  OpBuilder::InsertionGuard guard(builder);
  Value sum = beginLoop("sum", constant(0), kPositions * kChannels, 1, -1);
  store(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(computed)),
        sums, sum);
}

/// The bias comes last, so that it takes no registers before.
void ContractionEmitter::loadBias() {
  bias = kernel.memory.operands.lookup(contraction.bias);
  if (!bias)
    return;
  Type element = cast<MemRefType>(bias.getType()).getElementType();
  bias = vector::LoadOp::create(builder, named("bias"),
                                VectorType::get(kChannels, element), bias,
                                channel);
}

/// The element of the contraction's result at a position and channel of the
/// thread's.
Value ContractionEmitter::resultAt(Value place, Value lane) {
  Value sum = load(named("sum"), sums, scaled(place, kChannels, lane));
  if (bias) {
    Value start = vector::ExtractOp::create(builder, named("start"), bias,
                                            OpFoldResult(lane));
    sum = arith::AddFOp::create(builder, loc, sum, widen(start));
  }
  return narrow(sum, contraction.result.getElementType());
}

/// Adds the products of one tap and input channel: one vector of weights, and
/// the data of each position.
void ContractionEmitter::accumulateTap(Value weight, Value column,
                                       Value input) {
  Value weights = kernel.memory.operands.lookup(contraction.weights);
  Type element = cast<MemRefType>(weights.getType()).getElementType();
  Value vector = vector::LoadOp::create(builder, named("weights"),
                                        VectorType::get(kChannels, element),
                                        weights, weight);
  Value place = beginLoop("position", constant(0), kPositions, 1, -1);
  Value at = scaled(scaled(place, row.stride, column),
                    contraction.inputChannels, input);
  Value data = load(named("data"), tile, at);
  Value lane = beginLoop("lane", constant(0), kChannels, 1, -1);
  Value factor = widen(vector::ExtractOp::create(builder, named("weight"),
                                                 vector, OpFoldResult(lane)));
  Value sum = scaled(place, kChannels, lane);
  Value product = arith::MulFOp::create(builder, loc, data, factor);
  store(arith::AddFOp::create(builder, loc, load(named("sum"), sums, sum),
                              product),
        sums, sum);
}

void ContractionEmitter::accumulate() {
  OpBuilder::InsertionGuard guard(builder);
  Value weight = weightsOf(channel);
  Value tileRow = constant(0);
  if (tileRows > 1)
    tileRow = beginLoop("row", tileRow, tileRows, 1, 1);
  SmallVector<int64_t> taps;
  for (const Contraction::SpatialDim &dim : outerDims())
    taps.push_back(dim.taps);
  for (auto [dim, tap] :
       llvm::zip_equal(outerDims(), delinearize(tileRow, taps, "tap")))
    weight = scaled(tap, dim.weightsStride, weight);
  Value tap = beginLoop("tap", constant(0), row.taps, 1, 1);
  weight = scaled(tap, row.weightsStride, weight);
  Value column = scaled(tileRow, tileColumns,
                        scaled(rowGroup, kPositions * row.stride,
                               index.mul(loc, tap, constant(row.dilation))));
  // Unrolled, more weights would be in registers at once than half of a
  // multiprocessor's threads have room for.
  Value input =
      beginLoop("input", constant(0), contraction.inputChannels, 1, 1);
  weight = scaled(input, contraction.inputWeightsStride, weight);
  accumulateTap(weight, column, input);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The sums of a position as they are, but for their type.
void ContractionEmitter::storeSums(ArrayRef<Value> dims, Value place) {
  ArrayRef<Value> buffers = kernel.memory.buffersOf(hero->getResult(0));
  if (buffers.empty())
    return;
  Type element = contraction.result.getElementType();
  Value local =
      allocate("out_v", kChannels, gpu::AddressSpace::Private, element);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value lane = beginLoop("lane", constant(0), kChannels, 1, -1);
    store(resultAt(place, lane), local, lane);
  }
  Value position = constant(0);
  for (auto [dim, size] : llvm::zip_equal(dims, contraction.result.getShape()))
    position = index.add(loc, index.mul(loc, position, constant(size)), dim);
  Value vector = vector::LoadOp::create(
      builder, loc, VectorType::get(kChannels, element), local, constant(0));
  for (Value buffer : buffers)
    vector::StoreOp::create(builder, loc, vector, buffer, position);
}

LogicalResult ContractionEmitter::storeEpilogue(Run run, Value place) {
  PointEmitter points(builder, index, kernel.memory, epilogue);
  points.begin(run);
  points.loadOperands();
  SmallVector<Value> results;
  for (OpOperand &init : epilogue.getDpsInitsMutable())
    results.push_back(allocate("out_v", kChannels, gpu::AddressSpace::Private,
                               getElementTypeOrSelf(init.get().getType())));
  {
    OpBuilder::InsertionGuard guard(builder);
    Value lane = beginLoop("lane", constant(0), kChannels, 1, -1);
    auto read = [&](OpOperand &operand) -> Value {
      if (skipReshapes(operand.get()) != hero->getResult(0))
        return {};
      return resultAt(place, lane);
    };
    FailureOr<SmallVector<Value>> yielded = points.emit(lane, read);
    if (failed(yielded))
      return failure();
    for (auto [local, value] : llvm::zip_equal(results, *yielded))
      store(value, local, lane);
  }
  points.begin(run);
  for (auto [init, local] :
       llvm::zip_equal(epilogue.getDpsInitsMutable(), results))
    points.storeVector(init, local);
  return success();
}

/// The channels of one position.
LogicalResult ContractionEmitter::storeRun(Value position, Value place) {
  SmallVector<Value> dims(contraction.result.getRank(), constant(0));
  for (auto [dim, at] : llvm::zip_equal(contraction.batch, batch))
    dims[dim.resultDim] = at;
  for (auto [dim, at] : llvm::zip_equal(outerDims(), outer))
    dims[dim.resultDim] = at;
  dims[row.resultDim] = position;
  dims[contraction.outputDim] = channel;
  storeSums(dims, place);
  if (!epilogue)
    return success();
  Run run;
  run.width = kChannels;
  for (auto [dim, size] : llvm::zip_equal(dims, contraction.result.getShape()))
    if (size != 1)
      run.dims.push_back(dim);
  run.loop = run.dims.size() - 1;
  return storeEpilogue(run, place);
}

LogicalResult ContractionEmitter::storeResults() {
  loadBias();
  OpBuilder::InsertionGuard guard(builder);
  Value place = beginLoop("position", constant(0), kPositions, 1, -1);
  Value position =
      scaled(rowGroup, kPositions, index.add(loc, firstPosition, place));
  if (row.size % (rowGroups * kPositions) != 0)
    beginIf(isBelow(position, row.size));
  index.setBounds(position, 0, row.size - 1);
  return storeRun(position, place);
}
