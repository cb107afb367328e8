//===- ContractionQuads.cpp - Products of four bytes ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"

#include "Conversion/KernelToEmitC/Patterns.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;

Value ContractionEmitter::loadQuad(Value memory, Value from, int64_t stride,
                                   ArrayRef<int64_t> otherStrides,
                                   Value number) {
  auto isAligned = [](int64_t distance) { return distance % 4 == 0; };
  const int64_t inputs = contraction.inputChannels;
  const bool isVector =
      stride == 1 && isAligned(inputs) && llvm::all_of(otherStrides, isAligned);
  Value vector;
  if (isVector)
    vector = vector::LoadOp::create(builder, named("bytes"),
                                    VectorType::get(4, builder.getI8Type()),
                                    memory, from);
  Value quad = createZero("quad");
  {
    OpBuilder::InsertionGuard guard(builder);
    Value byte = beginLoop("byte", constant(0), std::min<int64_t>(inputs, 4), 1,
                           /*unroll=*/-1);
    if (inputs > 4 && !isAligned(inputs))
      beginIf(isBelow(scaled(number, 4, byte), inputs));
    Value value =
        isVector ? vector::ExtractOp::create(builder, memory.getLoc(), vector,
                                             OpFoldResult(byte))
                       .getResult()
                 : load(memory.getLoc(), memory, scaled(byte, stride, from));
    value = arith::ExtUIOp::create(builder, loc, computed, value);
    Value bits = arith::IndexCastOp::create(builder, loc, computed,
                                            index.mul(loc, byte, constant(8)));
    value = arith::ShLIOp::create(builder, loc, value, bits);
    Value sum = load(quad.getLoc(), quad, {});
    store(arith::OrIOp::create(builder, loc, sum, value), quad, {});
  }
  return load(quad.getLoc(), quad, {});
}

Value ContractionEmitter::loadDataQuad(Value memory, Value from, Value number) {
  SmallVector<int64_t> strides;
  for (const Contraction::BatchDim &dim : contraction.batch)
    strides.push_back(dim.dataStride);
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    strides.push_back(dim.dataStride);
  return loadQuad(memory, from, contraction.inputDataStride, strides, number);
}

Value ContractionEmitter::loadWeightsQuad(Value memory, Value from,
                                          Value number) {
  SmallVector<int64_t> strides = {contraction.outputBlockStride};
  if (contraction.outputBlock > 1)
    strides.push_back(contraction.outputStride);
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    strides.push_back(dim.weightsStride);
  return loadQuad(memory, from, contraction.inputWeightsStride, strides,
                  number);
}

Value ContractionEmitter::addTerm(Value sum, Value data, Value weight) {
  if (!areQuads)
    return math::FmaOp::create(builder, loc, data, weight, sum);
  // No op of MLIR multiplies quads that are integers of 32 bits.
  ArrayAttr type = builder.getArrayAttr(TypeAttr::get(contraction.dataType));
  return emitc::CallOpaqueOp::create(
             builder, loc, computed, conversion::kAddQuadProduct,
             ValueRange{sum, data, weight}, ArrayAttr(), type)
      .getResult(0);
}
