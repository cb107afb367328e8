//===- InterleavedReads.cpp - Strided reads that share loads --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/InterleavedReads.h"

#include "Loop/TransposeTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {

/// The most reads of one run whose vectors stay in registers.
static constexpr int64_t kMaxReads = 8;

namespace {
/// Inputs that read one run, by the place of their element in it.
struct Interleaved {
  LoopStrides access;
  Value tensor;
  SmallVector<BlockArgument, kMaxReads> arguments;
};
} // namespace

/// The place of input number `input` in one of `groups`, which it is added to.
static void addInput(linalg::GenericOp op, OpOperand *input,
                     SmallVectorImpl<Interleaved> &groups) {
  std::optional<LoopStrides> access =
      getLoopStrides(op, input->getOperandNumber());
  if (!access || access->strides.empty())
    return;
  int64_t step = access->strides.back();
  Type type = getElementTypeOrSelf(input->get().getType());
  if (step < 2 || step > kMaxReads || !llvm::isPowerOf2_64(uint64_t(step)) ||
      type.isInteger(1))
    return;
  int64_t place = access->origin % step;
  access->origin -= place;
  auto *group = llvm::find_if(groups, [&](const Interleaved &other) {
    return other.tensor == input->get() &&
           other.access.strides == access->strides &&
           other.access.origin == access->origin;
  });
  if (group == groups.end()) {
    groups.push_back({*access, input->get(), {}});
    group = std::prev(groups.end());
    group->arguments.resize(size_t(step));
  }
  group->arguments[size_t(place)] = op.getMatchingBlockArgument(input);
}

/// Takes vectors of interleaved elements apart: once per bit of their number,
/// the elements at even places go to the first half of the vectors.
static SmallVector<Value> deinterleave(OpBuilder &builder, Location loc,
                                       SmallVector<Value> vectors,
                                       int64_t lanes) {
  SmallVector<int32_t> even, odd;
  for (int32_t lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  for (size_t count = vectors.size(); count > 1; count /= 2) {
    SmallVector<Value> shuffled;
    for (const auto &mask : {even, odd})
      for (size_t i = 0; i < vectors.size(); i += 2)
        shuffled.push_back(LLVM::ShuffleVectorOp::create(
            builder, loc, vectors[i], vectors[i + 1], mask));
    vectors = std::move(shuffled);
  }
  return vectors;
}

/// The run that begins at `loops`, in order.
static SmallVector<Value> loadRun(OpBuilder &builder, Location loc,
                                  const Interleaved &group, ValueRange loops,
                                  int64_t lanes, const Buffer &buffer) {
  IndexBuilder at(builder, loc);
  Value offset = at.index(group.access.origin);
  for (auto [loop, stride] : llvm::zip_equal(loops, group.access.strides))
    if (stride != 0)
      offset = at.add(offset, at.scale(loop, stride));
  Type element = buffer.type.getElementType();
  Type stored = element.isBF16() ? Type(builder.getI16Type()) : element;
  auto type = VectorType::get({lanes}, stored);
  SmallVector<Value> vectors;
  for (size_t i = 0; i < group.arguments.size(); ++i) {
    Value first = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), at.add(offset, int64_t(i) * lanes));
    Value pointer = LLVM::GEPOp::create(builder, loc, buffer.pointer.getType(),
                                        stored, buffer.pointer, first,
                                        LLVM::GEPNoWrapFlags::inbounds);
    vectors.push_back(LLVM::LoadOp::create(builder, loc, type, pointer,
                                           stored.getIntOrFloatBitWidth() / 8));
  }
  return vectors;
}

void bindInterleavedReads(LaneEmitter &emitter, OpBuilder &builder,
                          linalg::GenericOp op, ValueRange loops, int64_t lanes,
                          function_ref<Buffer(Value)> getBuffer) {
  SmallVector<Interleaved> groups;
  for (OpOperand *input : op.getDpsInputOperands())
    addInput(op, input, groups);
  Location loc = op.getLoc();
  for (const Interleaved &group : groups) {
    if (!llvm::all_of(group.arguments,
                      [](BlockArgument each) { return bool(each); }))
      continue;
    Buffer buffer = getBuffer(group.tensor);
    SmallVector<Value> vectors =
        deinterleave(builder, loc,
                     loadRun(builder, loc, group, loops, lanes, buffer), lanes);
    for (auto [argument, vector] : llvm::zip_equal(group.arguments, vectors)) {
      Type element = argument.getType();
      emitter.bindValue(
          argument,
          element.isBF16()
              ? arith::BitcastOp::create(
                    builder, loc, VectorType::get({lanes}, element), vector)
                    .getResult()
              : vector);
    }
  }
}

} // namespace tandem
