//===- ElementwiseChain.cpp - Chains of elementwise ops -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseChain.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;
using namespace tandem;

/// Returns the same number as a tensor of rank 0.
static Value toScalar(OpBuilder &builder, Location loc, Value number) {
  if (typeOf(number).getRank() == 0)
    return number;
  return ir::ReshapeOp::create(builder, loc, number,
                               builder.getDenseI64ArrayAttr({}))
      .getResult();
}

Value tandem::cloneForShape(OpBuilder &builder, ArrayRef<Operation *> ops,
                            IRMapping &mapping, ArrayRef<int64_t> shape) {
  Value result;
  for (Operation *op : ops) {
    for (Value number : op->getOperands())
      if (!mapping.contains(number))
        mapping.map(number, toScalar(builder, op->getLoc(), number));
    result = builder.clone(*op, mapping)->getResult(0);
    result.setType(RankedTensorType::get(shape, getElementTypeOrSelf(result)));
  }
  return result;
}
