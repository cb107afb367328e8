//===- ElementwiseOps.cpp - Elementwise ops -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

static_assert(static_cast<int>(ComparePredicate::ge) ==
                  static_cast<int>(fb::ComparePredicate::ge),
              "ComparePredicate must be numbered as in Op.fbs");

void GeluOp::describeAttrs(Adaptor op, fb::GeluAttrsT &attrs) {
  attrs.approximate_tanh = op.getApproximateTanh();
}

void GeluDerivativeOp::describeAttrs(Adaptor op, fb::GeluAttrsT &attrs) {
  attrs.approximate_tanh = op.getApproximateTanh();
}

void CastOp::describeAttrs(Adaptor op, fb::CastAttrsT &attrs) {
  attrs.dtype = *toDType(op.getDtype());
}

void BitcastOp::describeAttrs(Adaptor op, fb::CastAttrsT &attrs) {
  attrs.dtype = *toDType(op.getDtype());
}

void CompareOp::describeAttrs(Adaptor op, fb::CompareAttrsT &attrs) {
  attrs.predicate = static_cast<fb::ComparePredicate>(op.getPredicate());
}
