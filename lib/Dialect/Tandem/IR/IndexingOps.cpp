//===- IndexingOps.cpp - Scattering and sorting ---------------------------===//
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

static_assert(static_cast<int>(ScatterKind::max) ==
                  static_cast<int>(fb::ScatterKind::max),
              "ScatterKind must be numbered as in Op.fbs");

void ScatterOp::describeAttrs(Adaptor op, fb::ScatterAttrsT &attrs) {
  attrs.axis = op.getAxis();
  attrs.kind = static_cast<fb::ScatterKind>(op.getKind());
}

void TopKOp::describeAttrs(Adaptor op, fb::TopKAttrsT &attrs) {
  attrs.axis = op.getAxis();
  attrs.k = op.getK();
  attrs.ascending = op.getAscending();
}

void SortOp::describeAttrs(Adaptor op, fb::SortAttrsT &attrs) {
  attrs.axis = op.getAxis();
  attrs.descending = op.getDescending();
}
