//===- CPUDialect.cpp - The dialect of the CPU's target -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUDialect.h"

#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tandem::cpu;

#include "tandem/Target/CPU/CPUDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tandem/Target/CPU/CPUOps.cpp.inc"

void TandemCPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tandem/Target/CPU/CPUOps.cpp.inc"
      >();
}

Value WinogradKernelOp::getSource() { return getKernel(); }

LogicalResult WinogradKernelOp::verify() {
  using namespace tandem::winograd;
  ArrayRef<int64_t> from = getKernel().getType().getShape();
  ArrayRef<int64_t> to = getTransformed().getType().getShape();
  if (from.size() != 4 || to.size() != 4 || to[0] != kSize || to[1] != kSize ||
      from[0] != kTaps || from[1] != kTaps ||
      from.drop_front(2) != to.drop_front(2) ||
      getType() != getKernel().getType())
    return emitOpError("C1: does not pair 3x3xIxO with 6x6xIxO");
  if (!getLargestData().isFinite() || getLargestData().isNegative() ||
      getLargestData().isZero())
    return emitOpError("C2: largest_data must be finite and positive");
  return success();
}
