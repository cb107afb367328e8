//===- Layers.h - What networks are built of --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function appends an op, or the few ops of a layer, and returns the
// result. Attributes are the caller's: a shape rule that refuses them ends the
// process.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_LAYERS_H
#define TANDEM_TEST_FUZZ_LAYERS_H

#include "GraphBuilder.h"

#include <algorithm>

namespace tandem::fuzz {

/// "W", "HW" or "DHW".
std::string spatialLetters(size_t rank);

/// The dims of a tensor in the order of its layout: `first` where the letter is
/// `firstName`, `second` for C or I, the others from `spatial`.
Shape arrange(const std::string &layout, int64_t first, char firstName,
              int64_t second, const std::vector<int64_t> &spatial);

/// An op that moves elements without changing them.
template <typename Attrs>
int move(GraphBuilder &b, OpKind kind, Attrs attrs, std::vector<int> operands) {
  double magnitude = 0;
  for (int i : operands)
    magnitude = std::max(magnitude, b.node(i).magnitude);
  OpDesc desc;
  desc.kind = kind;
  desc.attrs.Set(std::move(attrs));
  return b.op(std::move(desc), std::move(operands), magnitude);
}
int reshape(GraphBuilder &b, int x, const Shape &shape);
int transpose(GraphBuilder &b, int x, std::vector<int64_t> permutation);
int gather(GraphBuilder &b, int x, int indices, int64_t axis);
int concat(GraphBuilder &b, std::vector<int> operands, int64_t axis);
/// Elements [start, limit) along one axis.
int slice(GraphBuilder &b, int x, int axis, int64_t start, int64_t limit);

int add(GraphBuilder &b, int x, int y);
int sub(GraphBuilder &b, int x, int y);
int mul(GraphBuilder &b, int x, int y);
int cast(GraphBuilder &b, int x, DType dtype);
/// Relu most often, else tanh or sigmoid.
int activate(GraphBuilder &b, int x);

/// Sum, mean or max over `dims`, which stay as dims of size 1.
int reduceKept(GraphBuilder &b, fb::ReduceKind kind, int x,
               const std::vector<int64_t> &dims);
/// exp(x - max) / sum(exp(x - max)).
int softmaxByOps(GraphBuilder &b, int x, const std::vector<int64_t> &dims);
/// (x - mean) / sqrt(variance + 1/2).
int normalize(GraphBuilder &b, int x, const std::vector<int64_t> &dims);
/// A batch norm whose parameters are inputs or constants.
int normalizeChannels(GraphBuilder &b, int x, int64_t axis);

int conv(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x, int kernel);
/// The same op with a third operand, one element for each output channel.
int convWithBias(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                 int kernel, int bias);
int convBackwardWeights(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                        int gradient);
int convBackwardData(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                     int kernel);
int matmul(GraphBuilder &b, const fb::MatmulAttrsT &attrs, int x, int y);
int pool(GraphBuilder &b, OpKind kind, fb::PoolAttrsT attrs, int x);
/// The mean of windows, and the gradient of a mean for it. `sizes` are the
/// spatial sizes of `x`.
void avgPoolGradient(GraphBuilder &b, fb::PoolAttrsT attrs,
                     const std::vector<int64_t> &sizes, int x);
/// The values of a pool with an index, and sometimes the gradient of a pool for
/// them, by the index of values that every execution agrees on.
void indexedPool(GraphBuilder &b, fb::PoolAttrsT attrs,
                 const std::vector<int64_t> &sizes, int x);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_LAYERS_H
