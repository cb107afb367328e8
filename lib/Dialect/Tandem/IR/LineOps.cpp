//===- LineOps.cpp - Scans and Fourier transforms -------------------------===//
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

static_assert(static_cast<int>(ScanKind::log_sum_exp) ==
                  static_cast<int>(fb::ScanKind::log_sum_exp),
              "ScanKind must be numbered as in Op.fbs");
static_assert(static_cast<int>(FFTKind::irfft) ==
                  static_cast<int>(fb::FFTKind::irfft),
              "FFTKind must be numbered as in Op.fbs");

void ScanOp::describeAttrs(Adaptor op, fb::ScanAttrsT &attrs) {
  attrs.axis = op.getAxis();
  attrs.kind = static_cast<fb::ScanKind>(op.getKind());
  attrs.exclusive = op.getExclusive();
  attrs.reverse = op.getReverse();
}

void FFTOp::describeAttrs(Adaptor op, fb::FFTAttrsT &attrs) {
  attrs.axis = op.getAxis();
  attrs.kind = static_cast<fb::FFTKind>(op.getKind());
  attrs.length = op.getLength();
}
