//===- ElementalEmitter.h - The element of a value at an index -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_ELEMENTALEMITTER_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_ELEMENTALEMITTER_H

#include "IndexExprs.h"

#include "tandem/Dialect/Tandem/IR/TandemAttributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace tandem {

/// The index of an element: one expression per dim of the value.
using ElementIndex = llvm::SmallVector<mlir::AffineExpr, 4>;

/// A value that an earlier linalg op of the kernel computes: it can be read at
/// one index, where `tensor` (set when that op has been made) has the element
/// of its leading loops.
struct EarlierValue {
  ElementIndex index;
  mlir::Value tensor;
  /// Of a mean: `tensor` has sums, of so many elements. Else 0.
  int64_t meanOf = 0;
  /// Whether `tensor` is of the value's type, and not of its compute type.
  bool isRounded = false;
};
using EarlierValues = llvm::MapVector<mlir::Value, EarlierValue>;

/// A read of `source` (an argument or constant of the kernel) that awaits the
/// final loops: `read` is a block argument where it may become an `ins` operand
/// of the linalg op, else the result of a tensor.extract without indices.
struct ElementRead {
  mlir::Value source;
  ElementIndex index;
  mlir::Value read;
  /// Whether the source is an EarlierValue; `read` is a block argument then.
  bool isEarlier = false;
  bool isInput() const { return mlir::isa<mlir::BlockArgument>(read); }
};

/// Emits into one block the elements of tensor values at indices that are
/// expressions over loop dims and symbols (values read from index tensors).
/// Elements are emitted in compute type: f32 for f16 and bf16.
///
/// The scheme is that of XLA's elemental IR emitter
/// (xla/service/elemental_ir_emitter.cc), on affine expressions, which makes
/// equal indices comparable.
class ElementalEmitter {
public:
  /// `loops` are the sizes of the iteration space.
  ElementalEmitter(mlir::Block &block, llvm::ArrayRef<int64_t> loops,
                   mlir::MLIRContext *context);

  /// Values to be read rather than computed; outlives the emitter.
  void setEarlierValues(const EarlierValues &values) { earlier = &values; }
  /// A value that is read wherever it is wanted, as arguments are, whatever op
  /// computes it.
  void setStored(mlir::Value value) { stored = value; }

  /// The element of `value` at `index`; null when a diagnostic was emitted.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);

  /// `inRange ? emitted by then : otherwise`, where all of `conditions` hold;
  /// emits no branch when there are none. `then` may return null for failure.
  mlir::Value emitGuarded(mlir::ValueRange conditions, mlir::Value otherwise,
                          llvm::function_ref<mlir::Value()> then);

  /// `condition ? then : otherwise`, each emitted in its own region.
  mlir::Value emitBranch(mlir::Value condition, mlir::Type type,
                         llvm::function_ref<mlir::Value()> then,
                         llvm::function_ref<mlir::Value()> otherwise);

  /// Of a value to be read.
  mlir::Value getEarlierTensor(mlir::Value value) const {
    return earlier->lookup(value).tensor;
  }
  /// What was emitted for `value` at `index`, unconditionally; else null.
  mlir::Value lookUp(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);

  /// The conditions of 0 <= expr < size that are not known to hold.
  void emitInRange(mlir::AffineExpr expr, int64_t size,
                   llvm::SmallVectorImpl<mlir::Value> &conditions);

  /// The value of an index expression. Loops it names stay apart from others.
  mlir::Value materialize(mlir::AffineExpr expr);

  /// A symbol for an index value in [0, size).
  mlir::AffineExpr makeSymbol(mlir::Value value, int64_t size);

  mlir::Value constant(mlir::Type computeType, double value);
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  const IndexRanges &getRanges() const { return ranges; }

  // What finalisation needs.
  llvm::SmallVector<ElementRead> reads;
  llvm::SmallVector<mlir::Value> symbols;
  /// Index expressions that were materialised.
  llvm::SmallVector<mlir::AffineExpr> materialized;
  /// linalg.index of a loop, at the block's start; null where unused.
  llvm::SmallVector<mlir::Value> loopIndices;

private:
  mlir::Value emitUncached(mlir::Value value, const ElementIndex &index);
  mlir::Value emitOp(mlir::Operation *op, const ElementIndex &index);
  mlir::Value emitElementwise(mlir::Operation *op, const ElementIndex &index);
  mlir::Value emitRead(mlir::Value source, const ElementIndex &index);
  mlir::Value emitEarlierRead(mlir::Value source, const EarlierValue &value);
  mlir::Value getLoopIndex(unsigned loop);

  using Key = std::pair<void *, ElementIndex>;
  struct KeyLess {
    bool operator()(const Key &a, const Key &b) const;
  };
  /// Values that dominate the insertion point: one map per enclosing region.
  llvm::SmallVector<std::map<Key, mlir::Value, KeyLess>, 4> memo;

  mlir::Block &block;
  mlir::OpBuilder builder;
  mlir::Location loc;
  IndexRanges ranges;
  const EarlierValues *earlier = nullptr;
  mlir::Value stored;
};

/// f32 for f16 and bf16, else the type itself.
mlir::Type getComputeType(mlir::Type elementType);
/// Widens a scalar of an element type to its compute type, and back.
mlir::Value toComputeType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value scalar);
mlir::Value toElementType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value scalar, mlir::Type elementType);

/// Two elements as a reduction combines them; not for argmax.
mlir::Value emitCombination(mlir::OpBuilder &builder, mlir::Location loc,
                            ir::ReduceKind kind, mlir::Value a, mlir::Value b);

/// sum + a * b, or a * b where `sum` is null: floats of one type. An op's own
/// product may be added unrounded (`contract`), unlike those of two ops.
mlir::Value addProduct(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value sum, mlir::Value a, mlir::Value b);

/// The identity of max: -inf, or the least integer.
mlir::Value emitLowest(ElementalEmitter &emitter, mlir::Type computeType);

/// Emission of op families: null results mean that a diagnostic was emitted.
mlir::Value emitShapeOp(ElementalEmitter &emitter, mlir::Operation *op,
                        const ElementIndex &index);
mlir::Value emitWindowOp(ElementalEmitter &emitter, mlir::Operation *op,
                         const ElementIndex &index);
mlir::Value emitContraction(ElementalEmitter &emitter, mlir::Operation *op,
                            const ElementIndex &index);
mlir::Value emitReduction(ElementalEmitter &emitter, mlir::Operation *op,
                          const ElementIndex &index);

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_ELEMENTALEMITTER_H
