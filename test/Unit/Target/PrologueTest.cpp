//===- PrologueTest.cpp - Contractions that compute their data ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Fuzz/RandomGraph.h"
#include "../Providers/Cases.h"
#include "CompiledOp.h"

using namespace tandem;
using namespace tandem::test;

namespace {

/// Small multiples of 1/8 of both signs: what is computed of them here is exact
/// in f32.
Tensor varied(const Shape &shape, int seed, DType dtype = DType::f32) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i)
    values.push_back(static_cast<double>((i * 37 + seed * 11) % 61 - 30) / 8);
  return tensorOf(dtype, shape, values);
}

/// A kernel of kind contraction in the making, and what the reference computes.
class KernelOfOps {
public:
  int input(const Tensor &value) {
    fuzz::Node node;
    node.kind = fuzz::NodeKind::input;
    return append(node, value);
  }
  int op(const OpDesc &op, const std::vector<int> &operands) {
    fuzz::Node node;
    node.op = op;
    node.operands = operands;
    std::vector<Tensor> given;
    for (int operand : operands)
      given.push_back(values[operand]);
    return append(node, reference(op, given));
  }

  /// Compiles it, returning `results`, and compares these.
  void check(const std::vector<int> &results) {
    auto kernel = compileKernel(print(results));
    ASSERT_TRUE(kernel) << kernel.error().str() << "\n" << print(results);
    std::vector<void *> arguments;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].kind == fuzz::NodeKind::input)
        arguments.push_back(const_cast<void *>(values[i].data()));
    std::vector<Tensor> computed;
    for (int result : results) {
      computed.push_back(emptyTensor(values[result].type()));
      arguments.push_back(computed.back().data());
    }
    kernel->run(arguments);
    for (auto [i, result] : llvm::enumerate(results))
      EXPECT_EQ(valuesOf(computed[i]), valuesOf(values[result]))
          << print(results);
  }

  std::string print(const std::vector<int> &results) const {
    std::vector<std::string> arguments, names, types;
    std::string body;
    for (size_t i = 0; i < nodes.size(); ++i) {
      std::string name = "%v" + std::to_string(i);
      if (nodes[i].kind == fuzz::NodeKind::input)
        arguments.push_back(name + ": " + nodes[i].type.str());
      else
        body += name + " = " + fuzz::printGeneric(nodes[i], nodes) + "\n";
    }
    for (int result : results) {
      names.push_back("%v" + std::to_string(result));
      types.push_back(nodes[result].type.str());
    }
    return "module @k attributes {tandem.kind = #tandem<fusion_kind "
           "contraction>} { func.func @k(" +
           join(arguments) + ") -> (" + join(types) + ") {\n" + body +
           "return " + join(names) + " : " + join(types) + " } }";
  }

private:
  int append(fuzz::Node node, const Tensor &value) {
    node.type = value.type();
    nodes.push_back(std::move(node));
    values.push_back(value);
    return static_cast<int>(nodes.size()) - 1;
  }

  static std::string join(const std::vector<std::string> &texts) {
    std::string joined;
    for (const std::string &text : texts)
      joined += (joined.empty() ? "" : ", ") + text;
    return joined;
  }

  std::vector<fuzz::Node> nodes;
  std::vector<Tensor> values;
};

/// max(x * s + r, 0) + b: nothing of it is zero where x is.
int appendPrologue(KernelOfOps &kernel, const Shape &shape) {
  Shape channels{shape[shape.rank() - 1]};
  int x = kernel.input(varied(shape, 1));
  int scaled =
      kernel.op(makeOp(OpKind::mul), {x, kernel.input(varied(channels, 4))});
  int sum =
      kernel.op(makeOp(OpKind::add), {scaled, kernel.input(varied(shape, 5))});
  int positive = kernel.op(makeOp(OpKind::relu), {sum});
  return kernel.op(makeOp(OpKind::add),
                   {positive, kernel.input(varied(channels, 6))});
}

struct Conv {
  std::vector<int64_t> spatial;
  int64_t batch, inputs, outputs, kernel;
  int64_t stride = 1, dilation = 1, pad = 0, groups = 1;

  OpDesc op() const {
    std::string s = std::string("DHW").substr(3 - spatial.size());
    fb::ConvAttrsT attrs;
    attrs.strides.assign(spatial.size(), stride);
    attrs.dilations.assign(spatial.size(), dilation);
    attrs.pad_low.assign(spatial.size(), pad);
    attrs.pad_high.assign(spatial.size(), pad > 0 ? pad - 1 : 0);
    attrs.groups = groups;
    attrs.input_layout = attrs.output_layout = "N" + s + "C";
    attrs.kernel_layout = s + "IO";
    return makeOp(OpKind::conv, attrs);
  }
  Shape data() const {
    Shape shape{batch};
    for (int64_t size : spatial)
      shape.push_back(size);
    shape.push_back(inputs);
    return shape;
  }
  Shape weights() const {
    Shape shape;
    for (size_t i = 0; i < spatial.size(); ++i)
      shape.push_back(kernel);
    shape.push_back(inputs / groups);
    shape.push_back(outputs);
    return shape;
  }
};

void check(const Conv &conv) {
  KernelOfOps kernel;
  int data = appendPrologue(kernel, conv.data());
  int weights = kernel.input(varied(conv.weights(), 2));
  int bias = kernel.input(varied({conv.outputs}, 3));
  int result = kernel.op(conv.op(), {data, weights, bias});
  kernel.check({result, kernel.op(makeOp(OpKind::relu), {result})});
}

TEST(Prologue, Widths) {
  for (int64_t width : {2, 7, 13, 14, 15, 29, 61})
    check({{5, width}, 2, 5, 33, 3, 1, 1, 1});
}

TEST(Prologue, InputsAroundTheVectors) {
  for (int64_t inputs : {1, 2, 3, 15, 16, 17, 33, 64})
    for (int64_t kernel : {1, 3})
      check({{6, 9}, 2, inputs, 20, kernel, 1, 1, kernel / 2});
}

/// Enough outputs and positions for several tasks: halo rows, and a task that
/// has the end of an image and the beginning of the next.
TEST(Prologue, SeveralTasks) {
  for (int64_t outputs : {64, 97, 130})
    for (int64_t batch : {1, 3})
      check({{23, 31}, batch, 16, outputs, 3, 1, 1, 1});
  check({{6, 6}, 8, 512, 130, 3, 1, 1, 1});
  check({{61, 53}, 2, 33, 65, 1});
}

TEST(Prologue, StridesAndDilations) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2, 5})
      for (int64_t pad : {0, 1, 2, 7})
        check({{13, 37}, 2, 3, 18, 3, stride, dilation, pad});
}

TEST(Prologue, MuchPadding) {
  check({{3, 4}, 2, 2, 17, 2, 1, 1, 5});
  check({{40, 40}, 1, 2, 17, 3, 1, 18, 18});
  check({{3, 60}, 1, 3, 64, 3, 1, 1, 30});
}

TEST(Prologue, Groups) {
  for (int64_t groups : {2, 3})
    for (int64_t kernel : {1, 3})
      check({{6, 15},
             2,
             4 * groups,
             20 * groups,
             kernel,
             1,
             1,
             kernel / 2,
             groups});
}

TEST(Prologue, Depthwise) {
  for (int64_t channels : {2, 15, 16, 33, 96})
    for (int64_t stride : {1, 2})
      check({{9, 16}, 2, channels, channels, 3, stride, 1, 1, channels});
}

TEST(Prologue, OneAndThreeSpatialDims) {
  for (int64_t width : {4, 33, 500})
    check({{width}, 3, 5, 24, 3, 1, 2, 4});
  for (int64_t stride : {1, 2})
    for (int64_t pad : {0, 1, 2})
      check({{5, 6, 9}, 2, 8, 40, 3, stride, 1, pad});
}

/// What computes the data reads elements that are the same for a row of it.
TEST(Prologue, OperandsOfOtherShapes) {
  Conv conv{{6, 15}, 2, 20, 24, 3, 1, 1, 1};
  for (Shape shape : {Shape{2, 1, 1, 20}, Shape{6, 1, 1}, Shape{1, 15, 20},
                      Shape{1, 6, 15, 1}, Shape{2, 6, 15, 1}, Shape{}}) {
    KernelOfOps kernel;
    int x = kernel.input(varied(conv.data(), 1));
    int other = kernel.input(varied(shape, 4));
    int data = kernel.op(makeOp(OpKind::add), {x, other});
    int weights = kernel.input(varied(conv.weights(), 2));
    kernel.check({kernel.op(conv.op(), {data, weights})});
  }
}

/// The epilogue reads what the prologue computes, and what it reads.
TEST(Prologue, EpilogueOfTheSameData) {
  Conv conv{{9, 14}, 2, 24, 24, 3, 1, 1, 1};
  KernelOfOps kernel;
  int x = kernel.input(varied(conv.data(), 1));
  int data = kernel.op(makeOp(OpKind::relu), {x});
  int weights = kernel.input(varied(conv.weights(), 2));
  fb::ConvAttrsT attrs = *conv.op().attrs.AsConvAttrs();
  attrs.pad_high = {1, 1};
  int result = kernel.op(makeOp(OpKind::conv, attrs), {data, weights});
  int sum = kernel.op(makeOp(OpKind::add), {result, data});
  kernel.check({kernel.op(makeOp(OpKind::mul), {sum, x})});
}

void checkMatmul(const Shape &lhs, const Shape &rhs, bool transposeRhs,
                 DType dtype) {
  fb::MatmulAttrsT attrs;
  attrs.transpose_rhs = transposeRhs;
  fb::CastAttrsT cast;
  cast.dtype = dtype;
  KernelOfOps kernel;
  DType other = dtype == DType::f32 ? DType::bf16 : DType::f32;
  int data =
      kernel.op(makeOp(OpKind::relu), {kernel.input(varied(lhs, 1, other))});
  data = kernel.op(makeOp(OpKind::cast, cast), {data});
  int weights = kernel.input(varied(rhs, 2, dtype));
  kernel.check({kernel.op(makeOp(OpKind::matmul, attrs), {data, weights})});
}

/// Data of one type computed from another, as rows of dot products and of
/// outputs.
TEST(Prologue, MatmulsAndCasts) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (int64_t m : {1, 2, 14, 61, 130})
      for (int64_t k : {3, 31, 64})
        for (int64_t n : {2, 33, 65}) {
          checkMatmul({m, k}, {k, n}, false, dtype);
          checkMatmul({m, k}, {n, k}, true, dtype);
        }
}

TEST(Prologue, Batches) {
  checkMatmul({3, 5, 7}, {3, 7, 20}, false, DType::f32);
  checkMatmul({3, 2, 5, 7}, {7, 20}, false, DType::f32);
  checkMatmul({3, 1, 40, 17}, {3, 1, 20, 17}, true, DType::f32);
}

/// Data of which a task has no range is refused, and said why.
TEST(Prologue, Refused) {
  KernelOfOps kernel;
  int data = kernel.op(makeOp(OpKind::relu), {kernel.input(varied({5, 7}, 1))});
  int weights = kernel.input(varied({3, 7, 20}, 2));
  int result =
      kernel.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {data, weights});
  auto compiled = compileKernel(kernel.print({result}));
  EXPECT_FALSE(compiled);
}

} // namespace
