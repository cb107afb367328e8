//===- ContractionWindows.cpp - Windows over small convolutions -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes what its windows read of the result into shared memory, and
// its threads share the windows then.
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"

#include "Conversion/KernelToEmitC/CTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <numeric>

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

LogicalResult ContractionEmitter::verifyWindow() {
  ArrayRef<int64_t> shape = contraction.result.getShape();
  auto isMany = [](auto &dim) { return dim.size != 1; };
  if (window->dims.size() != shape.size() ||
      windowOp.getNumParallelLoops() != windowOp.getNumLoops() ||
      windowOp.getNumLoops() != llvm::count_if(window->dims, isMany))
    return windowOp.emitOpError("has other loops than its window");
  Operation *staged = epilogue ? epilogue.getOperation() : hero;
  part.tensor = staged->getResult(0);
  int64_t rank = llvm::count_if(shape, [](int64_t size) { return size != 1; });
  auto isKnown = [&](Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (type && skipReshapes(tensor) == part.tensor)
      return type.getRank() == rank;
    return !type || kernel.memory.operands.contains(tensor) ||
           kernel.memory.splats.contains(tensor);
  };
  bool isReadKnown = llvm::all_of(windowOp.getDpsInputs(), isKnown);
  windowOp.getBody()->walk([&](tensor::ExtractOp extract) {
    isReadKnown &= isKnown(extract.getTensor());
  });
  if (!isReadKnown)
    return windowOp.emitOpError("reads a tensor that is not an argument");
  return success();
}

/// The thread's position in outer spatial dim `number`.
Value ContractionEmitter::outerAt(unsigned number) {
  return partAt.empty() ? outer[number]
                        : index.add(loc, outer[number], partAt[number]);
}

void ContractionEmitter::createPart() {
  ArrayRef<int64_t> shape = contraction.result.getShape();
  partShape.assign(shape.size(), 1);
  SmallVector<Value> first(shape.size(), constant(0));
  for (auto [dim, at] : llvm::zip_equal(contraction.batch, batch))
    first[dim.resultDim] = at;
  for (auto [dim, size, at] : llvm::zip_equal(outerDims(), partSizes, outer)) {
    partShape[dim.resultDim] = size;
    first[dim.resultDim] = at;
  }
  partShape[row.resultDim] = blockPositions();
  first[row.resultDim] = firstPosition;
  partShape[contraction.outputDim] = blockChannels();
  first[contraction.outputDim] = firstChannel;
  SmallVector<int64_t> strides = computeSuffixProduct(partShape);
  part.origin = constant(0);
  for (auto [at, size, stride] : llvm::zip_equal(first, shape, strides)) {
    part.origin = scaled(at, -stride, part.origin);
    if (size != 1)
      part.strides.push_back(stride);
  }
  part.memory = allocateShared("part", llvm::product_of(partShape),
                               getElementTypeOrSelf(part.tensor.getType()));
}

/// Stores a run of the thread's in the part.
void ContractionEmitter::storeInPart(Value local, RunStart start) {
  SmallVector<Value> place(partShape.size(), constant(0));
  for (auto [dim, at] : llvm::zip(outerDims(), partAt))
    place[dim.resultDim] = at;
  place[row.resultDim] = scaled(rowGroup, positions, start.place);
  place[contraction.outputDim] = index.add(loc, channelInBlock, start.lane);
  storeVector(local, width, part.memory, linearize(place, partShape));
}

/// Whether the thread's row, and `position` of it, are in the result; null
/// where they always are.
Value ContractionEmitter::isInResult(Value position) {
  if (!window)
    return row.size % blockPositions() == 0 ? Value()
                                            : isBelow(position, row.size);
  Value isInside;
  for (auto [number, dim] : llvm::enumerate(outerDims())) {
    const ContractionWindow::Dim &along = window->dims[dim.resultDim];
    if (along.padLow > 0 || along.getReads(along.size) > dim.size)
      isInside = isInData(outerAt(number), dim.size, isInside);
  }
  const ContractionWindow::Dim &along = window->dims[row.resultDim];
  int64_t last = (rowTiles - 1) * blockWindows * along.stride;
  if (along.padLow > 0 || last + blockPositions() > row.size)
    isInside = isInData(position, row.size, isInside);
  return isInside;
}

/// All threads share the block's windows, in the order of their results.
LogicalResult ContractionEmitter::storeWindows() {
  gpu::BarrierOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  const int64_t size = window->dims[row.resultDim].size;
  const int64_t runWidth =
      isChannelsLast ? channels
                     : std::gcd(positions, std::gcd(size, blockWindows));
  SmallVector<int64_t> runs = {blockWindows, blockChannels()};
  (isChannelsLast ? runs.back() : runs.front()) /= runWidth;
  SmallVector<int64_t> order = runs;
  if (!isChannelsLast)
    std::swap(order.front(), order.back());
  Value run =
      beginLoop("window", thread, llvm::product_of(order), kernel.threads, 1);
  SmallVector<Value> place = delinearize(run, order, "at");
  if (!isChannelsLast)
    std::swap(place.front(), place.back());
  SmallVector<Value> dims(window->dims.size(), constant(0));
  for (auto [dim, at] : llvm::zip_equal(contraction.batch, batch))
    dims[dim.resultDim] = at;
  for (auto [dim, at] : llvm::zip_equal(outerDims(), outerWindows))
    dims[dim.resultDim] = at;
  Value &position = dims[row.resultDim];
  position = scaled(place.front(), isChannelsLast ? 1 : runWidth, firstWindow);
  dims[contraction.outputDim] =
      scaled(place.back(), isChannelsLast ? runWidth : 1, firstChannel);
  if (size % blockWindows != 0)
    beginIf(isBelow(position, size));
  index.setBounds(position, 0, size - 1);
  SmallVector<int64_t> sizes;
  for (const ContractionWindow::Dim &dim : window->dims)
    sizes.push_back(dim.size);
  PointEmitter points(builder, index, kernel.memory, windowOp);
  points.readFrom(part);
  const Run at = runAt(dims, sizes, runWidth);
  FailureOr<SmallVector<Value>> locals =
      emitPoints(points, at, [](OpOperand &, Value) { return Value(); });
  if (failed(locals))
    return failure();
  storePoints(points, at, *locals);
  return success();
}
