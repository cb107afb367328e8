//===- WindowOps.cpp - Windows, reductions, normalizations ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

static_assert(static_cast<int>(ReduceKind::argmax) ==
                  static_cast<int>(fb::ReduceKind::argmax),
              "ReduceKind must be numbered as in Op.fbs");

static_assert(
    static_cast<int>(ResizeMode::cubic) ==
            static_cast<int>(fb::ResizeMode::cubic) &&
        static_cast<int>(ResizeCoordinates::tf_crop_and_resize) ==
            static_cast<int>(fb::ResizeCoordinates::tf_crop_and_resize) &&
        static_cast<int>(NearestRounding::ceil) ==
            static_cast<int>(fb::NearestRounding::ceil),
    "the enums of resize must be numbered as in Op.fbs");

template <typename Adaptor>
static void describePool(Adaptor op, fb::PoolAttrsT &attrs) {
  attrs.window = toVector(op.getWindow());
  attrs.strides = toVector(op.getStrides());
  attrs.pad_low = toVector(op.getPadLow());
  attrs.pad_high = toVector(op.getPadHigh());
  attrs.dilations = toVector(op.getDilations());
  attrs.layout = op.getLayout();
}

void MaxPoolOp::describeAttrs(Adaptor op, fb::PoolAttrsT &attrs) {
  describePool(op, attrs);
}

void AvgPoolOp::describeAttrs(Adaptor op, fb::PoolAttrsT &attrs) {
  describePool(op, attrs);
  attrs.count_include_pad = op.getCountIncludePad();
}

void MaxPoolWithIndexOp::describeAttrs(Adaptor op, fb::PoolAttrsT &attrs) {
  describePool(op, attrs);
}

void MaxPoolBackwardOp::describeAttrs(Adaptor op, fb::PoolAttrsT &attrs) {
  describePool(op, attrs);
  attrs.input_sizes = toVector(op.getInputSizes());
}

void AvgPoolBackwardOp::describeAttrs(Adaptor op, fb::PoolAttrsT &attrs) {
  describePool(op, attrs);
  attrs.input_sizes = toVector(op.getInputSizes());
  attrs.count_include_pad = op.getCountIncludePad();
}

void MomentsOp::describeAttrs(Adaptor op, fb::MomentsAttrsT &attrs) {
  attrs.dims = toVector(op.getDims());
  attrs.keep_dims = op.getKeepDims();
}

template <typename T>
static std::vector<T> listOf(std::optional<ArrayRef<T>> values) {
  return values ? std::vector<T>(values->begin(), values->end())
                : std::vector<T>();
}

void ResizeOp::describeAttrs(Adaptor op, fb::ResizeAttrsT &attrs) {
  attrs.dims = toVector(op.getDims());
  attrs.sizes = listOf(op.getSizes());
  attrs.scales = listOf(op.getScales());
  attrs.mode = static_cast<fb::ResizeMode>(op.getMode());
  attrs.coordinates = static_cast<fb::ResizeCoordinates>(op.getCoordinates());
  attrs.rounding = static_cast<fb::NearestRounding>(op.getRounding());
  attrs.cubic_coeff_a = op.getCubicCoeffA().convertToDouble();
  attrs.antialias = op.getAntialias();
  attrs.exclude_outside = op.getExcludeOutside();
  attrs.starts = listOf(op.getStarts());
  attrs.ends = listOf(op.getEnds());
  attrs.extrapolation_value = op.getExtrapolationValue().convertToDouble();
}

void ReduceOp::describeAttrs(Adaptor op, fb::ReduceAttrsT &attrs) {
  attrs.kind = static_cast<fb::ReduceKind>(op.getKind());
  attrs.dims = toVector(op.getDims());
  attrs.keep_dims = op.getKeepDims();
}

void BatchNormOp::describeAttrs(Adaptor op, fb::BatchNormAttrsT &attrs) {
  attrs.epsilon = op.getEpsilon().convertToDouble();
  attrs.axis = op.getAxis();
}

void SoftmaxOp::describeAttrs(Adaptor op, fb::AxisAttrsT &attrs) {
  attrs.axis = op.getAxis();
}

void SoftmaxBackwardOp::describeAttrs(Adaptor op, fb::AxisAttrsT &attrs) {
  attrs.axis = op.getAxis();
}

void LayerNormOp::describeAttrs(Adaptor op, fb::LayerNormAttrsT &attrs) {
  attrs.epsilon = op.getEpsilon().convertToDouble();
}
