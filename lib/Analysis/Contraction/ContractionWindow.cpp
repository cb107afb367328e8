//===- ContractionWindow.cpp - Windows over a contraction's result --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/Contraction/ContractionWindow.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/ShapeRules.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

static constexpr llvm::StringLiteral kWindowAttrName = "tandem.window";

/// The bytes of a part: it is to stay in a second-level cache beside data and
/// weights.
static constexpr int64_t kPartBytes = 320 << 10;

/// The largest number of tasks if they overlap, so that each but the first
/// recomputes a part of what the task before it computes.
static constexpr int64_t kOverlappingTasks = 8;

bool ContractionWindow::fitsTiles(int64_t size) const {
  return llvm::all_of(dims, [size](const Dim &dim) {
    return dim.isPlain() || (dim.padLow == 0 && dim.extent <= dim.stride &&
                             size % dim.stride == 0);
  });
}

template <typename Pool>
static LogicalResult describePool(Pool op, ContractionWindow &window) {
  StringRef text = op.getLayout();
  Expected<LayoutDims> layout = parseLayout(
      std::string_view(text.data(), text.size()), /*isKernel=*/false);
  if (!layout)
    return failure();
  for (int i = 0; i < layout->numSpatial; ++i) {
    ContractionWindow::Dim &dim = window.dims[layout->spatial[i]];
    dim.stride = op.getStrides()[i];
    dim.extent = (op.getWindow()[i] - 1) * op.getDilations()[i] + 1;
    dim.padLow = op.getPadLow()[i];
  }
  for (auto [dim, size] : llvm::zip_equal(window.dims, shapeOf(op.getResult())))
    dim.size = size;
  return success();
}

static void describeReduction(ir::ReduceOp op, ContractionWindow &window) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  for (auto [dim, size] : llvm::zip_equal(window.dims, shape))
    dim.size = size;
  for (int64_t dim : op.getDims())
    window.dims[dim] = {1, shape[dim], shape[dim], 0};
}

/// The window along every dim, whatever shape `op` reads.
static Expected<ContractionWindow> describeDims(Operation *op, int64_t rank) {
  ContractionWindow window;
  window.dims.resize(rank);
  bool isKnown = true;
  if (auto pool = dyn_cast<ir::MaxPoolOp>(op))
    isKnown = succeeded(describePool(pool, window));
  else if (auto pool = dyn_cast<ir::AvgPoolOp>(op))
    isKnown = succeeded(describePool(pool, window));
  else if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    describeReduction(reduce, window);
  else
    isKnown = false;
  if (!isKnown)
    return fail("codegen", "is neither a pooling nor a reduction");
  return window;
}

Expected<ContractionWindow> describeWindow(Operation *op,
                                           const Contraction &contraction) {
  TANDEM_ASSIGN_OR_RETURN(ContractionWindow window,
                          describeDims(op, contraction.result.getRank()));
  if (shapeOf(op->getOperand(0)) != contraction.result.getShape())
    return fail("codegen", "reads another shape than the contraction's");
  if (!window.dims[contraction.outputDim].isPlain())
    return fail("codegen", "combines channels, which are in several tiles");
  for (const Contraction::BatchDim &dim : contraction.batch)
    if (!window.dims[dim.resultDim].isPlain())
      return fail("codegen", "combines what is of several batches");
  return window;
}

WindowChunks chunkWindows(const Contraction &contraction,
                          const ContractionWindow &window,
                          const WindowTasks &tasks) {
  WindowChunks chunks;
  ArrayRef<int64_t> shape = contraction.result.getShape();
  chunks.partShape.assign(shape.begin(), shape.end());
  chunks.partShape[contraction.outputDim] = tasks.outputs;
  chunks.tasks = tasks.columns;
  for (const Contraction::BatchDim &dim : contraction.batch) {
    chunks.partShape[dim.resultDim] = 1;
    chunks.tasks *= dim.size;
  }
  if (contraction.spatial.size() > 1) {
    int64_t dim = contraction.spatial.front().resultDim;
    const ContractionWindow::Dim &along = window.dims[dim];
    chunks.partShape[dim] = 1;
    int64_t bytes = llvm::product_of(chunks.partShape) * tasks.elementBytes;
    int64_t most = (kPartBytes / bytes - along.extent) / along.stride + 1;
    bool overlaps = along.extent > along.stride;
    int64_t wanted =
        overlaps ? std::min(tasks.wanted, kOverlappingTasks) : tasks.wanted;
    chunks.windows = along.size;
    chunks.perTask = getEvenShare(
        along.size, llvm::divideCeilSigned(along.size * chunks.tasks, wanted));
    chunks.perStep = getEvenShare(chunks.perTask,
                                  std::clamp<int64_t>(most, 1, chunks.perTask));
    if (!overlaps)
      chunks.perTask = chunks.perStep;
    chunks.partShape[dim] =
        std::min(shape[dim], along.getReads(chunks.perStep));
    double repeated = double(along.extent - along.stride) *
                      double(chunks.getChunks() - 1) / double(shape[dim]);
    chunks.repeatedShare = std::max(repeated, 0.0);
  }
  chunks.tasks *= chunks.getChunks();
  chunks.partBytes = llvm::product_of(chunks.partShape) * tasks.elementBytes;
  return chunks;
}

void setWindow(Operation *generic, const ContractionWindow &window) {
  SmallVector<int64_t> flat;
  for (const ContractionWindow::Dim &dim : window.dims)
    flat.append({dim.size, dim.stride, dim.extent, dim.padLow});
  generic->setAttr(kWindowAttrName,
                   DenseI64ArrayAttr::get(generic->getContext(), flat));
}

std::optional<ContractionWindow> getWindow(Operation *generic) {
  auto flat = generic->getAttrOfType<DenseI64ArrayAttr>(kWindowAttrName);
  if (!flat || flat.size() % 4 != 0)
    return std::nullopt;
  ContractionWindow window;
  for (int64_t i = 0; i < flat.size(); i += 4)
    window.dims.push_back({flat[i], flat[i + 1], flat[i + 2], flat[i + 3]});
  return window;
}

} // namespace tandem
