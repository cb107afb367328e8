//===- MatrixTileEmitter.cpp - Tiles of a matrix unit ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/MatrixTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

/// The bytes of a row of sums or of weights in a tile register.
static constexpr int64_t kRowBytes = 64;

MatrixTileEmitter::MatrixTileEmitter(OpBuilder &builder, Location loc,
                                     const TileProblem &problem,
                                     KernelScratch &scratch)
    : TileEmitter(builder, loc, problem),
      registers(strategy.getTileRegisters()),
      rowsOfRegister(strategy.rows / registers),
      memory(scratch.allocate(builder.getI32Type(),
                              strategy.rows * strategy.getLanes())) {
  mostUnrolled = 0; // No tile registers are left for a second step.
}

Value MatrixTileEmitter::size(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI16Type(),
                                  builder.getI16IntegerAttr(int16_t(value)));
}

Value MatrixTileEmitter::callX86(StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, LLVM::LLVMX86AMXType::get(builder.getContext()),
             builder.getStringAttr("llvm.x86." + name + ".internal"), operands)
      .getResult(0);
}

Value MatrixTileEmitter::loadRegister(int64_t rows, int64_t bytes,
                                      Value pointer, int64_t stride) {
  Value step = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(stride));
  return callX86("tileloadd64", {size(rows), size(bytes), pointer, step});
}

/// A step takes the inputs that one instruction multiplies
/// (ContractionStrategy::matrixInputs), which may belong to several taps.
SmallVector<Value> MatrixTileEmitter::emitTile() {
  Offsets offsets = getFirstOffsets(*tile);
  offsets.data = add(offsets.data, -getRowsBefore(*tile) * getRowStep());
  Levels levels = getOuterTaps();
  Level inputs = getInputs(contraction.inputsTogether);
  appendTaps(levels, getTaps(getAllTaps()), inputs);
  const int64_t quads = strategy.matrixInputs / contraction.inputsTogether;
  levels.push_back({inputs.count / quads, quads * inputs.dataStep,
                    quads * inputs.weightsStep});
  Accumulators zeros;
  for (int64_t i = 0; i < registers * tile->vectors; ++i)
    zeros.push_back(
        callX86("tilezero", {size(rowsOfRegister), size(kRowBytes)}));
  return emitLevels(levels, offsets, zeros,
                    [&](Value, Offsets at, const Accumulators &before) {
                      return emitProducts(at, inputs.weightsStep, before);
                    });
}

SmallVector<Value> MatrixTileEmitter::emitProducts(Offsets offsets,
                                                   int64_t quadStep,
                                                   const Accumulators &sums) {
  const int64_t inputs = strategy.matrixInputs,
                together = contraction.inputsTogether;
  SmallVector<Value> ofRegister;
  for (int64_t i = 0; i < registers; ++i)
    ofRegister.push_back(loadRegister(
        rowsOfRegister, inputs,
        getPointer(data, offsets.data, i * rowsOfRegister * getRowStep()),
        getRowStep()));
  const StringRef product =
      contraction.dataType.isUnsignedInteger() ? "tdpbusd" : "tdpbssd";
  Accumulators result = sums;
  for (int64_t v = 0; v < tile->vectors; ++v) {
    Value ofVector = loadRegister(
        inputs / together, kRowBytes,
        getPointer(weights, offsets.weights, together * v * width), quadStep);
    for (int64_t i = 0; i < registers; ++i) {
      Value &sum = result[i * tile->vectors + v];
      sum = callX86(product, {size(rowsOfRegister), size(kRowBytes),
                              size(inputs), sum, ofRegister[i], ofVector});
    }
  }
  return result;
}

/// Stores all tile registers to `memory`, in which the rows of the tile follow
/// one another.
void MatrixTileEmitter::store(ArrayRef<Value> sums) {
  const auto vectors = int64_t(sums.size()) / registers;
  const int64_t stride = vectors * kRowBytes;
  Value step = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(stride));
  for (auto [number, sum] : llvm::enumerate(sums)) {
    const int64_t row = int64_t(number) / vectors * rowsOfRegister,
                  v = int64_t(number) % vectors;
    Value pointer = LLVM::GEPOp::create(
        builder, loc, memory.getType(), builder.getI8Type(), memory,
        ArrayRef<LLVM::GEPArg>(int32_t(row * stride + v * kRowBytes)));
    LLVM::CallIntrinsicOp::create(
        builder, loc, /*resultType=*/Type(),
        builder.getStringAttr("llvm.x86.tilestored64.internal"),
        ValueRange{size(rowsOfRegister), size(kRowBytes), pointer, step, sum});
  }
}

void MatrixTileEmitter::finish(const ContractionTile &which,
                               ArrayRef<Value> sums,
                               EmitEpilogue emitEpilogue) {
  store(sums);
  const auto emitRow = [&](Value row) {
    ContractionTile part = which;
    part.rows = 1;
    part.knownPosition.reset();
    part.position = add(which.position, row);
    Value first = scale(add(row, getRowsBefore(which)), which.vectors * width);
    SmallVector<Value> ofRow;
    for (int64_t v = 0; v < which.vectors; ++v) {
      Value at = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            add(first, v * width));
      ofRow.push_back(LLVM::LoadOp::create(
          builder, loc, vectorType,
          LLVM::GEPOp::create(builder, loc, memory.getType(),
                              builder.getI32Type(), memory, ValueRange(at)),
          kRowBytes));
    }
    emitEpilogue(part, ofRow);
  };
  forEach(index(which.rows), emitRow);
}

} // namespace tandem
