//===- FusedAttention.cpp - Attention of com.microsoft --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Attention.h"

#include <cmath>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// Queries, keys and values as (B, heads, S, D), and what is added to the
/// scores; null for nothing.
struct Operands {
  Value q, k, v, bias;
};

/// Returns which keys each of the B batches attends to, by a mask that is a
/// vector of i64. The mask has the end of the keys of each batch. It may have
/// 2B elements, the last B of which are the first keys of the batches.
Value countsOf(Node &node, Value mask, Size batches, int64_t keys) {
  Value key = node.iota({keys}, 0, node.state().builder.getI64Type());
  auto compare = [&](ir::ComparePredicate predicate, Value bounds) {
    return node.compare(predicate, key,
                        node.reshape(bounds, {batches, 1, 1, 1}));
  };
  const Size size = node.sizesOf(mask)[0];
  if (size == batches)
    return compare(ir::ComparePredicate::lt, mask);
  const int64_t count =
      node.asConstants({batches}, "the number of batches").front();
  if (!node.require(size == Size(2 * count),
                    "needs one or two numbers for each batch in a mask of one "
                    "dim"))
    return {};
  Value ends = node.slice(mask, 0, 0, count),
        starts = node.slice(mask, 0, count, 2 * count);
  return node.emit<ir::LogicalAndOp>(
      {compare(ir::ComparePredicate::lt, ends),
       compare(ir::ComparePredicate::ge, starts)});
}

/// Returns what is added to the scores: 0 for keys that are attended to, and
/// mask_filter_value for the others. A mask with more dims than one has the
/// shape (B, keys) or (B, queries, keys), and is 0 for the others.
Value biasOf(Node &node, Value mask, Value like, int64_t keys) {
  Sizes shape = node.sizesOf(mask);
  Type i64 = node.state().builder.getI64Type();
  mask = node.cast(mask, i64);
  Value counts;
  switch (shape.size()) {
  case 1:
    counts = countsOf(node, mask, node.sizesOf(like)[0], keys);
    break;
  case 2:
    shape.insert(shape.begin() + 1, Size(1));
    [[fallthrough]];
  case 3:
    shape.insert(shape.begin() + 1, Size(1));
    counts = node.compare(ir::ComparePredicate::ne, node.reshape(mask, shape),
                          node.scalar(i64, 0));
    break;
  default:
    node.error("needs a mask of 1 to 3 dims");
    return {};
  }
  return node.select(
      counts, node.scalar(like, 0),
      node.scalar(like, node.getFloat("mask_filter_value", -10000)));
}

/// The mask that is operand `mask` and the bias that is operand `bias`, if any,
/// for scores of queries `q` and keys `k`.
Value makeBias(Node &node, Value q, Value k, unsigned mask,
               std::optional<unsigned> bias) {
  const int64_t queries = node.dim(q, 2), keys = node.dim(k, 2);
  Value result;
  if (node.hasOperand(mask))
    result = biasOf(node, node.operand(mask), q, keys);
  if (bias && node.hasOperand(*bias))
    result = combine(node, result, node.operand(*bias));
  if (!node.getInt("unidirectional", 0))
    return result;
  Type i64 = node.state().builder.getI64Type();
  Value last = node.add(node.iota({queries, 1}, 0, i64),
                        node.scalar(i64, keys - queries));
  Value isSeen =
      node.compare(ir::ComparePredicate::le, node.iota({keys}, 0, i64), last);
  return combine(node, result, maskUnless(node, isSeen, q));
}

Value attend(Node &node, const Operands &of) {
  const int64_t width = node.dim(of.q, 3);
  double factor = node.getFloat("scale", 0);
  factor = factor == 0 ? 1 / std::sqrt(double(width)) : factor;
  Value scores =
      node.emit<ir::MatmulOp>({node.mul(of.q, node.scalar(of.q, factor)), of.k},
                              node.unit("transpose_rhs"));
  if (of.bias)
    scores = node.add(scores, of.bias);
  Value weights = node.emit<ir::SoftmaxOp>(scores, node.integer("axis", 3));
  return mergeHeads(node, node.emit<ir::MatmulOp>({weights, of.v}));
}

/// Part `i` of the first dim, without that dim.
Value part(Node &node, Value value, int64_t i) {
  Sizes shape = node.sizesOf(value);
  if (!node.require(shape.size() == 5, "needs past keys and values of 5 dims"))
    return {};
  shape.erase(shape.begin());
  return node.reshape(node.slice(value, 0, i, i + 1), shape);
}

/// Queries, keys and values of a product that has them side by side; null after
/// an error.
Operands splitProjection(Node &node, Value projection) {
  if (!node.requireRank("the product of the input", node.rank(projection), 3))
    return {};
  const int64_t all = node.dim(projection, 2),
                heads = node.getInt("num_heads", 0);
  Ints widths = node.getInts("qkv_hidden_sizes", {all / 3, all / 3, all / 3});
  if (!node.requireSizes(widths, 1, "a hidden size out of range") ||
      !node.requireCount("qkv_hidden_sizes", widths.size(), 3) ||
      !node.require(widths[0] + widths[1] + widths[2] == all,
                    "needs hidden sizes whose sum is that of the weights"))
    return {};
  Operands of;
  int64_t at = 0;
  for (auto [operand, width] :
       llvm::zip(std::array{&of.q, &of.k, &of.v}, widths)) {
    *operand =
        splitHeads(node, node.slice(projection, 2, at, at + width), heads);
    at += width;
  }
  return of;
}

} // namespace

void attendProjection(Node &node, Value projection,
                      const AttentionOperands &operands) {
  if (!node.require(!node.getInt("do_rotary", 0),
                    "rotary embeddings (do_rotary = 1) are not supported") ||
      !node.require(!node.getInt("past_present_share_buffer", 0),
                    "shared buffers (past_present_share_buffer = 1) are not "
                    "supported"))
    return;
  Operands of = splitProjection(node, projection);
  if (node.hasOperand(operands.past)) {
    Value past = node.operand(operands.past);
    of.k = node.concat({part(node, past, 0), of.k}, 2);
    of.v = node.concat({part(node, past, 1), of.v}, 2);
  }
  if (node.hasFailed())
    return;
  of.bias = makeBias(node, of.q, of.k, operands.mask, operands.bias);
  node.result(0, attend(node, of));
  if (!node.isWanted(1))
    return;
  auto stacked = [&](Value value) {
    Sizes shape = node.sizesOf(value);
    shape.insert(shape.begin(), Size(1));
    return node.reshape(value, shape);
  };
  node.result(1, node.concat({stacked(of.k), stacked(of.v)}, 0));
}

/// One product makes queries, keys and values of the input.
void convertMicrosoftAttention(Node &node) {
  Value x = node.operand(0), weights = node.operand(1);
  if (!node.requireRank("the input", node.rank(x), 3) ||
      !node.requireRank("the operand of weights", node.rank(weights), 2))
    return;
  Value product = multiplyMatrices(node, x, weights);
  if (node.hasOperand(2))
    product = node.add(product, node.operand(2));
  attendProjection(node, product, {/*mask=*/3, /*past=*/4, /*bias=*/5});
}

void convertMicrosoftMultiHeadAttention(Node &node) {
  if (!node.require(node.hasOperand(1) && node.hasOperand(2),
                    "packed queries, keys and values are not supported"))
    return;
  Operands of{node.operand(0), node.operand(1), node.operand(2), {}};
  const int64_t heads = node.getInt("num_heads", 0);
  int64_t at = 0;
  for (Value *operand : {&of.q, &of.k, &of.v}) {
    if (node.rank(*operand) == 4)
      continue; // Keys and values of a cross attention have heads already.
    const int64_t width = node.rank(*operand) == 3 ? node.dim(*operand, 2) : 0;
    if (node.hasOperand(3))
      *operand =
          node.add(*operand, node.slice(node.operand(3), 0, at, at + width));
    *operand = splitHeads(node, *operand, heads);
    at += width;
  }
  if (node.hasOperand(6) && node.hasOperand(7)) {
    of.k = node.concat({node.operand(6), of.k}, 2);
    of.v = node.concat({node.operand(7), of.v}, 2);
  }
  of.bias = makeBias(node, of.q, of.k, 4, 5);
  node.result(0, attend(node, of));
  node.result(1, of.k);
  node.result(2, of.v);
}

} // namespace tandem::onnx
