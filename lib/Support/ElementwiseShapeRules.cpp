//===- ElementwiseShapeRules.cpp - Elementwise ops ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels, the same for every elementwise op:
//   C1  the element type is one that the op works on
//   C2  operands have one element type (select: the last two)
//   C3  shapes broadcast as in NumPy
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

namespace {

bool contains(Domain domain, DType dtype) {
  switch (domain) {
  case Domain::any:
    return true;
  case Domain::number:
    return isNumber(dtype);
  case Domain::floating:
    return isFloat(dtype);
  case Domain::integer:
    return isInteger(dtype);
  case Domain::boolean:
    return dtype == DType::i1;
  }
  return false;
}

std::string_view describe(Domain domain) {
  switch (domain) {
  case Domain::any:
    return "any element type";
  case Domain::number:
    return "floats and integers";
  case Domain::floating:
    return "floats";
  case Domain::integer:
    return "integers";
  case Domain::boolean:
    return "i1";
  }
  return "";
}

/// C1 and C2.
Status checkElementTypes(OpKind kind, Operands operands) {
  if (kind == OpKind::select && operands[0].dtype != DType::i1) [[unlikely]]
    return broken(kind, 1, "the condition must be i1, not ", operands[0].dtype);
  Operands values = kind == OpKind::select ? operands.subspan(1) : operands;
  DType first = values[0].dtype;
  Domain domain = getOpInfo(kind).domain;
  if (!contains(domain, first)) [[unlikely]]
    return broken(kind, 1, "works on ", describe(domain), ", not on ", first);
  for (const TensorType &type : values.subspan(1))
    if (type.dtype != first) [[unlikely]]
      return broken(kind, 2, "operands must have one element type, not ", first,
                    " and ", type.dtype);
  return {};
}

/// C1 of bitcast.
Status checkBitcast(DType from, DType to) {
  const bool haveOneSize = byteWidth(from) == byteWidth(to);
  if (haveOneSize && isNumber(from) == isNumber(to))
    return {};
  return broken(OpKind::bitcast, 1, "cannot take ", from, " for ", to, ": ",
                haveOneSize ? "only one is a truth value"
                            : "their sizes differ");
}

DType resultDType(const OpDesc &op, Operands operands) {
  if (op.kind == OpKind::cast || op.kind == OpKind::bitcast)
    return op.attrs.AsCastAttrs()->dtype;
  if (op.kind == OpKind::compare)
    return DType::i1;
  return operands.back().dtype;
}

/// Broadcasts `shape` with `other`; false where they do not fit (C3).
bool broadcastInto(Shape &shape, const Shape &other) {
  if (shape == other)
    return true;
  const Shape &longer = shape.rank() >= other.rank() ? shape : other;
  const Shape &shorter = shape.rank() >= other.rank() ? other : shape;
  Shape result = longer;
  int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    std::optional<int64_t> dim = broadcastDims(result[i + offset], shorter[i]);
    if (!dim)
      return false;
    result[i + offset] = *dim;
  }
  shape = result;
  return true;
}

} // namespace

Expected<TensorType> shape_rules::inferElementwise(const OpDesc &op,
                                                   Operands operands) {
  TANDEM_RETURN_IF_ERROR(checkElementTypes(op.kind, operands));
  TensorType result{resultDType(op, operands), operands[0].shape};
  if (op.kind == OpKind::bitcast)
    TANDEM_RETURN_IF_ERROR(checkBitcast(operands[0].dtype, result.dtype));
  for (const TensorType &type : operands.subspan(1))
    if (!broadcastInto(result.shape, type.shape)) [[unlikely]]
      return broken(op.kind, 3, "shapes ", result.shape.str(), " and ",
                    type.shape.str(), " do not broadcast");
  return result;
}
