//===- WeightPacking.h - Weights in the order they are read -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H

#include "tandem/Dialect/Tandem/IR/Rearrange.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace tandem {

/// Weights of a contraction as [inner..., columns], the columns in groups: of a
/// convolution its spatial dims and input channels, and output channels; of a
/// product its contracted dim, and the columns of the right operand.
struct Weights {
  mlir::OpOperand *operand = nullptr;
  /// Dims of the operand in that order.
  llvm::SmallVector<int64_t> permutation;
  int64_t groups = 1;
};

/// Nothing where `hero` is no contraction that reads weights.
std::optional<Weights> getWeights(mlir::Operation *hero);

/// The hero reads weights in the order [inner..., columns] from now on.
void setPlainWeights(mlir::Operation *hero, mlir::Value value);

/// One way of packing one shape of weights.
class Packing {
public:
  /// `block`: columns read together.
  Packing(const Weights &weights, int64_t block)
      : Packing(mlir::cast<mlir::RankedTensorType>(
                    weights.operand->get().getType()),
                weights.permutation, weights.groups, block) {}

  /// [groups, if several][blocks][inner...][block]; of bf16 the last of the
  /// inner dims, the inputs, is in pairs:
  /// [groups][blocks][...][pairs][block][2].
  mlir::RankedTensorType getPackedType() const;
  /// Null where the bytes of the constant are not at hand.
  mlir::ElementsAttr pack(mlir::ElementsAttr constant) const;
  /// The ops that pack an operand, and those that undo it: contractions are
  /// still written on plain weights, and read the packed ones through these.
  mlir::Value emitPack(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value) const;
  mlir::Value emitUnpack(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value packed) const;

  /// Whether columns are padded that do not lie side by side in the operand.
  /// A kernel that does so while it packs picks element after element: padding
  /// (emitPad) in one of its own, and then packing what is padded, is faster.
  bool padsAcrossLines() const {
    return blocks * block != columns &&
           permutation.back() + 1 != static_cast<int64_t>(shape.size());
  }
  /// The operand with columns of zeros that make the last blocks whole.
  mlir::Value emitPad(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value) const;
  Packing getPadded() const {
    return {getPaddedType(), permutation, groups, block};
  }
  mlir::RankedTensorType getPaddedType() const;

private:
  Packing(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> permutation,
          int64_t groups, int64_t block);

  bool hasGroups() const { return groups > 1; }
  bool hasPairs() const { return inputsTogether == 2; }
  /// [inner...][groups][columns], inputs and columns rounded up or not.
  llvm::SmallVector<int64_t> getGroupedShape(bool isRounded) const;
  /// [inner...][2, if inputs are in pairs][groups][blocks][block].
  llvm::SmallVector<int64_t> getBlockedShape() const;
  /// Of the blocked shape, to the packed one.
  llvm::SmallVector<int64_t> getPermutation() const;
  /// Inputs from one on, `together` at a time, and columns.
  struct Part {
    int64_t firstInput, numInputs, together;
    int64_t firstBlock, numBlocks, numColumns;
  };
  ir::ElementBox getBox(const Part &part) const;

  llvm::SmallVector<int64_t> permutation;
  int64_t groups, block, columns = 1, blocks = 1, inputsTogether = 1;
  mlir::Type elementType;
  /// Of the operand.
  llvm::SmallVector<int64_t> shape, strides;
  /// Of the inner dims.
  llvm::SmallVector<int64_t> sizes;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H
