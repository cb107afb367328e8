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
  sums = allocate("sums", positions * channels, gpu::AddressSpace::Private,
                  computed);
  OpBuilder::InsertionGuard guard(builder);
  Value sum = beginLoop("sum", constant(0), positions * channels, 1, -1);
  store(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(computed)),
        sums, sum);
}

/// The bias comes last, so that it takes no registers before.
void ContractionEmitter::loadBias() {
  bias = kernel.memory.operands.lookup(contraction.bias);
  if (!bias)
    return;
  Type element = cast<MemRefType>(bias.getType()).getElementType();
  bias =
      vector::LoadOp::create(builder, named("bias"),
                             VectorType::get(channels, element), bias, channel);
}

/// The element of the contraction's result at a position and channel of the
/// thread's.
Value ContractionEmitter::resultAt(Value place, Value lane) {
  Value sum = load(named("sum"), sums, scaled(place, channels, lane));
  if (bias) {
    Value start = vector::ExtractOp::create(builder, named("start"), bias,
                                            OpFoldResult(lane));
    sum = arith::AddFOp::create(builder, loc, sum, widen(start));
  }
  return narrow(sum, contraction.result.getElementType());
}

/// Adds the products of one tap and input channel: one vector of weights, and
/// the data of each position, which is `data` from `at` on.
void ContractionEmitter::accumulateTap(Value weight, Value data, Value at) {
  Value weights = blockWeights
                      ? blockWeights
                      : kernel.memory.operands.lookup(contraction.weights);
  Type element = cast<MemRefType>(weights.getType()).getElementType();
  Value vector = vector::LoadOp::create(builder, named("weights"),
                                        VectorType::get(channels, element),
                                        weights, weight);
  Value place = beginLoop("position", constant(0), positions, 1, -1);
  at = scaled(place, row.stride, at);
  Value read = isa<VectorType>(data.getType())
                   ? vector::ExtractOp::create(builder, named("data"), data,
                                               OpFoldResult(at))
                         .getResult()
                   : load(named("data"), data, at);
  Value lane = beginLoop("lane", constant(0), channels, 1, -1);
  Value factor = widen(vector::ExtractOp::create(builder, named("weight"),
                                                 vector, OpFoldResult(lane)));
  Value sum = scaled(place, channels, lane);
  Value product = arith::MulFOp::create(builder, loc, read, factor);
  store(arith::AddFOp::create(builder, loc, load(named("sum"), sums, sum),
                              product),
        sums, sum);
}

void ContractionEmitter::accumulate() {
  OpBuilder::InsertionGuard guard(builder);
  const int64_t inputs = contraction.inputChannels;
  Value weight = blockWeights ? channelInBlock : weightsOf(channel);
  Value tileRow = constant(0);
  if (tileRows > 1)
    tileRow = beginLoop("row", tileRow, tileRows, 1, 1);
  SmallVector<int64_t> taps;
  for (const Contraction::SpatialDim &dim : outerDims())
    taps.push_back(dim.taps);
  if (blockWeights)
    weight = scaled(tileRow, row.taps * inputs * blockChannels(), weight);
  else
    for (auto [dim, tap] :
         llvm::zip_equal(outerDims(), delinearize(tileRow, taps, "tap")))
      weight = scaled(tap, dim.weightsStride, weight);
  // Unrolled, more weights would be in registers at once than half of a
  // multiprocessor's threads have room for.
  Value input = beginLoop("input", constant(0), inputs, 1, 1);
  weight = scaled(
      input, blockWeights ? blockChannels() : contraction.inputWeightsStride,
      weight);
  Value first =
      scaled(scaled(tileRow, inputs, input), tileColumns,
             index.mul(loc, rowGroup, constant(positions * row.stride)));
  Value data = tile;
  if (threadColumns != 0) {
    data = vector::LoadOp::create(builder, named("columns"),
                                  VectorType::get(threadColumns, computed),
                                  tile, first);
    first = constant(0);
  }
  // A vector in registers has constant indices.
  Value tap =
      beginLoop("tap", constant(0), row.taps, 1, threadColumns != 0 ? -1 : 1);
  weight = scaled(
      tap, blockWeights ? inputs * blockChannels() : row.weightsStride, weight);
  accumulateTap(weight, data, scaled(tap, row.dilation, first));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The element that is stored `along` behind the run's first.
Value ContractionEmitter::resultAlong(RunStart start, Value along) {
  return isChannelsLast
             ? resultAt(start.place, along)
             : resultAt(index.add(loc, start.place, along), start.lane);
}

/// The sums of a run as they are, but for their type.
void ContractionEmitter::storeSums(ArrayRef<Value> dims, RunStart start) {
  ArrayRef<Value> buffers = kernel.memory.buffersOf(hero->getResult(0));
  if (buffers.empty())
    return;
  Type element = contraction.result.getElementType();
  Value local = allocate("out_v", width, gpu::AddressSpace::Private, element);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value lane = beginLoop("lane", constant(0), width, 1, -1);
    store(resultAlong(start, lane), local, lane);
  }
  Value position = linearize(dims, contraction.result.getShape());
  Value vector = vector::LoadOp::create(
      builder, loc, VectorType::get(width, element), local, constant(0));
  for (Value buffer : buffers)
    vector::StoreOp::create(builder, loc, vector, buffer, position);
}

LogicalResult ContractionEmitter::storeEpilogue(Run run, RunStart start) {
  PointEmitter points(builder, index, kernel.memory, epilogue);
  points.begin(run);
  points.loadOperands();
  SmallVector<Value> results;
  for (OpOperand &init : epilogue.getDpsInitsMutable())
    results.push_back(allocate("out_v", width, gpu::AddressSpace::Private,
                               getElementTypeOrSelf(init.get().getType())));
  {
    OpBuilder::InsertionGuard guard(builder);
    Value lane = beginLoop("lane", constant(0), width, 1, -1);
    auto read = [&](OpOperand &operand) -> Value {
      if (skipReshapes(operand.get()) != hero->getResult(0))
        return {};
      return resultAlong(start, lane);
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

/// What is stored at once, from `position` of the row on.
LogicalResult ContractionEmitter::storeRun(Value position, RunStart start) {
  SmallVector<Value> dims(contraction.result.getRank(), constant(0));
  for (auto [dim, at] : llvm::zip_equal(contraction.batch, batch))
    dims[dim.resultDim] = at;
  for (auto [dim, at] : llvm::zip_equal(outerDims(), outer))
    dims[dim.resultDim] = at;
  dims[row.resultDim] = position;
  dims[contraction.outputDim] = index.add(loc, channel, start.lane);
  storeSums(dims, start);
  if (!epilogue)
    return success();
  Run run;
  run.width = width;
  for (auto [dim, size] : llvm::zip_equal(dims, contraction.result.getShape()))
    if (size != 1)
      run.dims.push_back(dim);
  run.loop = run.dims.size() - 1;
  return storeEpilogue(run, start);
}

LogicalResult ContractionEmitter::storeResults() {
  loadBias();
  OpBuilder::InsertionGuard guard(builder);
  RunStart start{{}, constant(0)};
  if (!isChannelsLast)
    start.lane = beginLoop("output", constant(0), channels, 1, -1);
  start.place = beginLoop("position", constant(0), positions,
                          isChannelsLast ? 1 : width, -1);
  Value position =
      scaled(rowGroup, positions, index.add(loc, firstPosition, start.place));
  if (row.size % (rowGroups * positions) != 0)
    beginIf(isBelow(position, row.size));
  index.setBounds(position, 0, row.size - 1);
  return storeRun(position, start);
}
