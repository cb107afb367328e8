//===- ShapeRules.cpp - Result types of ops: the table of rules -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

std::string_view tandem::name(OpKind kind) { return fb::EnumNameOpKind(kind); }

namespace {

using Rule = Expected<TensorType> (*)(const OpDesc &, Operands);

/// What inferType checks and calls for a kind. An op takes `minOperands` to
/// `maxOperands` operands (-1: any number) and has attributes of type `attrs`.
struct Entry {
  Rule rule = nullptr;
  int8_t minOperands = 1, maxOperands = 1;
  fb::OpAttrs attrs = fb::OpAttrs::NONE;
};

constexpr size_t kNumKinds = static_cast<size_t>(OpKind::MAX) + 1;

constexpr std::array<Entry, kNumKinds> makeTable() {
  using fb::OpAttrs;
  std::array<Entry, kNumKinds> table{};
  auto at = [&](OpKind kind) -> Entry & {
    return table[static_cast<size_t>(kind)];
  };
  auto fill = [&](OpKind first, OpKind last, int8_t operands) {
    for (size_t i = static_cast<size_t>(first); i <= static_cast<size_t>(last);
         ++i)
      table[i] = {inferElementwise, operands, operands, OpAttrs::NONE};
  };
  fill(OpKind::neg, OpKind::cast, 1);
  fill(OpKind::add, OpKind::logical_or, 2);
  fill(OpKind::select, OpKind::clamp, 3);
  at(OpKind::gelu).attrs = OpAttrs::GeluAttrs;
  at(OpKind::cast).attrs = OpAttrs::CastAttrs;
  at(OpKind::compare).attrs = OpAttrs::CompareAttrs;
  at(OpKind::reshape) = {inferReshape, 1, 1, OpAttrs::ReshapeAttrs};
  at(OpKind::transpose) = {inferTranspose, 1, 1, OpAttrs::TransposeAttrs};
  at(OpKind::broadcast) = {inferBroadcast, 1, 1, OpAttrs::BroadcastAttrs};
  at(OpKind::slice) = {inferSlice, 1, 1, OpAttrs::SliceAttrs};
  at(OpKind::pad) = {inferPad, 1, 1, OpAttrs::PadAttrs};
  at(OpKind::concat) = {inferConcat, 1, -1, OpAttrs::AxisAttrs};
  at(OpKind::iota) = {inferIota, 0, 0, OpAttrs::IotaAttrs};
  at(OpKind::gather) = {inferGather, 2, 2, OpAttrs::GatherAttrs};
  at(OpKind::conv) = {inferConv, 2, 3, OpAttrs::ConvAttrs};
  at(OpKind::matmul) = {inferMatmul, 2, 2, OpAttrs::MatmulAttrs};
  at(OpKind::max_pool) = {inferPool, 1, 1, OpAttrs::PoolAttrs};
  at(OpKind::avg_pool) = {inferPool, 1, 1, OpAttrs::PoolAttrs};
  at(OpKind::reduce) = {inferReduce, 1, 1, OpAttrs::ReduceAttrs};
  at(OpKind::batch_norm) = {inferBatchNorm, 5, 5, OpAttrs::BatchNormAttrs};
  at(OpKind::softmax) = {inferSoftmax, 1, 1, OpAttrs::AxisAttrs};
  return table;
}

constexpr std::array<Entry, kNumKinds> kTable = makeTable();

[[gnu::cold, gnu::noinline]] tl::unexpected<Error>
badOp(const OpDesc &op, Operands operands, const Entry &entry) {
  std::string text(name(op.kind));
  if (!entry.rule)
    return fail("shape", text + " has no shape rule: its result types are "
                                "given by its attributes");
  if (op.attrs.type != entry.attrs && entry.attrs != fb::OpAttrs::NONE)
    return fail("shape", text + " lacks its attributes");
  std::string expected = std::to_string(entry.minOperands);
  if (entry.maxOperands < 0)
    expected = "at least " + expected;
  else if (entry.maxOperands > entry.minOperands)
    expected += " or " + std::to_string(entry.maxOperands);
  return fail("shape", text + " takes " + expected + " operands, not " +
                           std::to_string(operands.size()));
}

bool isWellFormed(const OpDesc &op, Operands operands, const Entry &entry) {
  if (!entry.rule)
    return false;
  size_t least = entry.minOperands, most = entry.maxOperands;
  if (operands.size() < least ||
      (entry.maxOperands >= 0 && operands.size() > most))
    return false;
  return entry.attrs == fb::OpAttrs::NONE ||
         (op.attrs.type == entry.attrs && op.attrs.value);
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
