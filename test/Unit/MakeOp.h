//===- MakeOp.h - Descriptions of ops in one expression ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_MAKEOP_H
#define TANDEM_TEST_UNIT_MAKEOP_H

#include "tandem/Support/OpTable.h"
#include "tandem/Support/ShapeRules.h"

#include <string>
#include <utility>
#include <vector>

namespace tandem::test {

/// An op without attributes.
inline OpDesc makeOp(OpKind kind) {
  OpDesc op;
  op.kind = kind;
  return op;
}

/// An op with attributes: makeOp(OpKind::conv, fb::ConvAttrsT{...}).
template <typename Attrs> OpDesc makeOp(OpKind kind, Attrs attrs) {
  OpDesc op;
  op.kind = kind;
  op.attrs.Set(std::move(attrs));
  return op;
}

/// Returns true if an elementwise op takes floats.
inline bool hasFloats(OpKind kind) {
  const Domain domain = getOpInfo(kind).domain;
  return domain == Domain::number || domain == Domain::floating;
}

/// A custom_call with results of these types.
inline OpDesc makeCustomCall(std::string target,
                             const std::vector<TensorType> &results) {
  fb::CustomCallAttrsT attrs;
  attrs.target = std::move(target);
  for (const TensorType &type : results)
    attrs.results.push_back(std::make_unique<fb::TensorTypeT>(toFlat(type)));
  return makeOp(OpKind::custom_call, std::move(attrs));
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_MAKEOP_H
