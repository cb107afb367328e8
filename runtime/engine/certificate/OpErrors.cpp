//===- OpErrors.cpp - What single ops do to errors --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/OpErrors.h"

using namespace tandem;
using fb::ReduceKind;

bool tiering::jumps(const OpDesc &op, const TensorType &result) {
  switch (op.kind) {
  case OpKind::floor:
  case OpKind::ceil:
  case OpKind::round:
  case OpKind::sign:
  case OpKind::compare:
  case OpKind::argtopk:
  case OpKind::bitcast:
    return true;
  case OpKind::cast:
    return !isFloat(result.dtype);
  case OpKind::reduce:
    return op.attrs.AsReduceAttrs()->kind == ReduceKind::argmax;
  default:
    return false;
  }
}

double tiering::amplification(OpKind kind) {
  switch (kind) {
  case OpKind::exp:
  case OpKind::expm1:
  case OpKind::pow:
  case OpKind::rem: // A quotient near an integer may be on its other side.
  case OpKind::sin:
  case OpKind::cos:
  case OpKind::asin: // Vertical at 1, as acos is.
  case OpKind::acos:
    return kArgument;
  default:
    return 1;
  }
}

bool tiering::preservesRelativeError(OpKind kind) {
  switch (kind) {
  case OpKind::add:
  case OpKind::sub:
  case OpKind::log:
  case OpKind::sin:
  case OpKind::cos:
  case OpKind::sigmoid:
  case OpKind::softplus:
  case OpKind::gelu:
    return false;
  default:
    return true;
  }
}
