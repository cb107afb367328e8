//===- LaneEmitter.h - Vectorizing the body of a linalg.generic -*- C++ -*-===//
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

/// The value of a scalar of the body in all lanes of a vector.
struct LaneValue {
  enum Kind { Uniform, Stepped, Varying } kind = Uniform;
  /// For Uniform the scalar, which all lanes share; for Stepped the index of
  /// lane 0; for Varying a vector.
  mlir::Value value;
  /// For Stepped, the constant that is added to `value` in each lane.
  llvm::SmallVector<int64_t, 0> steps = {};
};

/// A row-major tensor in memory, or a part of one.
struct Buffer {
  mlir::Value pointer;
  mlir::RankedTensorType type;
  /// For a part of a tensor, the number that is added to the index of an
  /// element to get its offset from the pointer, in elements; null for zero.
  mlir::Value shift = {};
};

/// Arguments of a body and the values that they have.
using BoundInputs =
    llvm::SmallVector<std::pair<mlir::BlockArgument, mlir::Value>, 0>;

/// Alignment of non-temporal stores, in bytes. All tensors have it, too.
inline constexpr int64_t kStreamAlignment = 64;

/// Emits the body of a linalg.generic for `lanes` consecutive iterations of its
/// innermost loop or loops. Values that are the same in all lanes stay scalars.
/// Indices that differ from lane to lane by constants stay symbolic, so that
/// contiguous accesses are recognized.
class LaneEmitter : IndexBuilder {
public:
  /// The largest average distance between lanes in memory, in elements, for
  /// which contiguous vectors are loaded and shuffled; lanes that are further
  /// apart are gathered.
  static constexpr int64_t kMaxShuffledStep = 4;

  /// Lanes run along loop `laneLoop`, the innermost one by default, from its
  /// value in `loops` on. `tailMask` says which lanes exist; null for all.
  LaneEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
              mlir::ValueRange loops, mlir::Value tailMask,
              llvm::function_ref<Buffer(mlir::Value)> getBuffer,
              std::optional<unsigned> laneLoop = std::nullopt);

  /// Declares further loops of `sizes` inside the last loop. For each iteration
  /// of that loop, the lanes run through all of these, in row-major order. To
  /// be called before anything is emitted.
  void foldLoops(llvm::ArrayRef<int64_t> sizes);

  /// Loads the inputs of `op` that do not depend on loops from number
  /// `numOuter` on, as scalars; none if there are many.
  BoundInputs loadOuterInputs(mlir::linalg::GenericOp op, unsigned numOuter);

  /// Makes `argument` of the body be loaded from `pointer`, where its lanes are
  /// contiguous, instead of from its operand. To be called before emitBody.
  void bindInput(mlir::BlockArgument argument, mlir::Value pointer);

  /// Makes `argument` of the body be `value`: a vector with its lanes, or a
  /// scalar that all lanes share. To be called before emitBody.
  void bindValue(mlir::BlockArgument argument, mlir::Value value);

  /// Sets the results of comparisons. Only the side that is taken is emitted of
  /// branches that they decide. To be called before emitBody; `conditions` must
  /// outlive this object.
  void setKnown(const KnownConditions &conditions) { known = &conditions; }

  /// Prefetches what the lanes read of an input of `op`, if that is contiguous.
  void prefetchInput(mlir::linalg::GenericOp op, mlir::OpOperand *input);

  /// Emits an index of the body, or a comparison of indices, as a scalar. It
  /// may only depend on loops and constants.
  mlir::Value emitIndexValue(mlir::Value value);

  /// Emits the body and stores the yielded values in row-major order.
  void emitBody(mlir::linalg::GenericOp op);

  /// Emits the body and returns the yielded values.
  llvm::SmallVector<LaneValue> emitElements(mlir::linalg::GenericOp op);
  /// Stores one of these values at the index that `map` gives for the loops.
  /// From lane to lane the index must increase by one or stay the same. With
  /// `isStreamed`, a non-temporal store is used, and the address of lane 0 must
  /// be aligned to kStreamAlignment.
  void store(Buffer buffer, mlir::AffineMap map, LaneValue value,
             bool isStreamed);
  /// The address of the element at the index of the loops.
  mlir::Value getAddress(Buffer buffer) {
    return getPointer(buffer, getOffset(buffer, loops).value);
  }
  /// Loads a vector at the index of the loops.
  mlir::Value load(Buffer buffer) { return toVector(emitLoad(buffer, loops)); }
  /// Stores a vector at the index of the loops.
  void store(Buffer buffer, mlir::Value vector) {
    emitStore(buffer, loops, {LaneValue::Varying, vector},
              /*isStreamed=*/false);
  }
  mlir::Value toVector(LaneValue value);

  /// A mask of the lanes below `count`.
  static mlir::Value createConstantMask(mlir::OpBuilder &builder,
                                        mlir::Location loc, int64_t lanes,
                                        int64_t count);
  /// The same for a count that is only known at run time.
  static mlir::Value createTailMask(mlir::OpBuilder &builder,
                                    mlir::Location loc, int64_t lanes,
                                    mlir::Value count);

private:
  /// A vector with the constant `steps[i]` in lane i.
  static mlir::Value createSteps(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::VectorType type,
                                 llvm::ArrayRef<int64_t> steps);
  llvm::SmallVector<LaneValue> getIndices(mlir::linalg::GenericOp op,
                                          mlir::OpOperand *input);
  LaneValue loadInput(mlir::linalg::GenericOp op, mlir::OpOperand *input);
  void emitOps(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitConstant(mlir::Operation &op);
  bool emitLookup(mlir::tensor::ExtractOp op);
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
  bool isContiguous(const LaneValue &offset) const;
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
  /// The type that memory has for elements of `type`: bytes for i1, and
  /// integers for bf16, because all targets have masked loads of integers.
  mlir::Type getMemoryType(mlir::Type type);
  LaneValue fromMemory(LaneValue value, mlir::Type type);

  int64_t lanes;
  llvm::SmallVector<LaneValue> loops;
  /// Masks: the lanes that exist, the lanes among them that may read memory,
  /// and a scalar that says whether all of them may.
  mlir::Value tailMask, guardMask, uniformGuard;
  /// Whether a vector that is shorter than the lanes has been loaded and its
  /// elements distributed among them.
  bool hasShortReads = false;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  const KnownConditions *known = nullptr;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_LANEEMITTER_H
