//===- Schedule.cpp - How the loops of a kernel run -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/Schedule.h"

#include "IndexBuilder.h"

#include "Loop/IndexConditions.h"
#include "Loop/RowCopies.h"

#include "tandem/Runtime/Kernels/Grain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// Rough costs from which the sizes of tasks follow, in nanoseconds on one core
/// of a few GHz with wide vectors. A task is larger than the smallest possible
/// one, because a thread that takes over a task has to fetch its data from the
/// caches of another core.
static constexpr double kNsPerByte = 0.05, kNsPerOp = 0.008,
                        kNsPerFunction = 0.2, kNsPerTask = 4 * kGrainNs;
/// A call of C's fmod, which takes a step for each few bits of the quotient.
static constexpr double kNsPerRemainder = 5;
/// Enough iterations of the shared loop for any number of threads here.
static constexpr int64_t kEnoughIterations = 512;

static int64_t byteWidth(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

static double getNsPerElement(Operation *op) {
  if (isa<arith::RemFOp>(op))
    return kNsPerRemainder;
  bool isFunction =
      isa<math::MathDialect>(op->getDialect()) ||
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  return isFunction ? kNsPerFunction : kNsPerOp;
}

double estimateBodyNs(linalg::GenericOp op) {
  double ns = 0;
  op.getBody()->walk([&](Operation *inner) { ns += getNsPerElement(inner); });
  return ns;
}

/// A tensor is read from memory once, however often its elements are used.
double estimateNs(linalg::GenericOp op) {
  double elements = 1, bytes = 0;
  for (int64_t size : op.getStaticLoopRanges())
    elements *= static_cast<double>(std::max<int64_t>(size, 1));
  llvm::SmallDenseSet<Value> tensors(op->operand_begin(), op->operand_end());
  for (Value tensor : tensors) {
    auto type = cast<ShapedType>(tensor.getType());
    bytes += static_cast<double>(type.getNumElements()) *
             static_cast<double>(byteWidth(type.getElementType()));
  }
  return kNsPerByte * bytes / elements + estimateBodyNs(op);
}

int64_t getWidestElement(linalg::GenericOp op) {
  int64_t widest = 1;
  auto visit = [&](Type type) {
    if (type.isIntOrFloat())
      widest = std::max(widest, byteWidth(type));
  };
  for (Value argument : op.getBody()->getArguments())
    visit(argument.getType());
  op.getBody()->walk([&](Operation *inner) {
    llvm::for_each(inner->getResultTypes(), visit);
  });
  return widest;
}

bool hasFunctions(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](Operation *inner) {
        return isa<math::MathDialect>(inner->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the body divides signed integers of 64 bits by numbers that are not
/// constant. No processor divides integers in vectors, and taking vectors apart
/// and putting them together again costs half as much as the divisions. For
/// integers of up to 32 bits, and with AVX-512, there is another way
/// (IntegerDivision.h).
static bool dividesLongIntegers(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](Operation *inner) {
        return isa<arith::DivSIOp>(inner) &&
                       inner->getResult(0).getType().isInteger(64) &&
                       !matchPattern(inner->getOperand(1), m_Constant())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The lanes that fill a register.
static int64_t getWidth(linalg::GenericOp op, unsigned vectorBits) {
  if (vectorBits < 512 && dividesLongIntegers(op))
    return 1;
  return std::max<int64_t>(vectorBits / 8 / getWidestElement(op), 1);
}

/// The largest number of lanes of a vector in the main loop. Working on several
/// registers at a time hides latencies and shares uniform values. The
/// polynomial of a function hides its own latency, and takes long to compile.
static int64_t getMostLanes(linalg::GenericOp op, int64_t width) {
  return (hasFunctions(op) ? 2 : 4) * width;
}

static void chooseLanes(linalg::GenericOp op, unsigned vectorBits,
                        Schedule &schedule) {
  int64_t width = getWidth(op, vectorBits);
  int64_t inner = schedule.sizes.back();
  schedule.tailLanes = width;
  for (schedule.lanes = getMostLanes(op, width);
       schedule.lanes > width && schedule.lanes > inner;)
    schedule.lanes /= 2;
  if (op.getNumLoops() == 0 || width == 1)
    schedule.lanes = schedule.tailLanes = 1;
}

int64_t getFoldedLanes(int64_t elements) {
  return static_cast<int64_t>(
      llvm::PowerOf2Ceil(std::max<int64_t>(elements, 2)));
}

/// How many of `rows` rows of `size` elements make a vector, at most `most`, so
/// that all take the fewest registers of `width` lanes.
static int64_t chooseRows(int64_t rows, int64_t size, int64_t most,
                          int64_t width) {
  auto countRegisters = [&](int64_t each) {
    return rows / each * llvm::divideCeilSigned(each * size, width) +
           llvm::divideCeilSigned(rows % each * size, width);
  };
  int64_t best = std::clamp<int64_t>(rows, 1, most);
  for (int64_t each = best - 1; each > 0; --each)
    if (countRegisters(each) < countRegisters(best))
      best = each;
  return best;
}

/// Whether the loops from `loop` on only copy contiguous runs of memory. A run
/// ends where the index of `loop` decides a branch.
static bool movesRuns(linalg::GenericOp op, unsigned loop) {
  IndexConditions conditions(op, loop);
  SmallVector<int64_t> borders = conditions.getBorders();
  int64_t inner =
      llvm::product_of(ArrayRef(op.getStaticLoopRanges()).drop_front(loop + 1));
  for (auto [begin, end] : llvm::zip(borders, ArrayRef(borders).drop_front())) {
    KnownConditions known;
    conditions.learn(begin, known);
    if (!copiesRows(op, loop, (end - begin) * inner, known))
      return false;
  }
  return true;
}

/// Lets a vector take several rows where rows are shorter than a register. It
/// folds as many innermost loops as leave room for two iterations of the next,
/// and does so too where several rows are one run of memory.
static void foldLoops(linalg::GenericOp op, int64_t width, Schedule &schedule) {
  SmallVector<int64_t> &sizes = schedule.sizes;
  if (sizes.size() < 2 || sizes.back() == 0)
    return;
  int64_t lanes = getMostLanes(op, width), size = 1;
  if (sizes.back() >= width &&
      (2 * sizes.back() > lanes || !movesRuns(op, sizes.size() - 2)))
    return;
  unsigned outer = sizes.size();
  while (outer > 1 && size * sizes[outer - 1] * 2 <= lanes)
    size *= sizes[--outer];
  if (!IndexConditions(op, outer - 1).areConstantInside())
    return;
  schedule.folded.assign(sizes.begin() + outer, sizes.end());
  sizes.truncate(outer);
  schedule.rows = chooseRows(sizes.back(), size, lanes / size, width);
  schedule.lanes = getFoldedLanes(schedule.rows * size);
}

/// Whether an operand has the elements of a loop outside of `loop` closer
/// together than those of `loop`.
static bool readsAcross(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(llvm::seq(op.getNumDpsInputs()), [&](int64_t input) {
    std::optional<LoopStrides> access = getLoopStrides(op, input);
    return access && llvm::any_of(llvm::seq(loop), [&](unsigned outer) {
             int64_t stride = access->strides[outer];
             return op.getStaticLoopRanges()[outer] > 1 && stride > 0 &&
                    stride < access->strides[loop];
           });
  });
}

int64_t computeGrain(double nsPerIteration, int64_t extent) {
  auto grain = static_cast<int64_t>(kNsPerTask / nsPerIteration);
  return std::clamp<int64_t>(grain, 1, std::max<int64_t>(extent, 1));
}

static Schedule computeTransposeSchedule(linalg::GenericOp op,
                                         TransposeTiles tiles) {
  Schedule schedule;
  schedule.sizes = op.getStaticLoopRanges();
  schedule.extent = llvm::product_of(getTransposeBlocks(schedule.sizes, tiles));
  double elements = static_cast<double>(tiles.blockRows * tiles.blockColumns);
  schedule.grain = computeGrain(estimateNs(op) * elements, schedule.extent);
  schedule.tiles = std::move(tiles);
  return schedule;
}

Schedule computeSchedule(linalg::GenericOp op, unsigned vectorBits) {
  if (auto tiles = findTransposeTiles(op, getWidth(op, vectorBits)))
    return computeTransposeSchedule(op, std::move(*tiles));
  Schedule schedule;
  schedule.sizes = op.getStaticLoopRanges();
  if (schedule.sizes.empty())
    schedule.sizes.push_back(1);
  chooseLanes(op, vectorBits, schedule);
  foldLoops(op, getWidth(op, vectorBits), schedule);

  // The time, in ns, of one iteration of the last loop; then of the shared one.
  double nsPerInner =
      estimateNs(op) * static_cast<double>(schedule.getFoldedSize());
  double ns = nsPerInner;
  for (int64_t size : ArrayRef(schedule.sizes).drop_front())
    ns *= std::max<int64_t>(size, 1);
  unsigned rank = schedule.sizes.size();
  schedule.extent = schedule.sizes.front();
  while (schedule.numShared < rank && schedule.extent < kEnoughIterations &&
         ns > kNsPerIteration) {
    int64_t size = schedule.sizes[schedule.numShared++];
    ns /= std::max<int64_t>(size, 1);
    schedule.extent *= size;
  }
  if (schedule.isInnermostShared()) {
    // Whole vectors, of one size: only a last block has a remainder.
    int64_t inner = schedule.sizes.back();
    int64_t step = schedule.getStep();
    auto vectors = static_cast<int64_t>(
        4 * kNsPerIteration / (nsPerInner * static_cast<double>(step)));
    schedule.block = std::max<int64_t>(vectors, 1) * step;
    ns = nsPerInner * static_cast<double>(std::min(
                          schedule.block, std::max<int64_t>(inner, 1)));
    schedule.extent =
        inner == 0 ? 0 : schedule.extent / inner * schedule.getBlocks();
    schedule.blocksFirst = readsAcross(op, rank - 1);
  }
  schedule.grain = computeGrain(ns, schedule.extent);
  return schedule;
}

SmallVector<Value> delinearize(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> sizes, Value iteration) {
  const IndexBuilder at(builder, loc);
  SmallVector<Value> loops(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;)
    loops[i] = at.delinearizeInnermost(iteration, sizes[i]);
  loops[0] = iteration;
  return loops;
}

SmallVector<Value> delinearizeShared(OpBuilder &builder, Location loc,
                                     const Schedule &schedule,
                                     Value iteration) {
  SmallVector<int64_t> sizes(
      ArrayRef(schedule.sizes).take_front(schedule.numShared));
  if (schedule.isInnermostShared())
    sizes.back() = schedule.getBlocks();
  if (!schedule.blocksFirst)
    return delinearize(builder, loc, sizes, iteration);
  std::rotate(sizes.begin(), sizes.end() - 1, sizes.end());
  SmallVector<Value> loops = delinearize(builder, loc, sizes, iteration);
  std::rotate(loops.begin(), loops.begin() + 1, loops.end());
  return loops;
}

} // namespace tandem
