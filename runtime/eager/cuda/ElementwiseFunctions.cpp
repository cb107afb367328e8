//===- ElementwiseFunctions.cpp - Device functions of one element ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseFunctions.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::cuda;

namespace {

constexpr OpKind kElementwiseKinds[] = {
#define TANDEM_UNARY(kind, ...) OpKind::kind,
#define TANDEM_BINARY(kind, ...) OpKind::kind,
#define TANDEM_ELEMENTWISE(kind, ...) OpKind::kind,
#include "tandem/Support/Ops.def"
};

template <typename Attrs> OpDesc describe(OpKind kind, Attrs attrs) {
  OpDesc op;
  op.kind = kind;
  op.attrs.Set(std::move(attrs));
  return op;
}

/// Whether `variants` knows an elementwise op's attributes.
constexpr bool isKnown(fb::OpAttrs attrs) {
  return attrs == fb::OpAttrs::NONE || attrs == fb::OpAttrs::GeluAttrs ||
         attrs == fb::OpAttrs::CastAttrs || attrs == fb::OpAttrs::CompareAttrs;
}
static_assert(std::all_of(std::begin(kElementwiseKinds),
                          std::end(kElementwiseKinds), [](OpKind kind) {
                            return isKnown(getOpInfo(kind).attrs);
                          }));

/// The op with all values that its attributes can have.
std::vector<OpDesc> variants(OpKind kind) {
  std::vector<OpDesc> ops;
  switch (getOpInfo(kind).attrs) {
  case fb::OpAttrs::GeluAttrs:
    for (bool useTanh : {false, true}) {
      fb::GeluAttrsT attrs;
      attrs.approximate_tanh = useTanh;
      ops.push_back(describe(kind, attrs));
    }
    return ops;
  case fb::OpAttrs::CastAttrs:
    for (DType dtype : fb::EnumValuesDType()) {
      fb::CastAttrsT attrs;
      attrs.dtype = dtype;
      ops.push_back(describe(kind, attrs));
    }
    return ops;
  case fb::OpAttrs::CompareAttrs:
    for (fb::ComparePredicate predicate : fb::EnumValuesComparePredicate()) {
      fb::CompareAttrsT attrs;
      attrs.predicate = predicate;
      ops.push_back(describe(kind, attrs));
    }
    return ops;
  default:
    ops.emplace_back();
    ops.back().kind = kind;
    return ops;
  }
}

/// Adds the function of `op` on these types, if the op takes them.
void addFunction(std::vector<ElementwiseFunction> &functions, const OpDesc &op,
                 const std::vector<DType> &operands) {
  std::vector<TensorType> types;
  for (DType dtype : operands)
    types.push_back({dtype, {}});
  const Expected<TensorType> result = inferType(op, types);
  if (result)
    functions.push_back({op, operands, result->dtype,
                         functionName(op, operands, result->dtype)});
}

void addFunctions(std::vector<ElementwiseFunction> &functions, OpKind kind,
                  DType dtype) {
  for (const OpDesc &op : variants(kind)) {
    std::vector<DType> operands(getOpInfo(kind).minOperands, dtype);
    const size_t before = functions.size();
    addFunction(functions, op, operands);
    if (functions.size() != before || operands.size() == 1)
      continue;
    // A condition may come first.
    operands.front() = DType::i1;
    addFunction(functions, op, operands);
  }
}

/// Between `dtype` and what kernels compute in.
std::vector<ElementwiseFunction> conversions(DType dtype) {
  std::vector<ElementwiseFunction> functions;
  auto add = [&](DType from, DType to) {
    fb::CastAttrsT attrs;
    attrs.dtype = to;
    const OpDesc op = describe(OpKind::cast, attrs);
    for (const ElementwiseFunction &known : functions)
      if (known.name == functionName(op, std::array{from}, to))
        return;
    addFunction(functions, op, {from});
  };
  for (DType computed : {DType::f32, DType::f64, DType::i64, DType::ui64}) {
    if (isUnsigned(computed) && !isUnsigned(dtype))
      continue;
    add(dtype, computed);
    add(computed, dtype);
  }
  return functions;
}

} // namespace

std::string_view cuda::name(FunctionGroup group) {
  switch (group) {
  case FunctionGroup::unary:
    return "unary";
  case FunctionGroup::nary:
    return "nary";
  case FunctionGroup::cast:
    return "cast";
  case FunctionGroup::transcendental:
    return "transcendental";
  case FunctionGroup::conversions:
    return "conversions";
  }
  __builtin_unreachable();
}

FunctionGroup cuda::groupOf(OpKind kind) {
  const OpInfo info = getOpInfo(kind);
  if (info.isTranscendental())
    return FunctionGroup::transcendental;
  if (info.attrs == fb::OpAttrs::CastAttrs)
    return FunctionGroup::cast;
  return info.minOperands == 1 ? FunctionGroup::unary : FunctionGroup::nary;
}

std::string cuda::functionName(const OpDesc &op,
                               std::span<const DType> operands, DType result) {
  std::string text(tandem::name(op.kind));
  if (const auto *attrs = op.attrs.AsGeluAttrs();
      attrs && attrs->approximate_tanh)
    text += "_tanh";
  if (const auto *attrs = op.attrs.AsCompareAttrs())
    text += std::string("_") + fb::EnumNameComparePredicate(attrs->predicate);
  text += "_" + std::string(tandem::name(operands.back()));
  if (op.attrs.AsCastAttrs())
    text += "_" + std::string(tandem::name(result));
  return text;
}

std::vector<ElementwiseFunction> cuda::elementwiseFunctions(FunctionGroup group,
                                                            DType dtype) {
  if (group == FunctionGroup::conversions)
    return conversions(dtype);
  std::vector<ElementwiseFunction> functions;
  for (OpKind kind : kElementwiseKinds)
    if (groupOf(kind) == group)
      addFunctions(functions, kind, dtype);
  return functions;
}
