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
