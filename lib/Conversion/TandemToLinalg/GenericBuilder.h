//===- GenericBuilder.h - Building one linalg.generic -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_GENERICBUILDER_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_GENERICBUILDER_H

#include "LoopSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>
#include <memory>

namespace tandem {

/// Builds one linalg.generic in two steps. First the elements of its results
/// are emitted, over one loop per dim of the results' shapes. Then, when all
/// linalg ops that share loops have been emitted, the loops are merged, and
/// `create` builds the op with the reads in terms of the final loops.
class GenericBuilder {
public:
  /// `loops` are the sizes of the loops over which elements are emitted.
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::ArrayRef<int64_t> loops);

  ElementalEmitter &getEmitter() { return emitter; }

  /// One result of the op.
  struct Output {
    /// The element, a value in the emitter's block.
    mlir::Value element;
    /// The initial tensor (`outs` operand), over some or all of the final
    /// loops, and its indexing map.
    mlir::Value init;
    mlir::AffineMap map;
    /// For a reduction, combines the accumulated value with the element.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Value, mlir::Value)>
        combine;
  };
  /// Creates the op over the first `numLoops` loops of `space`, of which those
  /// from `numParallel` on are reduced. To be called once.
  mlir::linalg::GenericOp create(const LoopSpace &space, unsigned numLoops,
                                 unsigned numParallel,
                                 llvm::ArrayRef<Output> outputs);

private:
  void finishReads(const LoopSpace &space);
  bool canBeInput(const LoopSpace &space,
                  const LoopSpace::Access &access) const;
  mlir::Value collapse(mlir::Value source, const LoopSpace::Access &access);
  void finishExtract(const ElementRead &read, const LoopSpace::Access &access);
  void renumberLoops(const LoopSpace &space);
  mlir::AffineMap getLeadingLoops(unsigned count) const;
  void createYield(llvm::ArrayRef<Output> outputs);
  /// Adds an empty tensor as an operand where no other operand determines the
  /// size of a loop, because linalg infers sizes from operands.
  void coverLoops(const LoopSpace &space, llvm::ArrayRef<Output> outputs);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::unique_ptr<mlir::Block> body;
  ElementalEmitter emitter;
  unsigned numLoops = 0;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::tensor::CollapseShapeOp> collapsedSources;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// The linalg.index ops of the final loops.
  llvm::SmallVector<mlir::Value> finalIndices;
};

/// The index of an element of `shape` in terms of `loops`: each dim whose size
/// is not 1 takes the next loop.
ElementIndex assignLoops(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<mlir::AffineExpr> loops,
                         mlir::MLIRContext *context);

/// The same with new loops, whose sizes are appended to `loops`.
ElementIndex addLoops(llvm::ArrayRef<int64_t> shape,
                      llvm::SmallVectorImpl<int64_t> &loops,
                      mlir::MLIRContext *context);

/// A result of the kernel that is computed over the final loops, whose dims may
/// be merged, and reshaped to its own type.
class KernelResult {
public:
  /// `index` is the element's index in terms of the loops of emission; the
  /// result is computed over the first `numLoops` final loops.
  KernelResult(const LoopSpace &space, unsigned numLoops,
               const ElementIndex &index, mlir::RankedTensorType type);
  mlir::AffineMap getMap() const { return map; }
  mlir::Value createInit(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// Reshapes the value that linalg has computed to the result's shape.
  mlir::Value expand(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value result) const;

private:
  mlir::RankedTensorType type;
  mlir::AffineMap map;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::ReassociationIndices> groups;
};

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_GENERICBUILDER_H
