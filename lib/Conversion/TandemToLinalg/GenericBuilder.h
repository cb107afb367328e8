//===- GenericBuilder.h - One linalg.generic in the making -----*- C++ -*-===//
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

/// Makes one linalg.generic: first its elements are emitted, over loops that
/// are those of the results' shapes; then, when all that is to share loops has
/// been emitted, `create` places the reads in the final loops.
class GenericBuilder {
public:
  /// `loops` are the sizes of the loops of emission.
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::ArrayRef<int64_t> loops);

  ElementalEmitter &getEmitter() { return emitter; }

  struct Output {
    /// Of the emitter's block.
    mlir::Value element;
    /// What the op starts from: a tensor over (some of) the final loops.
    mlir::Value init;
    mlir::AffineMap map;
    /// For a reduction: combines what there is with the element.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Value, mlir::Value)>
        combine;
  };
  /// `numLoops` of the loops of `space`, the first ones; those from
  /// `numParallel` on are reduced. Called once.
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
  /// linalg infers the sizes of loops from operands: where none tells, an empty
  /// tensor does.
  void coverLoops(const LoopSpace &space, llvm::ArrayRef<Output> outputs);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::unique_ptr<mlir::Block> body;
  ElementalEmitter emitter;
  unsigned numLoops = 0;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::tensor::CollapseShapeOp> collapsedSources;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// linalg.index of the final loops.
  llvm::SmallVector<mlir::Value> finalIndices;
};

/// The index of an element of `shape`: for each dim that is not of size 1 the
/// next of `loops`.
ElementIndex assignLoops(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<mlir::AffineExpr> loops,
                         mlir::MLIRContext *context);

/// The same for loops of its own, whose sizes are appended to `loops`.
ElementIndex addLoops(llvm::ArrayRef<int64_t> shape,
                      llvm::SmallVectorImpl<int64_t> &loops,
                      mlir::MLIRContext *context);

/// A result of the kernel, computed in terms of the final loops.
class KernelResult {
public:
  /// Element `index` (loops of emission) of the first `numLoops` final loops.
  KernelResult(const LoopSpace &space, unsigned numLoops,
               const ElementIndex &index, mlir::RankedTensorType type);
  mlir::AffineMap getMap() const { return map; }
  mlir::Value createInit(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// What linalg computed, in the result's shape.
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
