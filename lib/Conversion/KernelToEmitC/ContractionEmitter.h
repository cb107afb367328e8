//===- ContractionEmitter.h - Small convolutions over threads ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_KERNELTOEMITC_CONTRACTIONEMITTER_H
#define TANDEM_LIB_CONVERSION_KERNELTOEMITC_CONTRACTIONEMITTER_H

#include "KernelSchedule.h"

#include "tandem/Analysis/Contraction/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tandem::conversion {

/// The most output channels of a thread, of which it has a vector.
inline constexpr int64_t kChannels = 8;
/// What divides the output channels of all convolutions that are generated.
inline constexpr int64_t kLeastChannels = 4;

/// A block computes some positions of one row for some output channels. What
/// they read of the data, with zeros around it, is a tile in shared memory, as
/// are their weights where those of adjacent channels are not adjacent. A
/// thread has 128 bytes of sums in registers: those of 8 channels and 4
/// positions, say. What all taps of a row read for these positions of one input
/// channel is loaded at once, and then a vector of weights for each tap.
class ContractionEmitter {
public:
  ContractionEmitter(MappedKernel &kernel, mlir::Operation *hero,
                     const Contraction &contraction,
                     mlir::linalg::GenericOp epilogue)
      : kernel(kernel), builder(kernel.builder), index(builder),
        contraction(contraction), row(contraction.spatial.back()), hero(hero),
        epilogue(epilogue), loc(hero->getLoc()) {}

  mlir::LogicalResult emit();

private:
  mlir::LogicalResult computeSchedule();
  bool areWeightsVectors() const;
  int64_t columnsOf(int64_t rowGroups) const;
  llvm::ArrayRef<Contraction::SpatialDim> outerDims() const {
    return llvm::ArrayRef(contraction.spatial).drop_back();
  }

  void findPlace();
  void fillTile();
  void fillWeights();
  int64_t blockChannels() const { return channelGroups * channels; }
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
  void accumulate();
  void accumulateTap(mlir::Value weight, mlir::Value data, mlir::Value at);
  mlir::LogicalResult storeResults();
  mlir::LogicalResult storeRun(mlir::Value position, RunStart start);
  mlir::LogicalResult storeEpilogue(Run run, RunStart start);
  void storeSums(llvm::ArrayRef<mlir::Value> dims, RunStart start);

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
  mlir::Value allocateShared(const llvm::Twine &name, int64_t count);
  mlir::Value allocateVariable(const llvm::Twine &name);
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
  mlir::Operation *hero;
  mlir::linalg::GenericOp epilogue;
  mlir::Location loc;
  mlir::Type computed;

  /// Output channels and positions of a thread.
  int64_t channels = kChannels, positions = 4;
  /// Elements that a thread stores at once, along the channels where those are
  /// the result's last dim, else along the row.
  int64_t width = kChannels;
  bool isChannelsLast = true;
  /// Threads side by side along channels, and along positions.
  int64_t channelGroups = 1, rowGroups = 1;
  int64_t channelTiles = 1, rowTiles = 1;
  /// The tile: taps of the outer dims, input channels, columns.
  int64_t tileRows = 1, tileColumns = 1;
  /// The columns that the taps of a row read for a thread's positions, in whole
  /// vectors; 0 where they are too many for its registers.
  int64_t threadColumns = 0;
  /// The index of the block in each batch dim and outer spatial dim.
  llvm::SmallVector<mlir::Value> batch, outer;
  /// The first position and channel of the block's, and the thread's groups,
  /// its first channel, and that among the block's.
  mlir::Value firstPosition, firstChannel, rowGroup, channel, channelInBlock;
  mlir::Value thread, tile, sums;
  /// The block's weights in shared memory, by product and channel; null where
  /// they are read from where they are.
  mlir::Value blockWeights;
  /// A vector of the thread's channels; null where there is none.
  mlir::Value bias;
};

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_CONTRACTIONEMITTER_H
