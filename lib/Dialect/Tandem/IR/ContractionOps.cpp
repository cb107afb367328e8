//===- ContractionOps.cpp - Convolution and matmul ------------------------===//
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

template <typename Adaptor>
static void describeWindow(Adaptor op, fb::ConvAttrsT &attrs) {
  attrs.strides = toVector(op.getStrides());
  attrs.pad_low = toVector(op.getPadLow());
  attrs.pad_high = toVector(op.getPadHigh());
  attrs.dilations = toVector(op.getDilations());
  attrs.groups = op.getGroups();
  attrs.input_layout = op.getLayout().getInput();
  attrs.kernel_layout = op.getLayout().getKernel();
  attrs.output_layout = op.getLayout().getOutput();
}

void ConvOp::describeAttrs(Adaptor op, fb::ConvAttrsT &attrs) {
  describeWindow(op, attrs);
}

void ConvBackwardDataOp::describeAttrs(Adaptor op, fb::ConvAttrsT &attrs) {
  describeWindow(op, attrs);
  attrs.output_padding = toVector(op.getOutputPadding());
}

void ConvBackwardWeightsOp::describeAttrs(Adaptor op, fb::ConvAttrsT &attrs) {
  describeWindow(op, attrs);
  attrs.window = toVector(op.getWindow());
}

void MatmulOp::describeAttrs(Adaptor op, fb::MatmulAttrsT &attrs) {
  attrs.transpose_lhs = op.getTransposeLhs();
  attrs.transpose_rhs = op.getTransposeRhs();
  attrs.widen = op.getWiden();
}
