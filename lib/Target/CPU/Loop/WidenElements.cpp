//===- WidenElements.cpp - Short runs moved as one element ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/WidenElements.h"

#include "Loop/TransposeTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {

/// Whether the body yields the elements of its one input, by way of f32 or not.
static bool movesElements(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumResults() != 1)
    return false;
  Value value = op.getBody()->getTerminator()->getOperand(0);
  if (auto truncation = value.getDefiningOp<arith::TruncFOp>())
    if (auto extension = truncation.getIn().getDefiningOp<arith::ExtFOp>())
      value = extension.getIn();
  return value == op.getBody()->getArgument(0) &&
         value.getType() == getElementTypeOrSelf(op.getResult(0));
}

/// The type of an integer of as many bits as a run of `size` elements; null
/// where there is none that registers hold.
static IntegerType getWideType(Type element, int64_t size) {
  int64_t bits = llvm::alignTo(element.getIntOrFloatBitWidth(), 8) * size;
  return size > 1 && bits <= 64 && llvm::isPowerOf2_64(uint64_t(bits))
             ? IntegerType::get(element.getContext(), unsigned(bits))
             : IntegerType();
}

/// Returns the number of the run that each iteration reads, in runs of `size`
/// elements; nothing where the input does not consist of such runs.
static std::optional<AffineExpr> findRuns(linalg::GenericOp op, int64_t size) {
  std::optional<LoopStrides> access = getLoopStrides(op, 0);
  if (!access || access->strides.back() != 1 || access->origin % size != 0)
    return std::nullopt;
  AffineExpr run =
      getAffineConstantExpr(access->origin / size, op.getContext());
  for (auto [loop, stride] :
       llvm::enumerate(ArrayRef(access->strides).drop_back())) {
    if (stride % size != 0)
      return std::nullopt;
    run = run + getAffineDimExpr(loop, op.getContext()) * (stride / size);
  }
  return run;
}

linalg::GenericOp widenElements(linalg::GenericOp op) {
  if (!movesElements(op) || op.getNumLoops() < 2)
    return {};
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t size = sizes.pop_back_val();
  Value input = op.getDpsInputs().front();
  auto type = cast<RankedTensorType>(input.getType());
  IntegerType wide = getWideType(type.getElementType(), size);
  if (!wide || type.getNumElements() % size != 0)
    return {};
  std::optional<AffineExpr> run = findRuns(op, size);
  if (!run)
    return {};
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto runs = RankedTensorType::get({type.getNumElements() / size}, wide);
  Value source = UnrealizedConversionCastOp::create(builder, loc, runs, input)
                     .getResult(0);
  Value result = tensor::EmptyOp::create(builder, loc, sizes, wide);
  SmallVector<AffineMap> maps = {AffineMap::get(sizes.size(), 0, *run),
                                 builder.getMultiDimIdentityMap(sizes.size())};
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, result.getType(), source, result, maps, iterators,
      [](OpBuilder &inner, Location at, ValueRange elements) {
        linalg::YieldOp::create(inner, at, elements.front());
      });
}

} // namespace tandem
