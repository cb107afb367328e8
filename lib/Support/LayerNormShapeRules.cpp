//===- LayerNormShapeRules.cpp - Layer norms and their gradients ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   layer_norm  C1  the operands have one element type, a float
//               C2  the scale has one dim or more, which are the last dims of
//                   the input
//               C3  the offset has the shape of the scale
//               C4  epsilon is not NaN
//   layer_norm_backward
//               C1  the gradient, the input and the scale have one element
//                   type, a float
//               C2  the gradient and the input have one shape
//               C3  the scale has one dim or more, which are the last dims of
//                   the input
//               C4  the mean and the inverse deviation have the type of the
//                   statistics of a layer_norm
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::shape_rules;

/// Returns true if the last dims of `shape`, as many as `last` has, are equal
/// to those of `last`. Dynamic dims of `shape` get the sizes of `last`.
static bool mergeLastDims(Shape &shape, const Shape &last) {
  const int first = shape.rank() - last.rank();
  if (first < 0)
    return false;
  for (int i = 0; i < last.rank(); ++i) {
    const auto merged = mergeDims(shape[first + i], last[i]);
    if (!merged)
      return false;
    shape[first + i] = *merged;
  }
  return true;
}

static bool mergeShapes(Shape &shape, const Shape &other) {
  return shape.rank() == other.rank() && mergeLastDims(shape, other);
}

static bool haveOneFloatType(Operands operands) {
  return isFloat(operands[0].dtype) &&
         std::all_of(operands.begin(), operands.end(),
                     [&](const TensorType &type) {
                       return type.dtype == operands[0].dtype;
                     });
}

Expected<TensorType> shape_rules::inferLayerNorm(const OpDesc &op,
                                                 Operands operands) {
  TensorType result = operands[0];
  if (!haveOneFloatType(operands))
    return broken(op.kind, 1, "operands of types ", operands[0].dtype, ", ",
                  operands[1].dtype, " and ", operands[2].dtype);
  const Shape &scale = operands[1].shape;
  if (scale.rank() == 0 || !mergeLastDims(result.shape, scale))
    return broken(op.kind, 2, "a scale of type ", operands[1],
                  " for an input of type ", operands[0]);
  if (operands[2].shape.rank() != scale.rank() ||
      !mergeLastDims(result.shape, operands[2].shape))
    return broken(op.kind, 3, "an offset of type ", operands[2],
                  " for a scale of type ", operands[1]);
  const double epsilon = op.attrs.AsLayerNormAttrs()->epsilon;
  if (std::isnan(epsilon))
    return broken(op.kind, 4, "epsilon is NaN");
  return result;
}

Expected<TensorType> shape_rules::inferLayerNormBackward(const OpDesc &op,
                                                         Operands operands) {
  TensorType result = operands[1];
  if (!haveOneFloatType(operands.first(3)))
    return broken(op.kind, 1, "operands of types ", operands[0].dtype, ", ",
                  operands[1].dtype, " and ", operands[2].dtype);
  if (!mergeShapes(result.shape, operands[0].shape))
    return broken(op.kind, 2, "a gradient of type ", operands[0],
                  " for an input of type ", operands[1]);
  const Shape &scale = operands[2].shape;
  if (scale.rank() == 0 || !mergeLastDims(result.shape, scale))
    return broken(op.kind, 3, "a scale of type ", operands[2],
                  " for an input of type ", operands[1]);
  TensorType statistics = statisticsType(result, scale.rank());
  for (const TensorType &type : operands.subspan(3)) {
    const TensorType expected = statistics;
    if (type.dtype != expected.dtype ||
        !mergeShapes(statistics.shape, type.shape))
      return broken(op.kind, 4, "statistics of type ", type, " instead of ",
                    expected);
  }
  for (int i = 0; i < result.shape.rank() - scale.rank(); ++i)
    result.shape[i] = statistics.shape[i];
  return result;
}
