//===- ContractionEmitter.h - Small convolutions over threads ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONEMITTER_H
#define TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONEMITTER_H

#include "Contraction/ContractionTiles.h"
#include "KernelSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tandem::codegen {

/// Emits the code of a thread. A block stages in shared memory the tile of the
/// data that it reads, with zeros around it; its weights, if those of adjacent
/// channels are not adjacent; and its part of the result, if windows read it. A
/// thread has 128 bytes of sums in registers, for example those of 8 channels
/// and 4 positions. For each input channel, it loads at once the data that all
/// taps of a row read for these positions, and then a vector of weights for
/// each tap.
class ContractionEmitter : ContractionTiles {
public:
  /// The ops of a kernel; null where there are none. `windowOp` reads what the
  /// epilogue computes, or else the hero.
  struct Ops {
    mlir::Operation *hero;
    mlir::linalg::GenericOp epilogue, windowOp;
  };
  ContractionEmitter(MappedKernel &kernel, Ops ops,
                     const Contraction &contraction,
                     const ContractionWindow *window);

  mlir::LogicalResult emit();

private:
  mlir::LogicalResult computeSchedule();
  mlir::LogicalResult verifyWindow();
  llvm::ArrayRef<Contraction::SpatialDim> outerDims() const {
    return llvm::ArrayRef(contraction.spatial).drop_back();
  }

  void findPlace();
  void findPositions();
  mlir::Value findThread();
  void fillTile();
  void fillWeights();
  mlir::Value isInData(mlir::Value position, int64_t size,
                       mlir::Value isInside);
  void createSums();
  void loadBias();
  mlir::Value resultAt(mlir::Value place, mlir::Value lane);
  /// The first of the thread's positions and channels that are stored at once.
  struct RunStart {
    mlir::Value place, lane;
  };
  mlir::Value resultAlong(RunStart start, mlir::Value along);
  mlir::Value tileRowOf(llvm::ArrayRef<mlir::Value> taps);
  void accumulate();
  void accumulateTap(mlir::Value weight, mlir::Value data, mlir::Value at);
  /// `sum` and the product of two terms.
  mlir::Value addTerm(mlir::Value sum, mlir::Value data, mlir::Value weight);
  /// The bytes of quad `number` of the input channels, as one integer whose
  /// lowest byte is the first. Byte i is at `from` + i * `stride` of `memory`;
  /// behind the last input channel, bytes are zero. `otherStrides` are those of
  /// the other dims of the memory.
  mlir::Value loadQuad(mlir::Value memory, mlir::Value from, int64_t stride,
                       llvm::ArrayRef<int64_t> otherStrides,
                       mlir::Value number);
  mlir::Value loadDataQuad(mlir::Value memory, mlir::Value from,
                           mlir::Value number);
  mlir::Value loadWeightsQuad(mlir::Value memory, mlir::Value from,
                              mlir::Value number);
  mlir::LogicalResult storeResults();
  mlir::LogicalResult storeRun(mlir::Value position, RunStart start);
  mlir::LogicalResult storeEpilogue(const Run &run, RunStart start);
  void storeSums(llvm::ArrayRef<mlir::Value> dims, RunStart start);
  void storeVector(mlir::Value local, int64_t count, mlir::Value buffer,
                   mlir::Value position);
  mlir::Value outerAt(unsigned number);
  mlir::Value isInResult(mlir::Value position);
  Run runAt(llvm::ArrayRef<mlir::Value> dims, llvm::ArrayRef<int64_t> sizes,
            int64_t runWidth);
  /// What stands for an operand at a point of a run; null for what is in
  /// memory.
  using ReadAt = mlir::function_ref<mlir::Value(mlir::OpOperand &operand,
                                                mlir::Value lane)>;
  mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  emitPoints(PointEmitter &points, const Run &run, ReadAt read);
  void storePoints(PointEmitter &points, const Run &run,
                   llvm::ArrayRef<mlir::Value> locals);

  void createPart();
  void storeInPart(mlir::Value local, RunStart start);
  mlir::LogicalResult storeWindows();

  mlir::Location named(const llvm::Twine &name) {
    return mlir::NameLoc::get(builder.getStringAttr(name), loc);
  }
  mlir::Value constant(int64_t value) { return index.constant(loc, value); }
  /// a * factor + b.
  mlir::Value scaled(mlir::Value a, int64_t factor, mlir::Value b) {
    return index.add(loc, index.mul(loc, a, constant(factor)), b);
  }
  mlir::Value allocate(const llvm::Twine &name, int64_t count,
                       mlir::gpu::AddressSpace space, mlir::Type element);
  mlir::Value allocateShared(const llvm::Twine &name, int64_t count,
                             mlir::Type element);
  mlir::Value allocateVariable(const llvm::Twine &name);
  /// A variable that is zero.
  mlir::Value createZero(const llvm::Twine &name);
  mlir::Value load(mlir::Location at, mlir::Value memory,
                   mlir::ValueRange position) {
    return mlir::memref::LoadOp::create(builder, at, memory, position);
  }
  void store(mlir::Value value, mlir::Value memory, mlir::ValueRange position) {
    mlir::memref::StoreOp::create(builder, loc, value, memory, position);
  }
  mlir::Value isBelow(mlir::Value value, int64_t end) {
    return mlir::arith::CmpIOp::create(
        builder, loc, mlir::arith::CmpIPredicate::slt, value, constant(end));
  }
  mlir::Value widen(mlir::Value value);
  mlir::Value narrow(mlir::Value value, mlir::Type element);
  /// A loop of `count` iterations; emits within it until the guard ends.
  mlir::Value beginLoop(llvm::StringRef name, mlir::Value from, int64_t count,
                        int64_t step, int64_t unroll);
  void beginIf(mlir::Value condition);
  mlir::Value weightsOf(mlir::Value channel);
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value number,
                                             llvm::ArrayRef<int64_t> sizes,
                                             llvm::StringRef name);
  mlir::Value linearize(mlir::ValueRange place, llvm::ArrayRef<int64_t> sizes);

  MappedKernel &kernel;
  mlir::OpBuilder &builder;
  IndexArithmetic index;
  const Contraction &contraction;
  const Contraction::SpatialDim &row;
  const ContractionWindow *window;
  mlir::Operation *hero;
  mlir::linalg::GenericOp epilogue, windowOp;
  mlir::Location loc;
  mlir::Type computed;

  /// The number of elements that a thread stores at once: along the channels if
  /// these are the last dim of the result, otherwise along the row.
  int64_t width = 1;
  /// The index of the block in each batch dim, its windows' in each outer
  /// spatial dim, and the first of its positions in those.
  llvm::SmallVector<mlir::Value> batch, outerWindows, outer;
  /// The row of the part, in each outer spatial dim, that the thread computes.
  llvm::SmallVector<mlir::Value> partAt;
  /// The first window, position and channel of the block's, and the thread's
  /// groups, its first channel, and that among the block's.
  mlir::Value firstWindow, firstPosition, firstChannel;
  mlir::Value rowGroup, channel, channelInBlock;
  mlir::Value thread, tile, sums;
  /// The block's weights in shared memory, by product and channel. Null if the
  /// thread reads the weights directly from global memory.
  mlir::Value blockWeights;
  /// A vector of the thread's channels; null where there is none.
  mlir::Value bias;
  /// The block's part of the result, and its shape by dim of that.
  TensorPart part;
  llvm::SmallVector<int64_t> partShape;
};

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONEMITTER_H
