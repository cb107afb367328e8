//===- Losses.cpp - Cross entropy, mean squared error and dropout ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Training.h"

#include <cmath>
#include <limits>

namespace tandem {

using Value = GraphBuilder::Value;

/// The result of an op whose operands were refused.
static Value refuse(GraphBuilder &builder, const std::string &message) {
  return builder.refuse({message, "build", {}, {}});
}

/// A scalar constant of the element type of `like`.
static Value scalar(GraphBuilder &builder, Value like, double value) {
  return builder.splat({builder.type(like).dtype, {}}, value);
}

/// log(softmax(logits)) over dim 1. The maximum is subtracted first, so that
/// exp does not overflow. It does not change the result, hence not the
/// gradient.
static Value logSoftmax(GraphBuilder &b, Value logits) {
  const auto along = [](fb::ReduceKind kind) {
    return op_attrs::ReduceAttrsT{.kind = kind, .dims = {1}, .keep_dims = true};
  };
  Value maximum = b.stop_gradient(b.reduce(logits, along(fb::ReduceKind::max)));
  Value shifted = b.sub(logits, maximum);
  Value sums = b.reduce(b.exp(shifted), along(fb::ReduceKind::sum));
  return b.sub(shifted, b.log(sums));
}

/// For each row and class, whether the class is the label of the row, as
/// [n, classes]. The labels, of i64, are compared as [classes, n], where they
/// broadcast without a reshape.
static Value oneHot(GraphBuilder &b, Value labels, int64_t classes) {
  op_attrs::IotaAttrsT attributes;
  attributes.type = std::make_unique<fb::TensorTypeT>(
      toFlat(TensorType{DType::i64, {classes, 1}}));
  const Value numbers =
      b.iota(std::vector<GraphBuilder::Value>(), std::move(attributes));
  Value isLabel =
      b.compare({numbers, labels}, {.predicate = fb::ComparePredicate::eq});
  return b.transpose(isLabel, {.permutation = {1, 0}});
}

Value crossEntropy(GraphBuilder &b, Value logits, Value labels) {
  if (!b.status())
    return logits;
  const TensorType type = b.type(logits), labelType = b.type(labels);
  if (!isFloat(type.dtype) || type.shape.rank() != 2 ||
      !isInteger(labelType.dtype) || labelType.shape.rank() != 1)
    return refuse(b,
                  "cross entropy needs logits of floats with the shape [n, "
                  "classes] and labels of integers with the shape [n], not " +
                      type.str() + " and " + labelType.str());
  const int64_t classes = type.shape[1];
  if (classes == kDynamic)
    return refuse(b, "cross entropy needs a static number of classes");
  labels = b.cast(labels, {.dtype = DType::i64});
  const Value zero = scalar(b, logits, 0);
  Value picked =
      b.select({oneHot(b, labels, classes), logSoftmax(b, logits), zero});
  Value losses = b.neg(b.reduce(
      picked, {.kind = fb::ReduceKind::sum, .dims = {1}, .keep_dims = false}));
  const Value least = b.splat({DType::i64, {}}, 0),
              limit = b.splat({DType::i64, {}}, double(classes));
  Value isValid = b.logical_and(
      b.compare({labels, least}, {.predicate = fb::ComparePredicate::ge}),
      b.compare({labels, limit}, {.predicate = fb::ComparePredicate::lt}));
  losses =
      b.select({isValid, losses,
                scalar(b, logits, std::numeric_limits<double>::quiet_NaN())});
  return b.reduce(losses, {.kind = fb::ReduceKind::mean, .dims = {0}});
}

Value meanSquaredError(GraphBuilder &b, Value prediction, Value target) {
  if (!b.status())
    return prediction;
  const TensorType type = b.type(prediction);
  if (!isFloat(type.dtype) || type != b.type(target))
    return refuse(b,
                  "the mean squared error needs two values of the same type, "
                  "of floats, not " +
                      type.str() + " and " + b.type(target).str());
  Value difference = b.sub(prediction, target);
  std::vector<int64_t> dims;
  for (int dim = 0; dim < type.shape.rank(); ++dim)
    dims.push_back(dim);
  return b.reduce(b.mul(difference, difference),
                  {.kind = fb::ReduceKind::mean, .dims = dims});
}

/// The random words of a dropout, with the shape of the operand.
static Value drawWords(GraphBuilder &b, const TensorType &operand,
                       const DropoutOptions &options) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  // The constant is exact: a splat is given as a double, which has 53 bits.
  const uint64_t shift = options.site * kGoldenRatio;
  const TensorType word{DType::ui64, {}};
  const Value high =
      b.shift_left(b.splat(word, double(shift >> 32)), b.splat(word, 32));
  const Value key = b.add(
      options.key, b.add(high, b.splat(word, double(shift & 0xFFFFFFFF))));
  const Value counter = b.shift_left(options.step, b.splat(word, 32));
  op_attrs::RandomAttrsT attributes;
  for (int64_t size : operand.shape.span())
    attributes.shape.push_back(size);
  OpDesc random;
  random.kind = OpKind::random;
  random.attrs.Set(std::move(attributes));
  if (operand.isStatic())
    return b.op(std::move(random), {key, counter});
  return b.op(std::move(random), {key, counter}, {{"shape", options.shape}});
}

Value dropout(GraphBuilder &b, Value operand, const DropoutOptions &options) {
  if (!b.status())
    return operand;
  const TensorType type = b.type(operand);
  const double keep = 1 - options.probability;
  if (!(options.probability >= 0 && keep > 0) || !isFloat(type.dtype) ||
      options.site > 0xFFFF)
    return refuse(b,
                  "dropout needs an operand of floats, a probability p with 0 "
                  "<= p < 1, and a site below 65536, not " +
                      type.str() + ", " + std::to_string(options.probability) +
                      " and " + std::to_string(options.site));
  if (!type.isStatic() && options.shape.empty())
    return refuse(b, "dropout of " + type.str() +
                         " needs its shape as expressions of names of dims");
  const double threshold = std::floor(options.probability * 0x1p32);
  Value isKept = b.compare(
      {drawWords(b, type, options), b.splat({DType::ui32, {}}, threshold)},
      {.predicate = fb::ComparePredicate::ge});
  Value scaled = b.mul(operand, scalar(b, operand, 1 / keep));
  return b.select({isKept, scaled, scalar(b, operand, 0)});
}

} // namespace tandem
