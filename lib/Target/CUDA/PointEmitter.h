//===- PointEmitter.h - The body of a linalg.generic ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_POINTEMITTER_H
#define TANDEM_LIB_TARGET_CUDA_POINTEMITTER_H

#include "IndexArithmetic.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tandem::codegen {

/// The largest number of threads of a block, on every GPU.
inline constexpr int64_t kMaxThreads = 1024;

/// The memory of a kernel's tensors, as 1-D memrefs in row-major order.
struct KernelMemory {
  /// The memrefs of the function's arguments and of their reshapes.
  mlir::DenseMap<mlir::Value, mlir::Value> operands;
  /// The memrefs of the results of linalg ops. A result has several if it is
  /// returned more than once.
  mlir::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value>> results;
  /// The values of constant tensors whose elements are all equal.
  mlir::DenseMap<mlir::Value, mlir::TypedAttr> splats;

  mlir::ArrayRef<mlir::Value> buffersOf(mlir::Value result) const {
    auto buffers = results.find(result);
    return buffers == results.end() ? mlir::ArrayRef<mlir::Value>()
                                    : mlir::ArrayRef(buffers->second);
  }
};

/// A part of a tensor, in memory of its own.
struct TensorPart {
  mlir::Value tensor, memory;
  /// The distances of neighbors along those dims of the tensor whose size is
  /// not 1.
  mlir::SmallVector<int64_t> strides;
  /// The position in the part of the tensor's first element, which it need not
  /// have.
  mlir::Value origin;
};

/// Consecutive points of an iteration space that one thread computes.
struct Run {
  int64_t width = 1;
  /// The loop whose index differs between the points. If there is none, the
  /// points are consecutive in row-major order only, and `number` must be set.
  std::optional<unsigned> loop;
  /// The first point: its index in each loop, and its row-major number, which
  /// may be null where the indices are known.
  mlir::SmallVector<mlir::Value> dims;
  mlir::Value number;
};

/// Emits the body of one linalg.generic at the points of a run.
class PointEmitter {
public:
  PointEmitter(mlir::OpBuilder &builder, IndexArithmetic &index,
               const KernelMemory &memory, mlir::linalg::GenericOp op);

  /// Has the op read what `part` has there. It must outlive this.
  void readFrom(const TensorPart &from) { part = &from; }

  mlir::linalg::GenericOp getOp() const { return op; }
  mlir::ArrayRef<int64_t> getSizes() const { return sizes; }
  /// A location that names what is emitted at it.
  mlir::Location named(const llvm::Twine &name);

  /// A place in memory: a memref, and the position in it as an expression of
  /// the loops.
  using Access = std::pair<mlir::Value, mlir::AffineExpr>;
  /// Where an operand is read, or a result written; null memory where it is
  /// not in the kernel's memory.
  Access accessOf(mlir::OpOperand &operand);
  /// The position of the points in row-major order.
  mlir::AffineExpr ownOrder() const;
  /// Whether the elements of a run are consecutive at `access`, from a position
  /// that is a multiple of the run's width on.
  bool isVector(Access access, const Run &run) const;

  /// The index in each loop of the point with row-major number `number`.
  mlir::SmallVector<mlir::Value> delinearize(mlir::Value number);

  /// Begins a run: forgets the vectors of the one before.
  void begin(Run run);
  /// Gives what has been read at `access`: the run's vector, or its element.
  void give(Access access, mlir::Value value) {
    (mlir::isa<mlir::VectorType>(value.getType()) ? vectors
                                                  : elements)[access] = value;
  }
  /// Loads the run's elements at `access`, which must be a vector; the element
  /// of a run of one.
  mlir::Value read(Access access);
  /// Loads the operands that can be loaded once for all points of the run:
  /// inputs that are vectors, and inputs that do not vary.
  void loadOperands();

  /// What an operand's block argument stands for; null for what is in memory.
  using ReadOperand = mlir::function_ref<mlir::Value(mlir::OpOperand &operand)>;
  /// Emits the body for point `lane` of the run (null for the first) and
  /// returns what it yields.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  emit(mlir::Value lane, ReadOperand read = nullptr);
  /// Stores `value` where `operand`, an output, is written at the present
  /// point.
  void store(mlir::OpOperand &operand, mlir::Value value);
  /// Stores the run's elements of `operand`, an output that is a vector, from
  /// the array `local`.
  void storeVector(mlir::OpOperand &operand, mlir::Value local);

private:
  mlir::LogicalResult emitBlock(mlir::Block &from,
                                mlir::SmallVectorImpl<mlir::Value> &yielded);
  mlir::LogicalResult emitOp(mlir::Operation &from);
  mlir::LogicalResult emitExtract(mlir::tensor::ExtractOp extract);
  void emitWithRegions(mlir::Operation &from, mlir::LogicalResult &result);
  void setPoint(mlir::Value lane);
  mlir::Value readElement(mlir::OpOperand &operand);
  mlir::Value positionOf(Access access);
  mlir::AffineExpr linearize(mlir::AffineMap map,
                             mlir::ArrayRef<int64_t> shape) const;
  mlir::AffineExpr withoutUnitLoops(mlir::AffineExpr position) const;
  bool isInPart(mlir::Value tensor) const;

  mlir::OpBuilder &builder;
  IndexArithmetic &index;
  const KernelMemory &memory;
  mlir::linalg::GenericOp op;
  mlir::SmallVector<int64_t> sizes;
  const TensorPart *part = nullptr;

  Run run;
  /// What is loaded ahead for the run.
  mlir::DenseMap<Access, mlir::Value> vectors, elements;
  /// The present point.
  mlir::Value lane, number;
  mlir::SmallVector<mlir::Value> dims;
  mlir::IRMapping mapping;
};

/// The tensor whose elements, in row-major order, `value` has.
mlir::Value skipReshapes(mlir::Value value);

/// `loc` under its own name with `suffix`.
mlir::Location suffixed(mlir::Location loc, const llvm::Twine &suffix);

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_POINTEMITTER_H
