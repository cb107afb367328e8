//===- ProgramSizes.cpp - Sizes that depend on the inputs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/ProgramSizes.h"

#include <optional>
#include <set>

using namespace tandem;

std::vector<int64_t> tandem::symbolSizes(const fb::ProgramT &program,
                                         std::span<const TensorType> inputs) {
  std::vector<int64_t> sizes;
  for (const fb::SizeSymbol &symbol : program.size_symbols)
    sizes.push_back(inputs[symbol.input()].shape[int(symbol.dim())]);
  return sizes;
}

/// The attribute that an expression gives an entry of; null if the op has none
/// of that name. `Op` is OpDesc or const OpDesc, and so are the entries.
template <typename Op>
static auto attributeOf(Op &op, fb::SizeAttribute name)
    -> decltype(&op.attrs.AsReshapeAttrs()->shape) {
  auto *reshape = op.attrs.AsReshapeAttrs();
  auto *broadcast = op.attrs.AsBroadcastAttrs();
  auto *random = op.attrs.AsRandomAttrs();
  auto *slice = op.attrs.AsSliceAttrs();
  auto *pad = op.attrs.AsPadAttrs();
  auto *iota = op.attrs.AsIotaAttrs();
  switch (name) {
  case fb::SizeAttribute::shape:
    return reshape     ? &reshape->shape
           : broadcast ? &broadcast->shape
           : random    ? &random->shape
                       : nullptr;
  case fb::SizeAttribute::starts:
    return slice ? &slice->starts : nullptr;
  case fb::SizeAttribute::limits:
    return slice ? &slice->limits : nullptr;
  case fb::SizeAttribute::low:
    return pad ? &pad->low : nullptr;
  case fb::SizeAttribute::high:
    return pad ? &pad->high : nullptr;
  case fb::SizeAttribute::result:
    return iota && iota->type ? &iota->type->dims : nullptr;
  }
  return nullptr;
}

/// Replaces `lhs` by the value of `lhs` and `rhs`. Returns false if there is
/// none.
static bool apply(fb::SizeTermKind kind, int64_t &lhs, int64_t rhs) {
  switch (kind) {
  case fb::SizeTermKind::add:
    return !__builtin_add_overflow(lhs, rhs, &lhs);
  case fb::SizeTermKind::mul:
    return !__builtin_mul_overflow(lhs, rhs, &lhs);
  case fb::SizeTermKind::floordiv:
  case fb::SizeTermKind::ceildiv:
  case fb::SizeTermKind::mod: {
    if (rhs <= 0)
      return false;
    const int64_t rest = lhs % rhs;
    const int64_t remainder = rest < 0 ? rest + rhs : rest;
    const int64_t floor = lhs / rhs - (rest < 0);
    lhs = kind == fb::SizeTermKind::mod        ? remainder
          : kind == fb::SizeTermKind::floordiv ? floor
                                               : floor + (rest != 0);
    return true;
  }
  case fb::SizeTermKind::constant:
  case fb::SizeTermKind::symbol:
    break;
  }
  return false;
}

static std::optional<int64_t> evaluate(const fb::SizeExpressionT &expression,
                                       std::span<const int64_t> symbols) {
  std::vector<int64_t> stack;
  for (const fb::SizeTerm &term : expression.terms) {
    if (term.kind() == fb::SizeTermKind::constant) {
      stack.push_back(term.value());
    } else if (term.kind() == fb::SizeTermKind::symbol) {
      stack.push_back(symbols[size_t(term.value())]);
    } else {
      const int64_t rhs = stack.back();
      stack.pop_back();
      if (!apply(term.kind(), stack.back(), rhs))
        return std::nullopt;
    }
  }
  return stack.back();
}

Expected<OpDesc> tandem::resolveSizes(const fb::StepT &step,
                                      std::span<const int64_t> symbols) {
  OpDesc op = *step.op;
  for (const auto &expression : step.sizes) {
    const std::optional<int64_t> value = evaluate(*expression, symbols);
    // An entry that remains unknown would leave a type unknown.
    if (!value || *value == kDynamic)
      return fail("shape", "an entry of " +
                               std::string(fb::EnumNameSizeAttribute(
                                   expression->attribute)) +
                               " cannot be computed for these sizes");
    (*attributeOf(op, expression->attribute))[expression->entry] = *value;
  }
  return op;
}

/// Whether the terms leave one value, and refer to symbols that there are.
static bool isValid(const fb::SizeExpressionT &expression, size_t numSymbols) {
  size_t depth = 0;
  for (const fb::SizeTerm &term : expression.terms) {
    if (term.kind() < fb::SizeTermKind::MIN ||
        term.kind() > fb::SizeTermKind::MAX)
      return false;
    const bool isLeaf = term.kind() <= fb::SizeTermKind::symbol;
    if (term.kind() == fb::SizeTermKind::symbol &&
        uint64_t(term.value()) >= numSymbols)
      return false;
    if (!isLeaf && depth < 2)
      return false;
    depth = isLeaf ? depth + 1 : depth - 1;
  }
  return depth == 1;
}

Status tandem::verifySizes(const fb::ProgramT &program, const fb::StepT &step) {
  if (!step.sizes.empty() && (!step.op || program.planned))
    return fail("load", "only ops of eager programs have expressions of sizes");
  if (!step.op)
    return {};
  const OpDesc &op = *step.op; // A corrupt op cannot be copied.
  std::set<std::pair<fb::SizeAttribute, uint32_t>> given;
  for (const auto &expression : step.sizes) {
    if (!expression || !isValid(*expression, program.size_symbols.size()))
      return fail("load", "an expression of a size is malformed");
    const auto *entries = attributeOf(op, expression->attribute);
    if (!entries || expression->entry >= entries->size() ||
        (*entries)[expression->entry] != kDynamic ||
        !given.insert({expression->attribute, expression->entry}).second)
      return fail("load", "an expression belongs to no unknown size");
  }
  for (fb::SizeAttribute name : fb::EnumValuesSizeAttribute()) {
    const auto *entries = attributeOf(op, name);
    for (uint32_t i = 0; entries && i < entries->size(); ++i)
      if ((*entries)[i] == kDynamic && !given.count({name, i}))
        return fail("load", "an unknown size has no expression");
  }
  return {};
}
