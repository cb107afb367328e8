//===- WeightPacking.h - Packing weights ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H

#include "tandem/Dialect/Tandem/IR/Relayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace tandem {

/// The weights of a contraction as [inner..., columns], where the columns are
/// divided into groups. For a convolution, the inner dims are the spatial dims
/// and the input channels, the columns the output channels. For a matrix
/// product, they are the contracted dim and the columns of the right operand.
struct Weights {
  mlir::OpOperand *operand = nullptr;
  /// The dims of the operand in that order.
  llvm::SmallVector<int64_t> permutation;
  int64_t groups = 1;
  /// ElementFormat::packedInputs.
  int64_t packedInputs = 1;
};

/// Returns the weights of `hero`, or nothing if it is not a contraction with
/// weights.
std::optional<Weights> getWeights(mlir::Operation *hero);

/// Makes `hero` read `value`, weights in the order [inner..., columns].
void setPlainWeights(mlir::Operation *hero, mlir::Value value);

/// The packing of weights of one shape in blocks of columns
/// (docs/Contractions.md).
class Packing {
public:
  /// `block` is the number of columns in a block, which are read together.
  Packing(const Weights &weights, int64_t block)
      : Packing(mlir::cast<mlir::RankedTensorType>(
                    weights.operand->get().getType()),
                weights.permutation, weights.groups, block,
                weights.packedInputs) {}

  /// The packing of a matrix of `type` with one input after the other, whatever
  /// its element type.
  static Packing ofSingleInputs(mlir::RankedTensorType type,
                                llvm::ArrayRef<int64_t> permutation,
                                int64_t block) {
    return {type, permutation, /*groups=*/1, block, /*packedInputs=*/1};
  }

  /// The type of packed weights: [groups, if several][blocks][inner...][block].
  /// The last inner dim, the inputs, is divided into pairs for bf16, and into
  /// quads for i8: [groups][blocks][...][pairs][block][2].
  mlir::RankedTensorType getPackedType() const;
  /// Packs a constant. Returns null if its bytes are not available.
  mlir::ElementsAttr pack(mlir::ElementsAttr constant) const;
  /// Emit the ops that pack an operand, and the ops that unpack it.
  /// Contractions still have plain weights as operands; they read packed
  /// weights through the ops that unpack them.
  mlir::Value emitPack(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value) const;
  mlir::Value emitUnpack(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value packed) const;

  /// Whether packing adds padding along a dim whose elements are not adjacent
  /// in the operand or, because they are in pairs or quads of inputs, in the
  /// result. A kernel that pads while it packs would then copy single elements;
  /// it is faster to pad in a kernel of its own (emitPad) and then pack.
  bool padsAcrossLines() const {
    bool padsColumns = blocks * block != columns;
    bool areAdjacent =
        permutation.back() + 1 == static_cast<int64_t>(shape.size());
    return hasPairs() ? padsColumns || sizes.back() % inputsTogether != 0
                      : padsColumns && !areAdjacent;
  }
  /// Emits the operand with zeros that fill up the last blocks, and the last
  /// pairs or quads of inputs.
  mlir::Value emitPad(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value) const;
  Packing getPadded() const {
    return {getPaddedType(), permutation, groups, block, inputsTogether};
  }
  mlir::RankedTensorType getPaddedType() const;

private:
  Packing(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> permutation,
          int64_t groups, int64_t block, int64_t packedInputs);

  bool hasGroups() const { return groups > 1; }
  /// Whether the inputs are in pairs or quads.
  bool hasPairs() const { return inputsTogether > 1; }
  /// The dim of the operand that has the inputs.
  int64_t getInputDim() const { return permutation[sizes.size() - 1]; }
  /// [inner...][groups][columns], with inputs and columns rounded up to whole
  /// pairs or quads and blocks if `isRounded`.
  llvm::SmallVector<int64_t> getGroupedShape(bool isRounded) const;
  /// [inner...][2 or 4, if inputs are in pairs or
  /// quads][groups][blocks][block].
  llvm::SmallVector<int64_t> getBlockedShape() const;
  /// The permutation from the blocked to the packed shape.
  llvm::SmallVector<int64_t> getPermutation() const;
  /// A range of inputs, `together` at a time, and a range of columns.
  struct Part {
    int64_t firstInput, numInputs, together;
    int64_t firstBlock, numBlocks, numColumns;
  };
  ir::StridedBox getBox(const Part &part) const;

  llvm::SmallVector<int64_t> permutation;
  int64_t groups, block, columns = 1, blocks = 1, inputsTogether = 1;
  mlir::Type elementType;
  /// The shape and the strides of the operand.
  llvm::SmallVector<int64_t> shape, strides;
  /// The sizes of the inner dims.
  llvm::SmallVector<int64_t> sizes;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_WEIGHTPACKING_H
