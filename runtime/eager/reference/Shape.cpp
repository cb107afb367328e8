//===- Shape.cpp - Reference: ops that move elements ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Wide.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::reference;

/// result[i] = operand at `start` + i * `strides`; elements of any type.
static void gatherStrided(const Tensor &operand, const Strides &strides,
                          int64_t start, Tensor &result) {
  const int64_t width = byteWidth(result.dtype());
  const char *from = operand.as<char>();
  char *to = result.as<char>();
  for (StridedIndex<1> i(result.shape(), {strides}, {start}); !i.done();
       i.next(), to += width)
    std::memcpy(to, from + i.offset(0) * width, width);
}

/// result at `start` + i * `strides` = operand[i].
static void scatterStrided(const Tensor &operand, const Strides &strides,
                           int64_t start, Tensor &result) {
  const int64_t width = byteWidth(result.dtype());
  const char *from = operand.as<char>();
  char *to = result.as<char>();
  for (StridedIndex<1> i(operand.shape(), {strides}, {start}); !i.done();
       i.next(), from += width)
    std::memcpy(to + i.offset(0) * width, from, width);
}

void reference::evaluateReshape(const OpDesc &op, Operands operands,
                                Tensor &result) {
  if (result.bytes() != 0)
    std::memcpy(result.data(), operands[0].data(), result.bytes());
}

void reference::evaluateTranspose(const OpDesc &op, Operands operands,
                                  Tensor &result) {
  const auto &permutation = op.attrs.AsTransposeAttrs()->permutation;
  const Strides own = rowMajorStrides(operands[0].shape());
  Strides strides{};
  for (size_t dim = 0; dim < permutation.size(); ++dim)
    strides[dim] = own[permutation[dim]];
  gatherStrided(operands[0], strides, 0, result);
}

void reference::evaluateBroadcast(const OpDesc &op, Operands operands,
                                  Tensor &result) {
  const auto &dims = op.attrs.AsBroadcastAttrs()->dims;
  const Shape &shape = operands[0].shape();
  const Strides own = rowMajorStrides(shape);
  Strides strides{};
  for (int dim = 0; dim < shape.rank(); ++dim)
    strides[dims[dim]] = shape[dim] == 1 ? 0 : own[dim];
  gatherStrided(operands[0], strides, 0, result);
}

void reference::evaluateSlice(const OpDesc &op, Operands operands,
                              Tensor &result) {
  const auto &attrs = *op.attrs.AsSliceAttrs();
  const Shape &shape = operands[0].shape();
  Strides strides = rowMajorStrides(shape);
  int64_t start = 0;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    start += strides[dim] * resolveSliceBound(attrs.starts[dim], shape[dim]);
    strides[dim] *= attrs.strides[dim];
  }
  gatherStrided(operands[0], strides, start, result);
}

/// Fills with the pad value, then places each element that stays inside (low
/// and high may be negative).
void reference::evaluatePad(const OpDesc &op, Operands operands,
                            Tensor &result) {
  const auto &attrs = *op.attrs.AsPadAttrs();
  const Shape &shape = operands[0].shape();
  withWideType(result.dtype(), [&]<typename T>(T) {
    const T fill = isFloat(result.dtype())
                       ? T(attrs.value)
                       : T(saturatingCast(attrs.value, result.dtype()));
    std::vector<T> values(result.shape().numElements(), fill);
    const std::vector<T> from = widen<T>(operands[0]);
    const Strides to = rowMajorStrides(result.shape());
    for (StridedIndex<1> i(shape, {rowMajorStrides(shape)}); !i.done();
         i.next()) {
      int64_t offset = 0;
      bool inside = true;
      for (int dim = 0; dim < shape.rank(); ++dim) {
        const int64_t at = attrs.low[dim] + i[dim] * (attrs.interior[dim] + 1);
        inside &= at >= 0 && at < result.shape()[dim];
        offset += at * to[dim];
      }
      if (inside)
        values[offset] = from[i.offset(0)];
    }
    narrow(values, result);
  });
}

void reference::evaluateConcat(const OpDesc &op, Operands operands,
                               Tensor &result) {
  const int axis = op.attrs.AsAxisAttrs()->axis;
  const Strides strides = rowMajorStrides(result.shape());
  int64_t start = 0;
  for (const Tensor &operand : operands) {
    scatterStrided(operand, strides, start, result);
    start += operand.shape()[axis] * strides[axis];
  }
}

void reference::evaluateIota(const OpDesc &op, Operands operands,
                             Tensor &result) {
  const int axis = op.attrs.AsIotaAttrs()->axis;
  std::vector<int64_t> values;
  for (StridedIndex<0> i(result.shape(), {}); !i.done(); i.next())
    values.push_back(i[axis]);
  narrow(values, result);
}

/// numpy.take(operand, clamp(indices), axis): the result's dims are those of
/// the operand before the axis, those of the indices, those after the axis.
void reference::evaluateGather(const OpDesc &op, Operands operands,
                               Tensor &result) {
  const Shape &shape = operands[0].shape();
  const int axis = op.attrs.AsGatherAttrs()->axis;
  const int indexRank = operands[1].shape().rank();
  const Strides own = rowMajorStrides(shape);
  const Strides indexOwn = rowMajorStrides(operands[1].shape());
  const std::vector<int64_t> indices = widen<int64_t>(operands[1]);

  Strides from{}, index{};
  for (int dim = 0; dim < result.shape().rank(); ++dim) {
    if (dim < axis)
      from[dim] = own[dim];
    else if (dim < axis + indexRank)
      index[dim] = indexOwn[dim - axis];
    else
      from[dim] = own[dim - indexRank + 1];
  }
  const int64_t width = byteWidth(result.dtype());
  char *to = result.as<char>();
  for (StridedIndex<2> i(result.shape(), {from, index}); !i.done();
       i.next(), to += width) {
    const int64_t at =
        std::clamp<int64_t>(indices[i.offset(1)], 0, shape[axis] - 1);
    std::memcpy(to,
                operands[0].as<char>() + (i.offset(0) + at * own[axis]) * width,
                width);
  }
}
