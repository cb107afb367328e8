//===- SizeInference.cpp - Free dims from operands to results -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/ImportState.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// A size for each dim of a result; nothing where it is not known how it
/// follows from those of the operands.
using MaybeSizes = SmallVector<std::optional<Size>, 4>;

/// The result of broadcasting, as in NumPy.
std::optional<Size> broadcast(const std::optional<Size> &lhs,
                              const std::optional<Size> &rhs) {
  if (lhs == rhs || rhs == Size(1))
    return lhs;
  if (lhs == Size(1))
    return rhs;
  // A size that is no 1 is the result's, whatever the other is.
  if (lhs && lhs->value())
    return lhs;
  return rhs && rhs->value() ? rhs : std::nullopt;
}

MaybeSizes broadcastAll(ArrayRef<Sizes> operands, size_t rank) {
  MaybeSizes result(rank, Size(1));
  for (const Sizes &operand : operands)
    for (size_t i = 0; i < operand.size(); ++i) {
      std::optional<Size> &size = result[rank - operand.size() + i];
      size = broadcast(size, operand[i]);
    }
  return result;
}

MaybeSizes asMaybe(const Sizes &sizes) {
  return MaybeSizes(sizes.begin(), sizes.end());
}

MaybeSizes ofReshape(ir::ReshapeOp op, const Sizes &input) {
  MaybeSizes result;
  std::optional<Size> rest = productOf(input);
  for (int64_t size : op.getShape())
    if (size >= 0 && rest)
      rest = divide(*rest, Size(size));
  for (int64_t size : op.getShape())
    result.push_back(size < 0 ? rest : Size(size));
  return result;
}

MaybeSizes ofConcat(ir::ConcatOp op, ArrayRef<Sizes> operands) {
  MaybeSizes result = asMaybe(operands[0]);
  std::optional<Size> &along = result[op.getAxis()];
  for (const Sizes &operand : operands.drop_front())
    along = along ? add(*along, operand[op.getAxis()]) : along;
  return result;
}

MaybeSizes ofSlice(ir::SliceOp op, const Sizes &input) {
  MaybeSizes result;
  for (auto [size, start, limit, stride] :
       llvm::zip(input, op.getStarts(), op.getLimits(), op.getStrides())) {
    bool isWhole = start == 0 && stride == 1 &&
                   limit == std::numeric_limits<int64_t>::max();
    result.push_back(isWhole ? std::optional(size) : std::nullopt);
  }
  return result;
}

MaybeSizes ofGather(ir::GatherOp op, ArrayRef<Sizes> operands) {
  MaybeSizes result = asMaybe(operands[0]);
  auto *at = result.erase(result.begin() + op.getAxis());
  result.insert(at, operands[1].begin(), operands[1].end());
  return result;
}

MaybeSizes ofReduce(ir::ReduceOp op, const Sizes &input) {
  MaybeSizes result;
  for (auto [i, size] : llvm::enumerate(input))
    if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(i)))
      result.push_back(size);
    else if (op.getKeepDims())
      result.push_back(Size(1));
  return result;
}

MaybeSizes ofFFT(ir::FFTOp op, const Sizes &input) {
  MaybeSizes result = asMaybe(input);
  if (op.getKind() == ir::FFTKind::rfft) {
    result[op.getAxis()] = std::nullopt;
    result.push_back(Size(2));
  } else if (op.getKind() == ir::FFTKind::irfft) {
    result[op.getAxis()] = Size(op.getLength());
    result.pop_back();
  }
  return result;
}

MaybeSizes ofMatmul(ir::MatmulOp op, ArrayRef<Sizes> operands) {
  Sizes lhs = operands[0], rhs = operands[1];
  Size rows = lhs[lhs.size() - (op.getTransposeLhs() ? 1 : 2)];
  Size columns = rhs[rhs.size() - (op.getTransposeRhs() ? 2 : 1)];
  lhs.truncate(lhs.size() - 2);
  rhs.truncate(rhs.size() - 2);
  MaybeSizes result =
      broadcastAll({lhs, rhs}, std::max(lhs.size(), rhs.size()));
  result.push_back(rows);
  result.push_back(columns);
  return result;
}

/// The sizes for an op with the batch in front; those of other dims are left
/// open.
MaybeSizes ofBatch(Operation *op, const Sizes &input) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  MaybeSizes result(type.getRank(), std::nullopt);
  result[0] = input[0];
  return result;
}

/// The dims that are not resized keep their sizes.
MaybeSizes ofResize(ir::ResizeOp op, const Sizes &input) {
  MaybeSizes result = asMaybe(input);
  for (int64_t dim : op.getDims())
    result[dim] = std::nullopt;
  return result;
}

MaybeSizes infer(Operation *op, ArrayRef<Sizes> operands) {
  auto rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (isa<ir::ElementwiseOpInterface>(op))
    return broadcastAll(operands, rank);
  return llvm::TypeSwitch<Operation *, MaybeSizes>(op)
      .Case<ir::SoftmaxOp, ir::BatchNormOp, ir::LayerNormOp, ir::ScanOp>(
          [&](auto) { return asMaybe(operands[0]); })
      .Case([&](ir::ReshapeOp reshape) {
        return ofReshape(reshape, operands[0]);
      })
      .Case([&](ir::TransposeOp transpose) {
        MaybeSizes result;
        for (int64_t dim : transpose.getPermutation())
          result.push_back(operands[0][dim]);
        return result;
      })
      .Case([&](ir::ConcatOp concat) { return ofConcat(concat, operands); })
      .Case([&](ir::SliceOp slice) { return ofSlice(slice, operands[0]); })
      .Case([&](ir::GatherOp gather) { return ofGather(gather, operands); })
      .Case([&](ir::ReduceOp reduce) { return ofReduce(reduce, operands[0]); })
      .Case([&](ir::ResizeOp resize) { return ofResize(resize, operands[0]); })
      .Case([&](ir::FFTOp fft) { return ofFFT(fft, operands[0]); })
      .Case([&](ir::MatmulOp matmul) { return ofMatmul(matmul, operands); })
      .Case<ir::ConvOp, ir::ConvBackwardDataOp, ir::MaxPoolOp, ir::AvgPoolOp>(
          [&](Operation *window) { return ofBatch(window, operands[0]); })
      .Default([&](Operation *) { return MaybeSizes(rank, std::nullopt); });
}

} // namespace

/// All results of an op have the same sizes, apart from dims of static sizes.
Sizes ImportState::inferSizes(OpResult result) {
  Operation *op = result.getOwner();
  SmallVector<Sizes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(sizesOf(operand));
  auto type = cast<RankedTensorType>(result.getType());
  Sizes sizes;
  for (auto [dim, size] : llvm::zip_equal(type.getShape(), infer(op, operands)))
    if (!ShapedType::isDynamic(dim))
      sizes.push_back(Size(dim));
    else
      sizes.push_back(size ? *size : freeDim());
  return sizes;
}

Sizes ImportState::sizesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  // What is remembered may be of a value that is no more, whose place this one
  // has taken; those with free dims have set theirs since.
  if (type.hasStaticShape())
    return Sizes(type.getShape().begin(), type.getShape().end());
  if (auto known = sizes.find(value); known != sizes.end())
    return known->second;
  Sizes result;
  for (int64_t dim : type.getShape())
    result.push_back(ShapedType::isDynamic(dim) ? freeDim() : Size(dim));
  sizes[value] = result;
  return result;
}

void ImportState::setSizes(Value value, Sizes known) {
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
    sizes[value] = std::move(known);
}

} // namespace tandem::onnx
