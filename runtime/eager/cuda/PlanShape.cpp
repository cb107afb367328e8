//===- PlanShape.cpp - Ops that move elements on a GPU --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"

#include <cstring>

using namespace tandem;
using namespace tandem::cuda;

namespace {

/// A loop that copies one element an index.
struct CopyLoop {
  int operand = 0;
  Shape dims;
  int64_t fromStart = 0, toStart = 0;
  /// The strides of the operand and of the result, in elements.
  std::array<Strides, 2> strides{};
};

/// Sizes from which tiles of 32 x 32 are better than single elements.
constexpr int64_t kLeastTransposed = 8;

/// The dim that a tensor is contiguous along, if it is long enough.
int contiguousDim(const CopyLoop &loop, int tensor) {
  for (int dim = 0; dim < loop.dims.rank(); ++dim)
    if (loop.strides[tensor][dim] == 1 && loop.dims[dim] >= kLeastTransposed)
      return dim;
  return -1;
}

LaunchPlan planTransposition(const CopyLoop &loop, DType dtype, int column,
                             int row) {
  constexpr int64_t kTile = 32;
  Shape batch;
  std::array<Strides, 2> strides{};
  for (int dim = 0; dim < loop.dims.rank(); ++dim) {
    if (dim == column || dim == row)
      continue;
    for (int tensor : {0, 1})
      strides[tensor][batch.rank()] = loop.strides[tensor][dim];
    batch.push_back(loop.dims[dim]);
  }
  LaunchPlan plan{KernelFamily::transpose, dtype, "transpose"};
  plan.blocks = divideUp(loop.dims[row], kTile) *
                divideUp(loop.dims[column], kTile) * batch.numElements();
  plan.pointers = {loop.operand, kResult};
  plan.values = {Indices{loop.dims[row], loop.dims[column], loop.fromStart,
                         loop.strides[0][row], loop.toStart,
                         loop.strides[1][column]}
                     .add(batch)
                     .add(strides[0])
                     .add(strides[1])};
  return plan;
}

LaunchPlan planElements(const CopyLoop &loop, DType dtype) {
  LaunchPlan plan{KernelFamily::shape, dtype, "copy"};
  const int64_t size = loop.dims.numElements();
  plan.blocks = blocksFor(size);
  plan.pointers = {loop.operand, kResult};
  plan.values = {Indices{size, loop.fromStart, loop.toStart}
                     .add(loop.dims)
                     .add(loop.strides[0])
                     .add(loop.strides[1])};
  return plan;
}

StepOfOp planCopy(CopyLoop loop, DType dtype) {
  mergeDims(loop.dims, loop.strides);
  const int64_t width = byteWidth(dtype);
  if (loop.dims.rank() == 0 ||
      (loop.dims.rank() == 1 && loop.strides[0][0] == 1 &&
       loop.strides[1][0] == 1))
    return CopyPlan{loop.operand, loop.fromStart * width, loop.toStart * width,
                    loop.dims.numElements() * width};
  const int column = contiguousDim(loop, 0), row = contiguousDim(loop, 1);
  if (column >= 0 && row >= 0 && column != row)
    return planTransposition(loop, dtype, column, row);
  return planElements(loop, dtype);
}

/// A loop over a dense result.
CopyLoop overResult(const OpSignature &signature) {
  CopyLoop loop;
  loop.dims = signature.result().shape;
  loop.strides[1] = rowMajorStrides(loop.dims);
  return loop;
}

CopyLoop loopOfTranspose(const OpSignature &signature) {
  CopyLoop loop = overResult(signature);
  const auto &permutation = signature.op.attrs.AsTransposeAttrs()->permutation;
  const Strides own = rowMajorStrides(signature.operands[0].shape);
  for (size_t dim = 0; dim < permutation.size(); ++dim)
    loop.strides[0][dim] = own[permutation[dim]];
  return loop;
}

CopyLoop loopOfBroadcast(const OpSignature &signature) {
  CopyLoop loop = overResult(signature);
  const auto &dims = signature.op.attrs.AsBroadcastAttrs()->dims;
  const Shape &shape = signature.operands[0].shape;
  const Strides own = rowMajorStrides(shape);
  for (int dim = 0; dim < shape.rank(); ++dim)
    loop.strides[0][dims[dim]] = shape[dim] == 1 ? 0 : own[dim];
  return loop;
}

CopyLoop loopOfSlice(const OpSignature &signature) {
  CopyLoop loop = overResult(signature);
  const auto &attrs = *signature.op.attrs.AsSliceAttrs();
  const Shape &shape = signature.operands[0].shape;
  loop.strides[0] = rowMajorStrides(shape);
  for (int dim = 0; dim < shape.rank(); ++dim) {
    loop.fromStart +=
        loop.strides[0][dim] * resolveSliceBound(attrs.starts[dim], shape[dim]);
    loop.strides[0][dim] *= attrs.strides[dim];
  }
  return loop;
}

CopyLoop loopOfReshape(const OpSignature &signature) {
  CopyLoop loop = overResult(signature);
  loop.strides[0] = loop.strides[1];
  return loop;
}

/// One copy.
OpPlan planLoop(const OpSignature &signature, const CopyLoop &loop) {
  return {{planCopy(loop, signature.result().dtype)}, {}};
}

/// The value of the padding as an element: the pad of nothing.
Expected<std::vector<std::byte>> paddingElement(const OpSignature &signature) {
  fb::PadAttrsT attrs;
  attrs.low = {1};
  attrs.high = attrs.interior = {0};
  attrs.value = signature.op.attrs.AsPadAttrs()->value;
  OpDesc op;
  op.kind = OpKind::pad;
  op.attrs.Set(attrs);
  const DType dtype = signature.result().dtype;
  TANDEM_ASSIGN_OR_RETURN(Tensor none, Tensor::allocate({dtype, {0}}));
  TANDEM_ASSIGN_OR_RETURN(Tensor one, Tensor::allocate({dtype, {1}}));
  TANDEM_RETURN_IF_ERROR(evaluateByReference(op, {&none, 1}, {&one, 1}));
  const auto *bytes = one.as<std::byte>();
  return std::vector<std::byte>(bytes, bytes + one.bytes());
}

} // namespace

Planned cuda::planReshape(const OpSignature &signature) {
  return planLoop(signature, loopOfReshape(signature));
}

Planned cuda::planTranspose(const OpSignature &signature) {
  return planLoop(signature, loopOfTranspose(signature));
}

Planned cuda::planBroadcast(const OpSignature &signature) {
  return planLoop(signature, loopOfBroadcast(signature));
}

Planned cuda::planSlice(const OpSignature &signature) {
  return planLoop(signature, loopOfSlice(signature));
}

/// One copy an operand.
Planned cuda::planConcat(const OpSignature &signature) {
  const auto axis = static_cast<int>(signature.op.attrs.AsAxisAttrs()->axis);
  CopyLoop loop = overResult(signature);
  OpPlan plan;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    loop.operand = static_cast<int>(i);
    loop.dims = signature.operands[i].shape;
    loop.strides[0] = rowMajorStrides(loop.dims);
    if (loop.dims.numElements() != 0)
      plan.steps.push_back(planCopy(loop, signature.result().dtype));
    loop.toStart += loop.dims[axis] * loop.strides[1][axis];
  }
  return plan;
}

Planned cuda::planPad(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsPadAttrs();
  const TensorType &result = signature.result();
  const Shape &shape = signature.operands[0].shape;
  Strides low{}, step{}, sizes{};
  for (int dim = 0; dim < shape.rank(); ++dim) {
    low[dim] = attrs.low[dim];
    step[dim] = attrs.interior[dim] + 1;
    sizes[dim] = shape[dim];
  }
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::shape, result.dtype, "pad", blocksFor(size)};
  plan.pointers = {0, kResult};
  TANDEM_ASSIGN_OR_RETURN(std::vector<std::byte> fill,
                          paddingElement(signature));
  plan.values = {Indices{size}
                     .add(result.shape)
                     .add(low)
                     .add(step)
                     .add(sizes)
                     .add(rowMajorStrides(shape)),
                 std::move(fill)};
  return OpPlan{{plan}, {}};
}

Planned cuda::planIota(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const auto axis = static_cast<int>(signature.op.attrs.AsIotaAttrs()->axis);
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::shape, result.dtype, "iota", blocksFor(size)};
  plan.pointers = {kResult};
  plan.values = {
      Indices{size, result.shape[axis], rowMajorStrides(result.shape)[axis]}};
  return OpPlan{{plan}, {}};
}

Planned cuda::planRandom(const OpSignature &signature) {
  const int64_t size = signature.result().shape.numElements();
  const int64_t blocks = divideUp(size, 4); // A thread has four words.
  LaunchPlan plan{KernelFamily::shape, DType::ui32, "random_words",
                  blocksFor(blocks)};
  plan.pointers = {0, 1, kResult};
  plan.values = {Indices{size}};
  plan.largest = size + 4;
  return OpPlan{{plan}, {}};
}

Planned cuda::planGather(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const Shape &shape = signature.operands[0].shape;
  const Shape &indices = signature.operands[1].shape;
  const auto axis = static_cast<int>(signature.op.attrs.AsGatherAttrs()->axis);
  const Strides own = rowMajorStrides(shape),
                indexOwn = rowMajorStrides(indices);
  std::array<Strides, 2> strides{};
  for (int dim = 0; dim < result.shape.rank(); ++dim) {
    if (dim < axis)
      strides[0][dim] = own[dim];
    else if (dim < axis + indices.rank())
      strides[1][dim] = indexOwn[dim - axis];
    else
      strides[0][dim] = own[dim - indices.rank() + 1];
  }
  Shape dims = result.shape;
  mergeDims(dims, strides);
  const int64_t size = dims.numElements();
  LaunchPlan plan{KernelFamily::shape, result.dtype, "gather_",
                  blocksFor(size)};
  plan.kernel += name(signature.operands[1].dtype);
  plan.pointers = {0, 1, kResult};
  plan.values = {Indices{size, shape[axis], own[axis]}
                     .add(dims)
                     .add(strides[0])
                     .add(strides[1])};
  return OpPlan{{plan}, {}};
}
