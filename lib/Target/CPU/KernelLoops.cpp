//===- KernelLoops.cpp - Loops over a range of the outermost dim ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

#include <algorithm>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CPUKERNELLOOPS
#include "tandem/Target/CPU/Passes.h.inc"
} // namespace tandem

namespace {

/// Leading loops are merged until there are this many iterations to share out.
constexpr int64_t kEnoughIterations = 64;

/// A task should take about this long (ns): well above what starting one costs
/// (oneTBB: about 1 us), well below what leaves a core idle at the end.
constexpr double kTaskTime = 20000;

/// A rough price of a vectorised scalar op, in ns for each element.
double estimateElementTime(linalg::GenericOp generic) {
  double time = 0.05 * static_cast<double>(generic->getNumOperands());
  generic.getBody()->walk([&](Operation *op) {
    bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect());
    time += isMath ? 0.6 : 0.03;
  });
  return time;
}

/// One nest of the kernel: its outermost loop's iterations and their price.
struct Nest {
  scf::ForOp outer;
  int64_t extent = 1;
  double iterationTime = 0;
};

/// How many of the leading dims to merge; the innermost is left alone.
unsigned countMerged(ArrayRef<int64_t> dims) {
  unsigned merged = 1;
  for (int64_t extent = dims[0];
       merged + 1 < dims.size() && extent < kEnoughIterations; ++merged)
    extent *= dims[merged];
  return merged;
}

FailureOr<Nest> lowerToLoops(IRRewriter &rewriter, linalg::GenericOp generic) {
  SmallVector<int64_t> dims = generic.getStaticLoopRanges();
  Nest nest;
  nest.iterationTime = estimateElementTime(generic);
  rewriter.setInsertionPoint(generic);
  if (dims.empty()) {
    // A scalar: a loop of one iteration, so that it has a range as others do.
    Value zero = arith::ConstantIndexOp::create(rewriter, generic.getLoc(), 0);
    Value one = arith::ConstantIndexOp::create(rewriter, generic.getLoc(), 1);
    nest.outer = scf::ForOp::create(rewriter, generic.getLoc(), zero, one, one);
    rewriter.moveOpBefore(generic, nest.outer.getBody()->getTerminator());
    rewriter.setInsertionPoint(generic);
  }
  FailureOr<linalg::LinalgLoops> ops =
      linalg::linalgOpToLoops(rewriter, generic);
  if (failed(ops))
    return generic.emitOpError("cannot be lowered to loops");
  rewriter.eraseOp(generic);
  if (dims.empty())
    return nest;
  SmallVector<scf::ForOp> loops;
  for (Operation *op : *ops)
    loops.push_back(cast<scf::ForOp>(op));
  unsigned merged = countMerged(dims);
  if (merged > 1 && failed(coalesceLoops(
                        rewriter, MutableArrayRef(loops).take_front(merged))))
    return loops[0].emitOpError("cannot be merged with the loops inside");
  nest.outer = loops[0];
  for (int64_t dim : ArrayRef(dims).take_front(merged))
    nest.extent *= dim;
  for (int64_t dim : ArrayRef(dims).drop_front(merged))
    nest.iterationTime *= static_cast<double>(dim);
  return nest;
}

/// Restricts the nest to [begin, end) less the iterations before it.
void restrictToRange(IRRewriter &rewriter, Nest &nest, int64_t offset,
                     bool isOnlyOne, Value begin, Value end) {
  if (!isOnlyOne) {
    rewriter.setInsertionPoint(nest.outer);
    Location loc = nest.outer.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    auto clamped = [&](Value bound) -> Value {
      Value shifted =
          arith::SubIOp::create(rewriter, loc, bound, constant(offset));
      Value above = arith::MaxSIOp::create(rewriter, loc, shifted, constant(0));
      return arith::MinSIOp::create(rewriter, loc, above,
                                    constant(nest.extent));
    };
    begin = clamped(begin);
    end = clamped(end);
  }
  nest.outer.setLowerBound(begin);
  nest.outer.setUpperBound(end);
}

struct KernelLoops : tandem::impl::CPUKernelLoopsBase<KernelLoops> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    IRRewriter rewriter(&getContext());
    SmallVector<Nest> nests;
    for (auto generic :
         llvm::make_early_inc_range(func.getOps<linalg::GenericOp>())) {
      FailureOr<Nest> nest = lowerToLoops(rewriter, generic);
      if (failed(nest))
        return signalPassFailure();
      nests.push_back(*nest);
    }
    Block &entry = func.getBody().front();
    Value begin = entry.getArgument(entry.getNumArguments() - 2);
    Value end = entry.getArgument(entry.getNumArguments() - 1);
    int64_t extent = 0;
    double time = 0;
    for (Nest &nest : nests) {
      restrictToRange(rewriter, nest, extent, nests.size() == 1, begin, end);
      extent += nest.extent;
      time += nest.iterationTime * static_cast<double>(nest.extent);
    }
    double perIteration =
        time / static_cast<double>(std::max<int64_t>(extent, 1));
    int64_t grain =
        static_cast<int64_t>(kTaskTime / std::max(perIteration, 1e-3));
    func->setAttr(tandem::kExtentAttr, rewriter.getI64IntegerAttr(extent));
    func->setAttr(tandem::kGrainAttr,
                  rewriter.getI64IntegerAttr(std::max<int64_t>(grain, 1)));
  }
};

} // namespace
