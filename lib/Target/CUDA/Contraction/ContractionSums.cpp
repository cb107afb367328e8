//===- ContractionSums.cpp - What a thread of a convolution sums ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Returns the index at which the weights of `channel` begin.
Value ContractionEmitter::weightsOf(Value channel) {
  AffineExpr number = builder.getAffineDimExpr(0);
  int64_t block = contraction.outputBlock;
  return index.apply(loc,
                     number.floorDiv(block) * contraction.outputBlockStride +
                         number % block * contraction.outputStride,
                     1, channel);
}

/// All threads load the weights of the block's channels, in the order of these
/// in memory, so that those of one term are side by side.
void ContractionEmitter::fillWeights() {
  Value weights = kernel.memory.operands.lookup(contraction.weights);
  SmallVector<int64_t> sizes, strides;
  for (const Contraction::SpatialDim &dim : contraction.spatial) {
    sizes.push_back(dim.taps);
    strides.push_back(dim.weightsStride);
  }
  sizes.append({inputTerms, blockChannels()});
  strides.append({contraction.inputWeightsStride * (areQuads ? 4 : 1),
                  contraction.outputBlock == 1 ? contraction.outputBlockStride
                                               : contraction.outputStride});
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(sizes.size()));
  llvm::stable_sort(
      order, [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  int64_t elements = llvm::product_of(sizes);
  SmallVector<int64_t> shape = sizes;
  shape.back() = weightsColumns();
  blockWeights = allocateShared("weights", llvm::product_of(shape), computed);
  OpBuilder::InsertionGuard guard(builder);
  Value element = beginLoop("element", thread, elements, kernel.threads, 4);
  SmallVector<Value> place = applyPermutation(
      delinearize(element, applyPermutation(sizes, order), "tap"),
      invertPermutationVector(order));
  Value output = index.add(loc, firstChannel, place.back());
  index.setBounds(output, 0, contraction.outputChannels - 1);
  Value from = weightsOf(output);
  for (auto [stride, at] : llvm::zip_equal(ArrayRef(strides).drop_back(),
                                           ArrayRef(place).drop_back()))
    from = scaled(at, stride, from);
  Value value = areQuads ? loadWeightsQuad(weights, from, place.end()[-2])
                         : widen(load(weights.getLoc(), weights, from));
  store(value, blockWeights, linearize(place, shape));
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

/// Adds the products of one tap and input term: one vector of weights, and
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
  store(addTerm(load(named("sum"), sums, sum), read, factor), sums, sum);
}

/// The row of the tile that taps of the outer dims read for the thread's row.
Value ContractionEmitter::tileRowOf(ArrayRef<Value> taps) {
  SmallVector<Value> place;
  for (auto [dim, at, size, tap] :
       llvm::zip_equal(outerDims(), partAt, partSizes, taps))
    place.push_back(size == 1
                        ? tap
                        : scaled(at, dim.stride,
                                 index.mul(loc, tap, constant(dim.dilation))));
  return linearize(place, tileRows);
}

void ContractionEmitter::accumulate() {
  OpBuilder::InsertionGuard guard(builder);
  const int64_t inputs = inputTerms;
  Value weight = blockWeights ? channelInBlock : weightsOf(channel);
  SmallVector<int64_t> taps;
  for (const Contraction::SpatialDim &dim : outerDims())
    taps.push_back(dim.taps);
  Value tapRow = constant(0);
  if (int64_t count = llvm::product_of(taps); count > 1)
    tapRow = beginLoop("row", tapRow, count, 1, 1);
  SmallVector<Value> outerTaps = delinearize(tapRow, taps, "tap");
  if (blockWeights)
    weight = scaled(tapRow, row.taps * inputs * weightsColumns(), weight);
  else
    for (auto [dim, tap] : llvm::zip_equal(outerDims(), outerTaps))
      weight = scaled(tap, dim.weightsStride, weight);
  Value tileRow = partRows == 1 ? tapRow : tileRowOf(outerTaps);
  // Unrolled, more weights would be in registers at once than half of a
  // multiprocessor's threads have room for.
  Value input = beginLoop("input", constant(0), inputs, 1, 1);
  weight = scaled(
      input, blockWeights ? weightsColumns() : contraction.inputWeightsStride,
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
  weight =
      scaled(tap, blockWeights ? inputs * weightsColumns() : row.weightsStride,
             weight);
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
  bool isStaged = window && !epilogue;
  if (buffers.empty() && !isStaged)
    return;
  Type element = contraction.result.getElementType();
  Value local = allocate("out_v", width, gpu::AddressSpace::Private, element);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value lane = beginLoop("lane", constant(0), width, 1, -1);
    store(resultAlong(start, lane), local, lane);
  }
  if (isStaged)
    storeInPart(local, start);
  Value position = linearize(dims, contraction.result.getShape());
  for (Value buffer : buffers)
    storeVector(local, width, buffer, position);
}

void ContractionEmitter::storeVector(Value local, int64_t count, Value buffer,
                                     Value position) {
  auto type = VectorType::get(
      count, cast<MemRefType>(local.getType()).getElementType());
  Value vector = vector::LoadOp::create(builder, loc, type, local, constant(0));
  vector::StoreOp::create(builder, loc, vector, buffer, position);
}

/// Emits the points of a run, and returns the arrays that have their results.
FailureOr<SmallVector<Value>>
ContractionEmitter::emitPoints(PointEmitter &points, const Run &run,
                               ReadAt read) {
  points.begin(run);
  points.loadOperands();
  linalg::GenericOp op = points.getOp();
  SmallVector<Value> locals;
  for (OpOperand &init : op.getDpsInitsMutable())
    locals.push_back(allocate("out_v", run.width, gpu::AddressSpace::Private,
                              getElementTypeOrSelf(init.get().getType())));
  OpBuilder::InsertionGuard guard(builder);
  Value lane = beginLoop("lane", constant(0), run.width, 1, -1);
  FailureOr<SmallVector<Value>> yielded = points.emit(
      lane, [&](OpOperand &operand) { return read(operand, lane); });
  if (failed(yielded))
    return failure();
  for (auto [local, value] : llvm::zip_equal(locals, *yielded))
    store(value, local, lane);
  return locals;
}

void ContractionEmitter::storePoints(PointEmitter &points, const Run &run,
                                     ArrayRef<Value> locals) {
  points.begin(run);
  for (auto [init, local] :
       llvm::zip_equal(points.getOp().getDpsInitsMutable(), locals))
    points.storeVector(init, local);
}

LogicalResult ContractionEmitter::storeEpilogue(const Run &run,
                                                RunStart start) {
  PointEmitter points(builder, index, kernel.memory, epilogue);
  auto read = [&](OpOperand &operand, Value lane) {
    return skipReshapes(operand.get()) == hero->getResult(0)
               ? resultAlong(start, lane)
               : Value();
  };
  FailureOr<SmallVector<Value>> locals = emitPoints(points, run, read);
  if (failed(locals))
    return failure();
  if (window)
    storeInPart(locals->front(), start);
  else
    storePoints(points, run, *locals);
  return success();
}

/// A run from the point at `dims` on of a space whose loops are the dims of
/// which there is more than one.
Run ContractionEmitter::runAt(ArrayRef<Value> dims, ArrayRef<int64_t> sizes,
                              int64_t runWidth) {
  Run run;
  run.width = runWidth;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    if (size != 1)
      run.dims.push_back(dim);
  run.loop = run.dims.size() - 1;
  return run;
}

/// What is stored at once, from `position` of the row on.
LogicalResult ContractionEmitter::storeRun(Value position, RunStart start) {
  SmallVector<Value> dims(contraction.result.getRank(), constant(0));
  for (auto [dim, at] : llvm::zip_equal(contraction.batch, batch))
    dims[dim.resultDim] = at;
  for (auto [number, dim] : llvm::enumerate(outerDims()))
    dims[dim.resultDim] = outerAt(number);
  dims[row.resultDim] = position;
  dims[contraction.outputDim] = index.add(loc, channel, start.lane);
  storeSums(dims, start);
  if (!epilogue)
    return success();
  return storeEpilogue(runAt(dims, contraction.result.getShape(), width),
                       start);
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
  if (Value isInside = isInResult(position))
    beginIf(isInside);
  index.setBounds(position, 0, row.size - 1);
  return storeRun(position, start);
}
