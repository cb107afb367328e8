//===- Attention.cpp - ONNX attention and rotary embeddings ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Attention.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tandem::onnx {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value splitHeads(Node &node, Value x, int64_t heads) {
  Sizes sizes = node.sizesOf(x);
  if (!node.requireRank("an operand of merged heads", sizes.size(), 3) ||
      !node.require(heads > 0, "the number of heads is not positive"))
    return {};
  std::optional<Size> each = divideExactly(sizes[2], Size(heads));
  if (!node.require(each.has_value(),
                    Twine(heads) + " heads do not divide the last dim"))
    return {};
  Value split = node.reshape(x, {sizes[0], sizes[1], Size(heads), *each});
  return node.transpose(split, {0, 2, 1, 3});
}

Value mergeHeads(Node &node, Value x) {
  x = node.transpose(x, {0, 2, 1, 3});
  Sizes sizes = node.sizesOf(x);
  if (sizes.size() != 4)
    return {};
  std::optional<Size> last = multiply(sizes[2], sizes[3]);
  if (!node.require(last.has_value(), "a size that overflows"))
    return {};
  return node.reshape(x, {sizes[0], sizes[1], *last});
}

Value maskUnless(Node &node, Value condition, Value like) {
  return node.select(condition, node.scalar(like, 0),
                     node.scalar(like, -kInfinity));
}

Value combine(Node &node, Value bias, Value more) {
  return bias ? node.add(bias, more) : more;
}

namespace {

/// Each head of keys or values as often as queries share it.
Value repeatHeads(Node &node, Value x, int64_t heads) {
  int64_t own = node.dim(x, 1);
  if (node.hasFailed() || own == heads)
    return x;
  if (!node.require(own > 0 && heads % own == 0,
                    Twine(own) + " heads of keys do not divide " +
                        Twine(heads) + " of queries"))
    return {};
  Ints sizes = node.dims(x);
  Sizes grouped{sizes[0], own, 1, sizes[2], sizes[3]};
  Ints repeated{sizes[0], own, heads / own, sizes[2], sizes[3]};
  x = node.expand(node.reshape(x, grouped), repeated);
  return node.reshape(x, {sizes[0], heads, sizes[2], sizes[3]});
}

/// The mask that is given, as a bias for all keys.
Value givenBias(Node &node, Value q, int64_t keys) {
  Value mask = node.operand(3);
  mask = node.element(mask).isInteger(1) ? maskUnless(node, mask, q)
                                         : node.cast(mask, node.element(q));
  int64_t rank = node.rank(mask);
  if (!node.require(rank > 0, "a mask without dims"))
    return {};
  int64_t missing = keys - node.dim(mask, rank - 1);
  if (missing <= 0)
    return mask;
  Ints none(rank, 0), high(rank, 0);
  high[rank - 1] = missing;
  return node.pad(mask, none, high, none, -kInfinity);
}

/// Whether each query, at its place among all, may attend to each key: none
/// after it where the op is causal, and none beyond the window. Null for all.
Value isWithinReach(Node &node, ArrayRef<int64_t> shape, Value offset) {
  Type i64 = node.state().builder.getI64Type();
  int64_t left = node.getInt("left_window_size", -1);
  int64_t right = node.getInt("right_window_size", -1);
  if (node.getInt("is_causal", 0))
    right = 0;
  if (left < 0 && right < 0)
    return {};
  Value place = node.add(node.iota(shape, 0, i64), offset);
  Value distance = node.sub(place, node.iota(shape, 1, i64));
  Value isBefore = node.compare(ir::ComparePredicate::ge, distance,
                                node.scalar(i64, -std::max<int64_t>(right, 0)));
  Value isAfter = node.compare(ir::ComparePredicate::le, distance,
                               node.scalar(i64, std::max<int64_t>(left, 0)));
  if (left < 0 || right < 0)
    return left < 0 ? isBefore : isAfter;
  return node.emit<ir::LogicalAndOp>({isBefore, isAfter});
}

/// What is added to the scores; null for nothing. `past` is the number of keys
/// before those of the operand.
Value makeBias(Node &node, Value q, Value k, int64_t past) {
  int64_t keys = node.dim(k, 2);
  Type i64 = node.state().builder.getI64Type();
  Value bias = node.hasOperand(3) ? givenBias(node, q, keys) : Value();
  Value valid; // The number of keys of each batch that count.
  if (node.hasOperand(6)) {
    Value lengths = node.operand(6);
    valid = node.reshape(
        lengths,
        {node.sizesOf(lengths).empty() ? Size(1) : node.sizesOf(lengths)[0], 1,
         1, 1});
  }
  Ints shape{node.dim(q, 2), keys};
  Value offset = node.scalar(i64, past);
  if (valid && !node.hasOperand(4))
    offset = node.sub(valid, node.scalar(i64, shape[0]));
  if (Value isSeen = isWithinReach(node, shape, offset))
    bias = combine(node, bias, maskUnless(node, isSeen, q));
  if (valid) {
    Value isValid = node.compare(ir::ComparePredicate::lt,
                                 node.iota({keys}, 0, i64), valid);
    bias = combine(node, bias, maskUnless(node, isValid, q));
  }
  return bias;
}

/// The softmax of the scores; zeros for queries that may attend to no key.
Value softmaxOf(Node &node, Value scores, Value bias) {
  Type type = node.element(scores);
  Value result = scores;
  if (node.hasAttribute("softmax_precision"))
    result = node.cast(scores, node.getType("softmax_precision", 0));
  result = node.emit<ir::SoftmaxOp>(result, node.integer("axis", 3));
  result = node.cast(result, type);
  if (!bias)
    return result;
  Value largest = node.reduce(ir::ReduceKind::max, bias, node.rank(bias) - 1);
  Value isMasked = node.compare(ir::ComparePredicate::eq, largest,
                                node.scalar(bias, -kInfinity));
  return node.select(isMasked, node.scalar(result, 0), result);
}

/// What becomes of the products of queries and keys, step by step.
struct AttentionScores {
  Value products, capped, biased, weights;
};

AttentionScores weigh(Node &node, Value products, Value bias) {
  AttentionScores scores{products, products, {}, {}};
  if (double cap = node.getFloat("softcap", 0); cap > 0) {
    Value bound = node.scalar(products, cap);
    Value ratio = node.div(products, bound);
    scores.capped = node.mul(node.emit<ir::TanhOp>(ratio), bound);
  }
  scores.biased = bias ? node.add(scores.capped, bias) : scores.capped;
  scores.weights = softmaxOf(node, scores.biased, bias);
  return scores;
}

/// The step that the optional result qk_matmul_output exposes.
Value exposedScores(Node &node, const AttentionScores &scores) {
  switch (int64_t mode = node.getInt("qk_matmul_output_mode", 0)) {
  case 0: // Not capped, as the operator's text says; the onnx package's
          // reference returns the capped products.
    return scores.products;
  case 1:
    return scores.capped;
  case 2:
    return scores.biased;
  case 3:
    return scores.weights;
  default:
    node.error("qk_matmul_output_mode " + Twine(mode) + " is not 0, 1, 2 or 3");
    return {};
  }
}

} // namespace

void convertAttention(Node &node) {
  Value q = node.operand(0), k = node.operand(1), v = node.operand(2);
  const int64_t rank = node.rank(q);
  bool isMerged = rank == 3;
  if (!node.require(isMerged || rank == 4,
                    "queries have " + Twine(rank) + " dims, not 3 or 4") ||
      !node.requireRank("the operand of keys", node.rank(k), rank) ||
      !node.requireRank("the operand of values", node.rank(v), rank))
    return;
  if (isMerged) {
    q = splitHeads(node, q, node.getInt("q_num_heads", 0));
    k = splitHeads(node, k, node.getInt("kv_num_heads", 0));
    v = splitHeads(node, v, node.getInt("kv_num_heads", 0));
  }
  int64_t past = 0;
  if (node.hasOperand(4)) {
    if (!node.require(node.hasOperand(5), "past keys without past values") ||
        !node.requireRank("past_key", node.rank(node.operand(4)), 4) ||
        !node.requireRank("past_value", node.rank(node.operand(5)), 4))
      return;
    past = node.dim(node.operand(4), 2);
    k = node.concat({node.operand(4), k}, 2);
    v = node.concat({node.operand(5), v}, 2);
  }
  int64_t heads = node.dim(q, 1), width = node.dim(q, 3);
  double factor = node.getFloat("scale", 1 / std::sqrt(double(width)));
  Value scores = node.emit<ir::MatmulOp>(
      {node.mul(q, node.scalar(q, factor)), repeatHeads(node, k, heads)},
      node.unit("transpose_rhs"));
  Value bias = makeBias(node, q, k, past);
  AttentionScores stages = weigh(node, scores, bias);
  Value y =
      node.emit<ir::MatmulOp>({stages.weights, repeatHeads(node, v, heads)});
  node.result(0, isMerged ? mergeHeads(node, y) : y);
  node.result(1, k);
  node.result(2, v);
  if (node.isWanted(3))
    node.result(3, exposedScores(node, stages));
}

/// Pairs of elements of the last dim, turned by angles whose cosines and sines
/// are given.
void convertRotaryEmbedding(Node &node) {
  Value x = node.operand(0);
  int64_t rank = node.rank(x), heads = node.getInt("num_heads", 0);
  if (!node.require(rank == 3 || rank == 4,
                    "its operand has " + Twine(rank) + " dims, not 3 or 4"))
    return;
  Value input = rank == 3 ? splitHeads(node, x, heads) : x;
  int64_t width = node.dim(input, 3);
  int64_t turned = node.getInt("rotary_embedding_dim", 0);
  turned = turned == 0 ? width : turned;
  if (!node.require(turned > 0 && turned <= width,
                    "rotary_embedding_dim " + Twine(turned) +
                        " is not within 1 and " + Twine(width) +
                        ", the size of a head") ||
      !node.require(turned % 2 == 0,
                    "rotary_embedding_dim " + Twine(turned) + " is odd"))
    return;
  // (B, S, turned / 2) to (B, 1, S, turned / 2).
  auto angles = [&](unsigned i) {
    Value cache = node.operand(i);
    if (node.hasOperand(3))
      cache = node.gather(cache, node.operand(3), 0);
    Sizes sizes = node.sizesOf(cache);
    if (sizes.size() == 3)
      sizes.insert(sizes.begin() + 1, Size(1));
    return node.reshape(cache, sizes);
  };
  Value cosines = angles(1), sines = angles(2);
  Value part = node.slice(input, 3, 0, turned);
  bool isInterleaved = node.getInt("interleaved", 0);
  Value first = isInterleaved ? node.slice(part, 3, 0, turned, 2)
                              : node.slice(part, 3, 0, turned / 2);
  Value second = isInterleaved ? node.slice(part, 3, 1, turned, 2)
                               : node.slice(part, 3, turned / 2, turned);
  Value real = node.sub(node.mul(cosines, first), node.mul(sines, second));
  Value imaginary = node.add(node.mul(sines, first), node.mul(cosines, second));
  Sizes shape = node.sizesOf(part);
  if (isInterleaved) {
    Sizes pairs = node.sizesOf(real);
    pairs.push_back(Size(1));
    real = node.reshape(real, pairs);
    imaginary = node.reshape(imaginary, pairs);
  }
  Value result = node.reshape(
      node.concat({real, imaginary}, isInterleaved ? 4 : 3), shape);
  if (turned < width)
    result = node.concat({result, node.slice(input, 3, turned, width)}, 3);
  node.result(0, rank == 3 ? mergeHeads(node, result) : result);
}

} // namespace tandem::onnx
