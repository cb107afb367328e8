//===- Shape.cpp - Ops that move elements -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "StridedCopy.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

static bool isEmpty(const Shape &shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

namespace {
/// One copy of the operand.
class CopyOp final : public PreparedOp {
public:
  explicit CopyOp(const StridedCopy &copy) : copy(copy) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    copy.run(operands[0].data(), results[0].data());
    return {};
  }

private:
  StridedCopy copy;
};
} // namespace

/// A copy that fills the result in its own order.
static Prepared copyToResult(const Signature &signature,
                             const Strides &inStrides, int64_t inStart = 0) {
  const TensorType &result = signature.result();
  return std::make_unique<CopyOp>(StridedCopy(result.shape, inStrides, inStart,
                                              rowMajorStrides(result.shape), 0,
                                              byteWidth(result.dtype)));
}

Prepared eager::prepareReshape(const Signature &signature) {
  return copyToResult(signature, rowMajorStrides(signature.result().shape));
}

Prepared eager::prepareTranspose(const Signature &signature) {
  const auto &permutation = signature.op.attrs.AsTransposeAttrs()->permutation;
  const Strides own = rowMajorStrides(signature.operands[0].shape);
  Strides strides{};
  for (size_t dim = 0; dim < permutation.size(); ++dim)
    strides[dim] = own[permutation[dim]];
  return copyToResult(signature, strides);
}

Prepared eager::prepareBroadcast(const Signature &signature) {
  const auto &dims = signature.op.attrs.AsBroadcastAttrs()->dims;
  const Shape &shape = signature.operands[0].shape;
  const Strides own = rowMajorStrides(shape);
  Strides strides{};
  for (int dim = 0; dim < shape.rank(); ++dim)
    strides[dims[dim]] = shape[dim] == 1 ? 0 : own[dim];
  return copyToResult(signature, strides);
}

Prepared eager::prepareSlice(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsSliceAttrs();
  const Shape &shape = signature.operands[0].shape;
  Strides strides = rowMajorStrides(shape);
  int64_t start = 0;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    start += strides[dim] * resolveSliceBound(attrs.starts[dim], shape[dim]);
    strides[dim] *= attrs.strides[dim];
  }
  return copyToResult(signature, strides, start);
}

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

namespace {
/// The values along the axis, made once, spread over the result.
class IotaOp final : public PreparedOp {
public:
  IotaOp(Tensor values, const StridedCopy &spread)
      : values(std::move(values)), spread(spread) {}

  Status run(const StepContext &, std::span<const Tensor>,
             std::span<Tensor> results) const override {
    spread.run(values.data(), results[0].data());
    return {};
  }

private:
  Tensor values;
  StridedCopy spread;
};
} // namespace

/// [0, size) in the result's type, as the reference rounds or wraps it.
static Expected<Tensor> countUp(DType dtype, int64_t size) {
  const TensorType type{dtype, {size}};
  TANDEM_ASSIGN_OR_RETURN(Tensor values, Tensor::allocate(type));
  OpDesc op;
  op.kind = OpKind::iota;
  fb::IotaAttrsT attrs;
  attrs.axis = 0;
  attrs.type = std::make_unique<fb::TensorTypeT>(toFlat(type));
  op.attrs.Set(std::move(attrs));
  TANDEM_RETURN_IF_ERROR(evaluateByReference(op, {}, {&values, 1}));
  return values;
}

Prepared eager::prepareIota(const Signature &signature) {
  const int axis = signature.op.attrs.AsIotaAttrs()->axis;
  const TensorType &result = signature.result();
  Expected<Tensor> values = countUp(result.dtype, result.shape[axis]);
  if (!values)
    return nullptr;
  Strides strides{};
  strides[axis] = 1;
  return std::make_unique<IotaOp>(std::move(*values),
                                  StridedCopy(result.shape, strides, 0,
                                              rowMajorStrides(result.shape), 0,
                                              byteWidth(result.dtype)));
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

namespace {
class PadOp final : public PreparedOp {
public:
  /// `fill` is one element; `copy` places the operand, if it has elements.
  PadOp(Tensor fill, const StridedCopy &spread, std::vector<StridedCopy> copy)
      : fill(std::move(fill)), spread(spread), copy(std::move(copy)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    spread.run(fill.data(), results[0].data());
    for (const StridedCopy &part : copy)
      part.run(operands[0].data(), results[0].data());
    return {};
  }

private:
  Tensor fill;
  StridedCopy spread;
  std::vector<StridedCopy> copy;
};
} // namespace

/// The pad value as one element of the type.
static Expected<Tensor> convertFill(double value, DType dtype) {
  TANDEM_ASSIGN_OR_RETURN(Tensor wide, Tensor::allocate({DType::f64, {}}));
  *wide.as<double>() = value;
  const TensorType type{dtype, {}};
  TANDEM_ASSIGN_OR_RETURN(Tensor fill, Tensor::allocate(type));
  OpDesc op;
  op.kind = OpKind::cast;
  fb::CastAttrsT attrs;
  attrs.dtype = dtype;
  op.attrs.Set(attrs);
  TANDEM_RETURN_IF_ERROR(evaluateByReference(op, {&wide, 1}, {&fill, 1}));
  return fill;
}

Prepared eager::preparePad(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsPadAttrs();
  const TensorType &result = signature.result();
  const Shape &shape = signature.operands[0].shape;
  Expected<Tensor> fill = convertFill(attrs.value, result.dtype);
  if (!fill)
    return nullptr;
  const int64_t width = byteWidth(result.dtype);
  const Strides own = rowMajorStrides(result.shape);
  Strides strides = own;
  int64_t start = 0;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    if (attrs.low[dim] < 0 || attrs.high[dim] < 0)
      return nullptr;
    start += own[dim] * attrs.low[dim];
    strides[dim] *= attrs.interior[dim] + 1;
  }
  std::vector<StridedCopy> copy;
  if (!isEmpty(shape))
    copy.emplace_back(shape, rowMajorStrides(shape), 0, strides, start, width);
  return std::make_unique<PadOp>(
      std::move(*fill), StridedCopy(result.shape, Strides{}, 0, own, 0, width),
      std::move(copy));
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

namespace {
class ConcatOp final : public PreparedOp {
public:
  struct Part {
    size_t operand;
    StridedCopy copy;
  };
  explicit ConcatOp(std::vector<Part> parts) : parts(std::move(parts)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    for (const Part &part : parts)
      part.copy.run(operands[part.operand].data(), results[0].data());
    return {};
  }

private:
  std::vector<Part> parts;
};
} // namespace

Prepared eager::prepareConcat(const Signature &signature) {
  const int axis = signature.op.attrs.AsAxisAttrs()->axis;
  const TensorType &result = signature.result();
  const Strides strides = rowMajorStrides(result.shape);
  std::vector<ConcatOp::Part> parts;
  int64_t start = 0;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const Shape &shape = signature.operands[i].shape;
    if (!isEmpty(shape))
      parts.push_back({i, StridedCopy(shape, rowMajorStrides(shape), 0, strides,
                                      start, byteWidth(result.dtype))});
    start += shape[axis] * strides[axis];
  }
  return std::make_unique<ConcatOp>(std::move(parts));
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

namespace {
template <typename Index> class GatherOp final : public PreparedOp {
public:
  GatherOp(int64_t outer, int64_t axisSize, int64_t count, int64_t rowBytes)
      : outer(outer), axisSize(axisSize), count(count), rowBytes(rowBytes) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *from = operands[0].as<char>();
    const Index *indices = operands[1].as<Index>();
    char *to = results[0].as<char>();
    parallelFor(outer * count, grainFor(rowBytes),
                [&](int64_t begin, int64_t end) {
                  // Each part of the range that is in one block of the operand.
                  for (int64_t length; begin < end; begin += length) {
                    const int64_t block = begin / count, first = begin % count;
                    length = std::min(count - first, end - begin);
                    copyRows(from + block * axisSize * rowBytes,
                             indices + first, length, to + begin * rowBytes);
                  }
                });
    return {};
  }

private:
  void copyRows(const char *from, const Index *indices, int64_t length,
                char *to) const {
    switch (rowBytes) { // Rows of one element, without a call for each.
    case 1:
      return copyRowsOf<1>(from, indices, length, to);
    case 2:
      return copyRowsOf<2>(from, indices, length, to);
    case 4:
      return copyRowsOf<4>(from, indices, length, to);
    case 8:
      return copyRowsOf<8>(from, indices, length, to);
    default:
      for (int64_t i = 0; i < length; ++i)
        std::memcpy(to + i * rowBytes, from + rowOf(indices[i]) * rowBytes,
                    rowBytes);
    }
  }

  template <int64_t bytes>
  void copyRowsOf(const char *from, const Index *indices, int64_t length,
                  char *to) const {
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(to + i * bytes, from + rowOf(indices[i]) * bytes, bytes);
  }

  int64_t rowOf(int64_t index) const {
    return std::clamp<int64_t>(index, 0, axisSize - 1);
  }

  int64_t outer, axisSize, count, rowBytes;
};
} // namespace

Prepared eager::prepareGather(const Signature &signature) {
  const Shape &shape = signature.operands[0].shape;
  const int axis = signature.op.attrs.AsGatherAttrs()->axis;
  const int64_t outer = Shape(shape.span().first(axis)).numElements();
  const int64_t rowBytes = Shape(shape.span().subspan(axis + 1)).numElements() *
                           byteWidth(signature.result().dtype);
  const int64_t count = signature.operands[1].shape.numElements();
  if (signature.operands[1].dtype == DType::i32)
    return std::make_unique<GatherOp<int32_t>>(outer, shape[axis], count,
                                               rowBytes);
  return std::make_unique<GatherOp<int64_t>>(outer, shape[axis], count,
                                             rowBytes);
}
