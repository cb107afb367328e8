//===- ElementalEmitter.h - Emitting one element of a value -----*- C++ -*-===//
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

/// A value that an earlier linalg op of the kernel computes and stores. It can
/// be read at one index only, `index`. `tensor`, which is set when that op has
/// been created, holds the elements by the op's leading loops.
struct MaterializedValue {
  ElementIndex index;
  mlir::Value tensor;
  /// For a mean, the number of elements that are averaged; `tensor` then holds
  /// the sums. Otherwise 0.
  int64_t meanOf = 0;
  /// Whether `tensor` has the value's element type instead of its compute type.
  bool isRounded = false;
};
using MaterializedValues = llvm::MapVector<mlir::Value, MaterializedValue>;

/// A read of `source` (an argument or constant of the kernel) that is completed
/// when the final loops are known. `read` is a block argument if the read may
/// become an `ins` operand of the linalg op, otherwise the result of a
/// tensor.extract that has no indices yet.
struct ElementRead {
  mlir::Value source;
  ElementIndex index;
  mlir::Value read;
  /// Whether the source is a MaterializedValue; `read` is then a block
  /// argument.
  bool isMaterialized = false;
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

  /// Sets the values that are read instead of computed. `values` must outlive
  /// the emitter.
  void setMaterializedValues(const MaterializedValues &values) {
    materializedValues = &values;
  }
  /// Sets a value that is always read, as arguments are, although an op
  /// computes it.
  void setStored(mlir::Value value) { stored = value; }

  /// Emits the element of `value` at `index`; null when a diagnostic was
  /// emitted.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);

  /// Emits a branch: the value that `then` emits where all of `conditions`
  /// hold, `otherwise` elsewhere. Emits no branch when there are no conditions.
  /// `then` may return null for failure.
  mlir::Value emitGuarded(mlir::ValueRange conditions, mlir::Value otherwise,
                          llvm::function_ref<mlir::Value()> then);

  /// `condition ? then : otherwise`, each emitted in its own region.
  mlir::Value emitBranch(mlir::Value condition, mlir::Type type,
                         llvm::function_ref<mlir::Value()> then,
                         llvm::function_ref<mlir::Value()> otherwise);

  /// The tensor of a value that is read instead of computed.
  mlir::Value getMaterializedTensor(mlir::Value value) const {
    return materializedValues->lookup(value).tensor;
  }
  /// The value that was emitted, unconditionally, for `value` at `index`; null
  /// if there is none.
  mlir::Value lookUp(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);

  /// Emits those of the conditions 0 <= expr and expr < size that are not known
  /// to hold.
  void emitInRange(mlir::AffineExpr expr, int64_t size,
                   llvm::SmallVectorImpl<mlir::Value> &conditions);

  /// Emits the value of an index expression. The loops in it will not be merged
  /// with others.
  mlir::Value materialize(mlir::AffineExpr expr);

  /// Creates a symbol for an index value in [0, size).
  mlir::AffineExpr makeSymbol(mlir::Value value, int64_t size);

  mlir::Value constant(mlir::Type computeType, double value);
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  const IndexRanges &getRanges() const { return ranges; }

  // What finalisation needs.
  llvm::SmallVector<ElementRead> reads;
  llvm::SmallVector<mlir::Value> symbols;
  /// The index expressions that were materialized.
  llvm::SmallVector<mlir::AffineExpr> materialized;
  /// The linalg.index op of each loop, at the start of the block; null where it
  /// is not used.
  llvm::SmallVector<mlir::Value> loopIndices;

private:
  mlir::Value emitUncached(mlir::Value value, const ElementIndex &index);
  mlir::Value emitOp(mlir::Operation *op, const ElementIndex &index);
  mlir::Value emitElementwise(mlir::Operation *op, const ElementIndex &index);
  mlir::Value emitRead(mlir::Value source, const ElementIndex &index);
  mlir::Value emitMaterializedRead(mlir::Value source,
                                   const MaterializedValue &value);
  mlir::Value getLoopIndex(unsigned loop);

  using Key = std::pair<void *, ElementIndex>;
  struct KeyLess {
    bool operator()(const Key &a, const Key &b) const;
  };
  /// The emitted values that dominate the insertion point: one map per
  /// enclosing region.
  llvm::SmallVector<std::map<Key, mlir::Value, KeyLess>, 4> memo;

  mlir::Block &block;
  mlir::OpBuilder builder;
  mlir::Location loc;
  IndexRanges ranges;
  const MaterializedValues *materializedValues = nullptr;
  mlir::Value stored;
};

/// Widens a scalar of an element type to its compute type, and back.
mlir::Value toComputeType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value scalar);
mlir::Value toElementType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value scalar, mlir::Type elementType);

/// Emits the combination of two elements by a reduction of any kind but argmax.
/// Elements that are integers have no sign of their own.
mlir::Value emitCombination(mlir::OpBuilder &builder, mlir::Location loc,
                            ir::ReduceKind kind, bool isUnsigned, mlir::Value a,
                            mlir::Value b);

/// Emits sum + a * b, or a * b where `sum` is null, on floats of one type. The
/// product may be added without rounding (fast-math flag `contract`), because
/// both operations belong to one tandem op.
mlir::Value addProduct(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value sum, mlir::Value a, mlir::Value b);

/// The largest or the least value of integers, and of floats an infinity.
mlir::TypedAttr getExtreme(mlir::Type computeType, bool isUnsigned, bool isMax);

/// Emits the identity of max: -inf, or the least integer.
mlir::Value emitLowest(ElementalEmitter &emitter, mlir::Type elementType);

/// Emit the element of an op of one family at `index`; null when a diagnostic
/// was emitted.
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
