//===- ShapeRules.cpp - Result types of ops: the table of rules -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

#include "tandem/Support/OpErrors.h"

using namespace tandem;
using namespace tandem::shape_rules;

std::string_view tandem::name(OpKind kind) { return fb::EnumNameOpKind(kind); }

namespace {

using Rule = Expected<TensorType> (*)(const OpDesc &, Operands);

/// Result types of a custom_call are in its attributes.
constexpr Rule inferNothing = nullptr;

/// What inferType checks and calls for a kind.
struct Entry {
  Rule rule = nullptr;
  OpInfo info{};
};

constexpr Rule ruleOf(OpKind kind) {
  switch (kind) {
#define TANDEM_ELEMENTWISE(kind, ...) case OpKind::kind:
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return inferElementwise;
#define TANDEM_OP(kind, family, least, most, attrs, rule, ...)                 \
  case OpKind::kind:                                                           \
    return rule;
#include "tandem/Support/Ops.def"
  }
  return nullptr;
}

constexpr size_t kNumKinds = static_cast<size_t>(OpKind::MAX) + 1;

constexpr std::array<Entry, kNumKinds> makeTable() {
  std::array<Entry, kNumKinds> table{};
  for (size_t i = 0; i < kNumKinds; ++i)
    table[i] = {ruleOf(OpKind(i)), getOpInfo(OpKind(i))};
  return table;
}

constexpr std::array<Entry, kNumKinds> kTable = makeTable();

[[gnu::cold, gnu::noinline]] tl::unexpected<Error>
badOp(const OpDesc &op, Operands operands, const Entry &entry) {
  std::string text(name(op.kind));
  if (!entry.rule)
    return fail("shape", text + " has no shape rule: its result types are "
                                "given by its attributes");
  if (op.attrs.type != entry.info.attrs &&
      entry.info.attrs != fb::OpAttrs::NONE)
    return fail("shape", text + " lacks its attributes");
  std::string expected = std::to_string(entry.info.minOperands);
  if (entry.info.maxOperands < 0)
    expected = "at least " + expected;
  else if (entry.info.maxOperands > entry.info.minOperands)
    expected += " or " + std::to_string(entry.info.maxOperands);
  return fail("shape", text + " takes " + expected + " operands, not " +
                           std::to_string(operands.size()));
}

bool isWellFormed(const OpDesc &op, Operands operands, const Entry &entry) {
  if (!entry.rule)
    return false;
  size_t least = entry.info.minOperands, most = entry.info.maxOperands;
  if (operands.size() < least ||
      (entry.info.maxOperands >= 0 && operands.size() > most))
    return false;
  return entry.info.attrs == fb::OpAttrs::NONE ||
         (op.attrs.type == entry.info.attrs && op.attrs.value);
}

} // namespace

Expected<TensorType> tandem::inferType(const OpDesc &op, Operands operands) {
  size_t index = static_cast<size_t>(op.kind);
  static constexpr Entry kUnknown;
  const Entry &entry = index < kNumKinds ? kTable[index] : kUnknown;
  if (!isWellFormed(op, operands, entry)) [[unlikely]]
    return badOp(op, operands, entry);

  Expected<TensorType> result = entry.rule(op, operands);
  if (!result || !result->isStatic())
    return result;
  // Broadcasting, padding and the like can make a type that is too large.
  if (Expected<int64_t> bytes = checkedBytes(*result); !bytes) [[unlikely]] {
    Error error = std::move(bytes.error());
    error.message = std::string(name(op.kind)) + ": result " + error.message;
    return tl::unexpected<Error>(std::move(error));
  }
  return result;
}

int tandem::numResults(OpKind kind) {
  switch (getOpInfo(kind).results) {
  case Results::withIndices:
  case Results::withTaps:
  case Results::pair:
    return 2;
  case Results::withStatistics:
  case Results::gradients:
    return 3;
  case Results::one:
  case Results::declared:
    break;
  }
  return 1;
}

TensorType tandem::statisticsType(const TensorType &input, int numNormalized) {
  TensorType type{computeType(input.dtype), input.shape};
  for (int i = 1; i <= numNormalized; ++i)
    type.shape[type.shape.rank() - i] = 1;
  return type;
}

std::vector<TensorType> tandem::resultTypes(const OpDesc &op, Operands operands,
                                            const TensorType &first) {
  switch (getOpInfo(op.kind).results) {
  case Results::withIndices:
    return {first, {DType::i64, first.shape}};
  case Results::withTaps:
    return {first, {DType::ui8, first.shape}};
  case Results::pair:
    return {first, first};
  case Results::withStatistics: {
    const auto type = statisticsType(first, operands[1].shape.rank());
    return {first, type, type};
  }
  case Results::gradients: {
    // The last dims of the input may be known where those of the scale are not.
    const TensorType &scale = operands[2];
    const TensorType type{scale.dtype,
                          Shape(first.shape.span().last(scale.shape.rank()))};
    return {first, type, type};
  }
  case Results::one:
  case Results::declared:
    break;
  }
  return {first};
}

Expected<std::vector<TensorType>> tandem::inferTypes(const OpDesc &op,
                                                     Operands operands) {
  TANDEM_ASSIGN_OR_RETURN(const TensorType first, inferType(op, operands));
  return resultTypes(op, operands, first);
}

std::optional<int64_t> shape_rules::windowResult(int64_t dim,
                                                 const WindowDim &window) {
  if (dim == kDynamic || window.window == kDynamic)
    return kDynamic;
  int64_t extent, padded;
  if (window.window < 1 ||
      __builtin_mul_overflow(window.window - 1, window.dilation, &extent) ||
      __builtin_add_overflow(extent, 1, &extent) ||
      __builtin_add_overflow(dim, window.padLow, &padded) ||
      __builtin_add_overflow(padded, window.padHigh, &padded) ||
      extent > padded)
    return std::nullopt;
  return (padded - extent) / window.stride + 1;
}
