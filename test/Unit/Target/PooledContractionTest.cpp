//===- PooledContractionTest.cpp - Contractions that pool -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Fuzz/RandomGraph.h"
#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include "tandem/Runtime/Compare.h"

#include <cmath>

using namespace tandem;
using namespace tandem::test;

namespace {

/// Ops one after the other, computed by the reference and as one kernel of kind
/// contraction.
class Chain {
public:
  /// `hasSpecials`: the first input has NaNs and infinities.
  explicit Chain(bool hasSpecials = false) : hasSpecials(hasSpecials) {}

  /// Small multiples of 1/8 of both signs: sums of products of them are exact.
  int input(DType dtype, const Shape &shape) {
    int seed = static_cast<int>(nodes.size());
    std::vector<double> values;
    for (int64_t i = 0; i < shape.numElements(); ++i)
      values.push_back(static_cast<double>((i * 37 + seed * 11) % 61 - 30) / 8);
    for (size_t i = 5; i < values.size() && hasSpecials && seed == 0; i += 23)
      values[i] = i % 2 == 0 ? std::nan("") : -HUGE_VAL;
    tensors.push_back(tensorOf(dtype, shape, values));
    return add({fuzz::NodeKind::input, {}, 0, 0, {}, tensors.back().type()});
  }
  int op(const OpDesc &op, std::vector<int> operands) {
    std::vector<Tensor> values;
    for (int operand : operands)
      values.push_back(tensors[operand]);
    tensors.push_back(reference(op, values));
    return add({fuzz::NodeKind::op, op, 0, 0, operands, tensors.back().type()});
  }
  const Shape &shapeOf(int node) { return tensors[node].type().shape; }

  /// Compares what the last op computes, within `eps` of rounding.
  void check(double eps, const CPUTargetOptions &options = {}) {
    auto kernel = compileKernel(print(), options);
    ASSERT_TRUE(kernel) << kernel.error().str() << print();
    std::vector<void *> args;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].kind == fuzz::NodeKind::input)
        args.push_back(tensors[i].data());
    Tensor actual = emptyTensor(tensors.back().type());
    args.push_back(actual.data());
    kernel->run(args);
    Difference difference = compareNormwise(tensors.back(), actual, eps);
    EXPECT_TRUE(difference.agrees()) << print();
  }

private:
  int add(const fuzz::Node &node) {
    nodes.push_back(node);
    return static_cast<int>(nodes.size()) - 1;
  }
  std::string print() const {
    std::string arguments, body;
    for (size_t i = 0; i < nodes.size(); ++i) {
      std::string name = "%v" + std::to_string(i);
      if (nodes[i].kind == fuzz::NodeKind::input)
        arguments +=
            (arguments.empty() ? "" : ", ") + name + ": " + nodes[i].type.str();
      else
        body += name + " = " + fuzz::printGeneric(nodes[i], nodes) + "\n";
    }
    std::string type = nodes.back().type.str();
    return "module @k attributes {tandem.kind = #tandem<fusion_kind "
           "contraction>} { func.func @k(" +
           arguments + ") -> " + type + " {\n" + body + "return %v" +
           std::to_string(nodes.size() - 1) + " : " + type + " } }";
  }

  bool hasSpecials;
  std::vector<fuzz::Node> nodes;
  std::vector<Tensor> tensors;
};

struct Conv {
  std::vector<int64_t> sizes;
  int64_t batch = 1, inputs = 3, outputs = 16, kernel = 3, stride = 1, pad = 1;
  int64_t groups = 1;
  bool channelsLast = true;
  DType dtype = DType::f32;
};

struct Pool {
  int64_t window = 2, stride = 2, padLow = 0, padHigh = 0, dilation = 1;
  bool isMean = false, countsPadding = false;
};

std::string getLayout(const Conv &conv) {
  std::string spatial = std::string("DHW").substr(3 - conv.sizes.size());
  return conv.channelsLast ? "N" + spatial + "C" : "NC" + spatial;
}

Shape getImages(const Conv &conv, int64_t channels) {
  std::vector<int64_t> shape = {conv.batch};
  if (!conv.channelsLast)
    shape.push_back(channels);
  shape.insert(shape.end(), conv.sizes.begin(), conv.sizes.end());
  if (conv.channelsLast)
    shape.push_back(channels);
  return Shape(shape);
}

int addConv(Chain &chain, const Conv &conv) {
  size_t rank = conv.sizes.size();
  fb::ConvAttrsT attrs;
  attrs.strides.assign(rank, conv.stride);
  attrs.dilations.assign(rank, 1);
  attrs.pad_low.assign(rank, conv.pad);
  attrs.pad_high.assign(rank, conv.pad);
  attrs.groups = conv.groups;
  attrs.input_layout = attrs.output_layout = getLayout(conv);
  std::string spatial = std::string("DHW").substr(3 - rank);
  attrs.kernel_layout = conv.channelsLast ? spatial + "IO" : "OI" + spatial;
  std::vector<int64_t> kernel(rank, conv.kernel);
  int64_t inputs = conv.inputs / conv.groups;
  kernel.insert(conv.channelsLast ? kernel.end() : kernel.begin(),
                {conv.channelsLast ? inputs : conv.outputs,
                 conv.channelsLast ? conv.outputs : inputs});
  int x = chain.input(conv.dtype, getImages(conv, conv.inputs));
  int k = chain.input(conv.dtype, Shape(kernel));
  return chain.op(makeOp(OpKind::conv, attrs), {x, k});
}

int addPool(Chain &chain, const Conv &conv, const Pool &pool, int operand) {
  size_t rank = conv.sizes.size();
  fb::PoolAttrsT attrs;
  attrs.window.assign(rank, pool.window);
  attrs.strides.assign(rank, pool.stride);
  attrs.pad_low.assign(rank, pool.padLow);
  attrs.pad_high.assign(rank, pool.padHigh);
  attrs.dilations.assign(rank, pool.dilation);
  attrs.layout = getLayout(conv);
  attrs.count_include_pad = pool.countsPadding;
  return chain.op(
      makeOp(pool.isMean ? OpKind::avg_pool : OpKind::max_pool, attrs),
      {operand});
}

double getTolerance(DType dtype) {
  return dtype == DType::bf16 ? std::ldexp(1.01, -8) : std::ldexp(1.0, -20);
}

/// Checks a chain as a network has it: convolution, bias, relu, pooling.
void check(const Conv &conv, const Pool &pool) {
  Chain chain;
  int sum = addConv(chain, conv);
  int bias =
      chain.input(conv.dtype, conv.channelsLast ? Shape{conv.outputs}
                                                : Shape{conv.outputs, 1, 1});
  int result = chain.op(makeOp(OpKind::add), {sum, bias});
  addPool(chain, conv, pool, chain.op(makeOp(OpKind::relu), {result}));
  chain.check(getTolerance(conv.dtype));
}

TEST(PooledContraction, Windows) {
  for (bool isMean : {false, true})
    for (bool channelsLast : {true, false}) {
      Conv conv{{13, 17}};
      conv.channelsLast = channelsLast;
      for (int64_t window : {1, 2, 3, 5})
        for (int64_t stride : {1, 2, 3})
          check(conv, {window, stride, 0, 0, 1, isMean});
    }
}

TEST(PooledContraction, PaddedWindows) {
  for (bool isMean : {false, true})
    for (bool countsPadding : {false, isMean})
      for (bool channelsLast : {true, false}) {
        Conv conv{{14, 19}, 2};
        conv.channelsLast = channelsLast;
        check(conv, {3, 2, 1, 1, 1, isMean, countsPadding});
        check(conv, {2, 2, 0, 1, 1, isMean, countsPadding});
        check(conv, {3, 2, 0, 1, 1, isMean, countsPadding});
        check(conv, {4, 1, 3, 2, 1, isMean, countsPadding});
      }
}

TEST(PooledContraction, DilatedWindows) {
  for (int64_t dilation : {2, 3})
    for (int64_t stride : {1, 2, 5})
      check({{16, 18}}, {3, stride, 2, 1, dilation});
}

TEST(PooledContraction, SizesAroundTheTiles) {
  for (int64_t size : {2, 3, 4, 5, 7, 14, 15, 16, 29, 31, 61})
    for (bool channelsLast : {true, false}) {
      Conv conv{{size, size + 1}, 1, 3, 33};
      conv.channelsLast = channelsLast;
      check(conv, {2, 2});
      check(conv, {3, 2, 1, 1});
    }
}

TEST(PooledContraction, OutputsAroundTheVectors) {
  for (int64_t outputs : {1, 2, 3, 8, 15, 16, 17, 31, 33, 64, 65, 97, 130})
    check({{9, 11}, 2, 5, outputs}, {3, 2, 1, 1});
}

TEST(PooledContraction, Groups) {
  // All outputs may be whole vectors where those of a group are not.
  for (int64_t groups : {2, 3, 4})
    for (int64_t outputs : {3, 5, 8, 12, 16, 20, 24, 40})
      check({{9, 11}, 2, 4 * groups, outputs * groups, 3, 1, 1, groups},
            {2, 2});
  for (int64_t channels : {2, 15, 16, 33, 100})
    check({{9, 12}, 2, channels, channels, 3, 1, 1, channels}, {3, 2, 1, 1});
}

TEST(PooledContraction, StridesAndKernels) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t kernel : {1, 2, 7})
      check({{23, 30}, 2, 3, 20, kernel, stride, kernel / 2}, {3, 2, 1, 1});
}

/// Many tasks, of which the last is smaller.
TEST(PooledContraction, ManyTasks) {
  for (int64_t size : {97, 100, 150})
    for (bool channelsLast : {true, false}) {
      Conv conv{{size, size}, 3, 3, 40};
      conv.channelsLast = channelsLast;
      check(conv, {2, 2});
      check(conv, {3, 2, 1, 1});
      check(conv, {3, 3});
    }
}

TEST(PooledContraction, OneAndThreeSpatialDims) {
  for (int64_t batch : {1, 3})
    for (bool channelsLast : {true, false}) {
      Conv line{{45}, batch}, block{{5, 9, 18}, batch};
      line.channelsLast = block.channelsLast = channelsLast;
      for (const Conv &conv : {line, block}) {
        Chain chain;
        int sum = addConv(chain, conv);
        addPool(chain, conv, {3, 2, 1, 1},
                chain.op(makeOp(OpKind::neg), {sum}));
        chain.check(getTolerance(DType::f32));
      }
    }
}

TEST(PooledContraction, BF16) {
  for (bool isMean : {false, true})
    for (int64_t outputs : {15, 32}) {
      Conv conv{{13, 17}, 2, 6, outputs};
      conv.dtype = DType::bf16;
      check(conv, {3, 2, 1, 1, 1, isMean});
    }
}

/// Nothing between, and something after.
TEST(PooledContraction, AlongsideElementwise) {
  for (int64_t size : {8, 13})
    for (int64_t batch : {1, 2}) {
      Conv conv{{size, size}, batch, 4, 20};
      Chain bare;
      addPool(bare, conv, {3, 2, 1, 1}, addConv(bare, conv));
      bare.check(getTolerance(DType::f32));

      Chain chain;
      int pooled = addPool(chain, conv, {2, 2}, addConv(chain, conv));
      int residual = chain.input(DType::f32, chain.shapeOf(pooled));
      int scale = chain.input(DType::f32, {conv.outputs});
      int sum = chain.op(makeOp(OpKind::add), {pooled, residual});
      chain.op(makeOp(OpKind::relu),
               {chain.op(makeOp(OpKind::mul), {sum, scale})});
      chain.check(getTolerance(DType::f32));
    }
}

/// A NaN in a window is what it gives, padding is not.
TEST(PooledContraction, NaNAndInfinity) {
  for (bool isMean : {false, true}) {
    Chain chain(/*hasSpecials=*/true);
    Conv conv{{12, 14}, 1, 2, 16, 1, 1, 0};
    addPool(chain, conv, {3, 2, 1, 1, 1, isMean}, addConv(chain, conv));
    chain.check(getTolerance(DType::f32));
  }
}

int addReduce(Chain &chain, fb::ReduceKind kind, std::vector<int64_t> dims,
              bool keepDims, int operand) {
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.dims = std::move(dims);
  attrs.keep_dims = keepDims;
  return chain.op(makeOp(OpKind::reduce, attrs), {operand});
}

TEST(PooledContraction, OverAllPositions) {
  for (auto kind : {fb::ReduceKind::mean, fb::ReduceKind::max,
                    fb::ReduceKind::sum, fb::ReduceKind::prod})
    for (bool keepDims : {false, true})
      for (int64_t size : {1, 2, 4, 7})
        for (bool channelsLast : {true, false}) {
          Conv conv{{size, size + 1}, 3, 5, 33};
          conv.channelsLast = channelsLast;
          Chain chain;
          int relu = chain.op(makeOp(OpKind::relu), {addConv(chain, conv)});
          addReduce(chain, kind,
                    channelsLast ? std::vector<int64_t>{1, 2}
                                 : std::vector<int64_t>{2, 3},
                    keepDims, relu);
          chain.check(getTolerance(DType::f32) * 8);
        }
}

TEST(PooledContraction, OverRowsOfAProduct) {
  for (int64_t rows : {2, 7, 14, 27})
    for (int64_t columns : {16, 33, 130}) {
      Chain chain;
      int x = chain.input(DType::f32, {3, rows, 24});
      int w = chain.input(DType::f32, {24, columns});
      fb::MatmulAttrsT attrs;
      int product = chain.op(makeOp(OpKind::matmul, attrs), {x, w});
      addReduce(chain, fb::ReduceKind::mean, {1}, false,
                chain.op(makeOp(OpKind::relu), {product}));
      chain.check(getTolerance(DType::f32));
    }
}

} // namespace
