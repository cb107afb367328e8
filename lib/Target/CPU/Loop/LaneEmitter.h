//===- LaneEmitter.h - Scalar bodies on vectors of lanes -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_LANEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_LOOP_LANEEMITTER_H

#include "IndexBuilder.h"
#include "Loop/IndexConditions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tandem {

/// What a scalar of the body is in the lanes.
struct LaneValue {
  enum Kind { Uniform, Stepped, Varying } kind = Uniform;
  /// Uniform: the scalar. Stepped: the index of lane 0. Varying: a vector.
  mlir::Value value;
  /// Stepped: what is added to that in each lane.
  llvm::SmallVector<int64_t, 0> steps = {};
};

/// A row-major tensor in memory.
struct Buffer {
  mlir::Value pointer;
  mlir::RankedTensorType type;
  /// Of a part: what is to be added to the number of an element for its place
  /// behind the pointer; null for nothing.
  mlir::Value shift = {};
};

/// Of vectors that are stored past the caches, in bytes; of tensors, too.
inline constexpr int64_t kStreamAlignment = 64;

/// Emits the body of a linalg.generic for `lanes` consecutive iterations of its
/// innermost loop, or loops. What is the same in all lanes stays scalar;
/// indices that differ by constants stay symbolic, so that loads are contiguous
/// where they can be.
class LaneEmitter : IndexBuilder {
public:
  /// Lanes that are at most so far apart in memory, in the mean, are loaded
  /// together and picked out; others are gathered.
  static constexpr int64_t kMaxShuffledStep = 4;

  /// Loop `laneLoop`, the innermost one by default, starts at its value in
  /// `loops`. `tailMask` (may be null) says which lanes exist.
  LaneEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
              mlir::ValueRange loops, mlir::Value tailMask,
              llvm::function_ref<Buffer(mlir::Value)> getBuffer,
              std::optional<unsigned> laneLoop = std::nullopt);

  /// Inside the last of the loops there are others, of `sizes`: the lanes run
  /// through all of these for each of its iterations, row by row. To be called
  /// before anything is emitted.
  void foldLoops(llvm::ArrayRef<int64_t> sizes);

  /// The lanes of `argument` of the body are at `pointer`, one next to the
  /// other, and not where its operand is. To be called before emitBody.
  void bindInput(mlir::BlockArgument argument, mlir::Value pointer);

  /// `argument` of the body is `value`: a vector of its lanes, or a scalar that
  /// is the same in all. To be called before emitBody.
  void bindValue(mlir::BlockArgument argument, mlir::Value value);

  /// Branches that `known` decides are not emitted: of its side alone the code
  /// is. To be called before emitBody; `known` outlives this.
  void setKnown(const KnownConditions &conditions) { known = &conditions; }

  /// What an index of the body is, or a comparison of such. Its operands come
  /// from the loops and constants alone.
  mlir::Value emitIndexValue(mlir::Value value);

  /// Computes the body and stores what it yields row by row.
  void emitBody(mlir::linalg::GenericOp op);

  /// Computes the body and gives what it yields.
  llvm::SmallVector<LaneValue> emitElements(mlir::linalg::GenericOp op);
  /// Stores one of these at `map` of the loops, which steps by one from lane to
  /// lane or not at all. `isStreamed`: past the caches; lane 0 is aligned to
  /// kStreamAlignment then.
  void store(Buffer buffer, mlir::AffineMap map, LaneValue value,
             bool isStreamed);
  /// Where the element at the loops is.
  mlir::Value getAddress(Buffer buffer) {
    return getPointer(buffer, getOffset(buffer, loops).value);
  }
  /// Loads a vector at the loops.
  mlir::Value load(Buffer buffer) { return toVector(emitLoad(buffer, loops)); }
  /// Stores a vector at the loops.
  void store(Buffer buffer, mlir::Value vector) {
    emitStore(buffer, loops, {LaneValue::Varying, vector},
              /*isStreamed=*/false);
  }
  mlir::Value toVector(LaneValue value);

  /// A mask of the lanes below `count`.
  static mlir::Value createConstantMask(mlir::OpBuilder &builder,
                                        mlir::Location loc, int64_t lanes,
                                        int64_t count);
  /// The same for a count that is known when the kernel runs.
  static mlir::Value createTailMask(mlir::OpBuilder &builder,
                                    mlir::Location loc, int64_t lanes,
                                    mlir::Value count);

private:
  /// 0, step, 2 * step, …
  static mlir::Value createSteps(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::VectorType type,
                                 llvm::ArrayRef<int64_t> steps);
  void emitOps(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitConstant(mlir::Operation &op);
  void emitIf(mlir::Operation &op);
  void emitKnownIf(mlir::Operation &op, bool isTaken);
  void emitUniformIf(mlir::Operation &op, mlir::Value condition);
  void emitGuardedIf(mlir::Operation &op, mlir::Value condition);
  void emitMaskedIf(mlir::Operation &op, mlir::Value mask);
  void emitElementwise(mlir::Operation &op);
  bool emitSteppedIndex(mlir::Operation &op);
  bool emitIndexCast(mlir::Operation &op);
  bool emitIndexCompare(mlir::Operation &op);
  LaneValue emitAffine(mlir::AffineExpr expr, unsigned numDims,
                       llvm::ArrayRef<LaneValue> operands);
  LaneValue emitBinary(mlir::AffineExprKind kind, LaneValue lhs, LaneValue rhs);
  LaneValue divideLanes(mlir::AffineExprKind kind, int64_t first,
                        llvm::ArrayRef<int64_t> steps, int64_t divisor);
  LaneValue getConstantLanes(llvm::ArrayRef<bool> bits);

  LaneValue emitLoad(Buffer buffer, llvm::ArrayRef<LaneValue> indices);
  LaneValue emitContiguousLoad(Buffer buffer, mlir::Value offset);
  bool readAnyway(const Buffer &buffer, LaneValue &offset);
  bool fitsShuffle(const LaneValue &offset, llvm::ArrayRef<bool> isRead) const;
  LaneValue emitShuffledLoad(Buffer buffer, const LaneValue &offset,
                             llvm::ArrayRef<bool> isRead);
  LaneValue emitGather(Buffer buffer, LaneValue offset);
  mlir::Value getGatherPointers(Buffer buffer, LaneValue offset);
  void emitStore(Buffer buffer, llvm::ArrayRef<LaneValue> indices,
                 LaneValue value, bool isStreamed);
  LaneValue getOffset(Buffer buffer, llvm::ArrayRef<LaneValue> indices);

  mlir::Value splat(mlir::Value scalar);
  mlir::Value getMask();
  std::optional<llvm::SmallVector<bool>> getConstantMask();
  mlir::Value getPointer(Buffer buffer, mlir::Value offset);
  mlir::VectorType vectorOf(mlir::Type type);
  /// Scalar constants may be defined outside the body.
  LaneValue lookUp(mlir::Value value);
  /// Memory holds i1 as bytes, and bf16 as integers, which all targets mask.
  mlir::Type getMemoryType(mlir::Type type);
  LaneValue fromMemory(LaneValue value, mlir::Type type);

  int64_t lanes;
  llvm::SmallVector<LaneValue> loops;
  /// Which lanes exist; which may read (of them); and whether all may.
  mlir::Value tailMask, guardMask, uniformGuard;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  const KnownConditions *known = nullptr;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_LANEEMITTER_H
