//===- LoopsTest.cpp - Loops of a GraphBuilder ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include "../Providers/Cases.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Value = GraphBuilder::Value;
using Yield = GraphBuilder::LoopYield;

namespace {

using Values = std::vector<double>;

Tensor rows(const TensorType &type, float first) {
  Tensor tensor = std::move(*Tensor::allocate(type));
  for (int64_t i = 0; i < type.shape.numElements(); ++i)
    tensor.as<float>()[i] = first + float(i) / 8;
  return tensor;
}

class Loops : public testing::TestWithParam<Tier> {
protected:
  /// The outputs of the graph that computes `outputs`.
  std::vector<Values> run(GraphBuilder::Operands outputs,
                          const std::vector<Tensor> &inputs = {}) {
    auto graph = b.build(std::move(outputs));
    if (!graph) {
      ADD_FAILURE() << graph.error().str();
      return {};
    }
    auto function = (*graph)->createFunction();
    auto results = (*function)->call(inputs, GetParam());
    if (!results) {
      ADD_FAILURE() << results.error().str();
      return {};
    }
    std::vector<Values> all;
    for (const Tensor &result : *results)
      all.push_back(valuesOf(result));
    return all;
  }
  Value scalar(double value) { return b.splat({DType::f32, {}}, value); }

  GraphBuilder b;
};

INSTANTIATE_TEST_SUITE_P(
    Tiers, Loops, testing::Values(Tier::reference, Tier::eager, Tier::compiled),
    [](const auto &info) { return std::string(name(info.param)); });

/// h = tanh(h * w + x) over the rows of x, and all h.
TEST_P(Loops, RunRecurrentNetworks) {
  Value xs = b.input({DType::f32, {kDynamic, 2, 3}}, {"t", "", ""});
  Value w = b.input({DType::f32, {3, 3}}), h0 = b.input({DType::f32, {2, 3}});
  auto loop = b.loop({.carried = {h0}, .scanned = {xs}}, [&](auto &body) {
    Value h = b.matmul({body.carried[0], w});
    h = b.tanh(b.add(h, body.slices[0]));
    return Yield{.carried = {h}, .stacked = {h}};
  });
  EXPECT_EQ(b.type(loop.carried[0]), (TensorType{DType::f32, {2, 3}}));
  EXPECT_EQ(b.type(loop.stacked[0]),
            (TensorType{DType::f32, {kDynamic, 2, 3}}));
  for (int64_t steps : {5, 1, 0}) {
    const std::vector<Tensor> in{rows({DType::f32, {steps, 2, 3}}, -1),
                                 rows({DType::f32, {3, 3}}, -0.5),
                                 rows({DType::f32, {2, 3}}, 0)};
    const Values x = valuesOf(in[0]), weights = valuesOf(in[1]);
    Values h = valuesOf(in[2]), all;
    for (int64_t step = 0; step < steps; ++step) {
      const Values last = h;
      for (size_t i = 0; i < 6; ++i) {
        h[i] = x[size_t(step) * 6 + i];
        for (size_t k = 0; k < 3; ++k)
          h[i] += last[i / 3 * 3 + k] * weights[3 * k + i % 3];
        h[i] = std::tanh(h[i]);
        all.push_back(h[i]);
      }
    }
    const std::vector<Values> got = run({loop.carried[0], loop.stacked[0]}, in);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_THAT(got[0], testing::Pointwise(testing::DoubleNear(1e-5), h));
    EXPECT_THAT(got[1], testing::Pointwise(testing::DoubleNear(1e-5), all));
  }
}

TEST_P(Loops, KnowTheNumberOfTheIteration) {
  auto loop = b.loop({.carried = {scalar(1)}, .trips = 4}, [&](auto &body) {
    Value number = b.cast(body.index, {.dtype = DType::f32});
    return Yield{.carried = {b.add(body.carried[0], number)},
                 .stacked = {body.index}};
  });
  EXPECT_EQ(b.type(loop.stacked[0]), (TensorType{DType::i64, {4}}));
  EXPECT_THAT(run({loop.carried[0], loop.stacked[0]}),
              ElementsAre(Values{7}, Values{0, 1, 2, 3}));
}

/// An index of many iterations takes no memory for each.
TEST_P(Loops, CountManyIterations) {
  auto zero = b.splat({DType::i64, {}}, 0);
  auto loop = b.loop({.carried = {zero}, .trips = 5000}, [&](auto &body) {
    return Yield{.carried = {b.add(body.carried[0], body.index)}};
  });
  EXPECT_THAT(run(loop.carried), ElementsAre(Values{4999 * 5000 / 2}));
}

/// The loop carries the index if the number of iterations is not known.
TEST_P(Loops, CountIterationsOfFreeDims) {
  Value xs = b.input({DType::f32, {kDynamic}}, {"t"});
  auto loop =
      b.loop({.carried = {scalar(0)}, .scanned = {xs}, .reversed = {true}},
             [&](auto &body) {
               Value number = b.cast(body.index, {.dtype = DType::f32});
               Value next =
                   b.add(body.carried[0], b.mul(number, body.slices[0]));
               return Yield{.carried = {next}, .stacked = {body.index, next}};
             });
  ASSERT_EQ(loop.carried.size(), 1u);
  ASSERT_EQ(loop.stacked.size(), 2u);
  const std::vector<Tensor> x{rows({DType::f32, {3}}, 1)};
  EXPECT_THAT(
      run({loop.carried[0], loop.stacked[0], loop.stacked[1]}, x),
      ElementsAre(Values{1.125 + 2}, Values{0, 1, 2}, Values{0, 1.125, 3.125}));
}

TEST_P(Loops, ScanAndStackInEitherDirection) {
  Value xs = b.constant(rows({DType::f32, {3}}, 1));
  auto loop = b.loop(
      {.carried = {scalar(0)}, .scanned = {xs, xs}, .reversed = {true, false}},
      [&](auto &body) {
        Value sum = b.add(body.carried[0], body.slices[0]);
        return Yield{.carried = {sum},
                     .stacked = {sum, sum, body.slices[1], body.index},
                     .reversed = {true, false, true, true}};
      });
  std::vector<Value> outputs = loop.carried;
  outputs.insert(outputs.end(), loop.stacked.begin(), loop.stacked.end());
  EXPECT_THAT(run(outputs),
              ElementsAre(Values{3.375}, Values{3.375, 2.375, 1.25},
                          Values{1.25, 2.375, 3.375}, Values{1.25, 1.125, 1},
                          Values{2, 1, 0}));
}

/// Inner bodies use the values of outer ones, and of the graph.
TEST_P(Loops, MayBeNested) {
  Value x = b.input({DType::f32, {2}}), two = scalar(2);
  auto outer = b.loop({.carried = {x}, .trips = 3}, [&](auto &body) {
    Value doubled = b.mul(body.carried[0], two);
    auto inner = b.loop({.carried = {doubled}, .trips = 2}, [&](auto &within) {
      Value number =
          b.cast(b.add(body.index, within.index), {.dtype = DType::f32});
      Value sum = b.add(within.carried[0], b.add(x, number));
      return Yield{.carried = {b.add(sum, body.carried[0])}};
    });
    return Yield{.carried = inner.carried, .stacked = {doubled}};
  });
  Values h{1, 1.125}, all;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k) {
      Values before = h;
      h[size_t(k)] *= 2;
      all.push_back(h[size_t(k)]);
      for (int j = 0; j < 2; ++j)
        h[size_t(k)] += (k ? 1.125 : 1) + i + j + before[size_t(k)];
    }
  EXPECT_THAT(
      run({outer.carried[0], outer.stacked[0]}, {rows({DType::f32, {2}}, 1)}),
      ElementsAre(h, all));
}

/// A body may return what it is given, values from outside and constants.
TEST_P(Loops, MayComputeNothing) {
  Value x = b.input({DType::f32, {2}});
  Value weights = b.constant(rows({DType::f32, {40}}, 0));
  auto loop = b.loop({.carried = {x, scalar(3)}, .trips = 2}, [&](auto &body) {
    return Yield{
        .carried = {x, body.carried[1]},
        .stacked = {x, scalar(5),
                    b.slice(weights,
                            {.starts = {38}, .limits = {40}, .strides = {1}})}};
  });
  std::vector<Value> outputs = loop.carried;
  outputs.insert(outputs.end(), loop.stacked.begin(), loop.stacked.end());
  EXPECT_THAT(run(outputs, {rows({DType::f32, {2}}, 1)}),
              ElementsAre(Values{1, 1.125}, Values{3},
                          Values{1, 1.125, 1, 1.125}, Values{5, 5},
                          Values{4.75, 4.875, 4.75, 4.875}));
}

TEST_P(Loops, MayHaveNoIterations) {
  Value x = b.input({DType::f32, {2}});
  auto loop = b.loop({.carried = {x}, .trips = 0}, [&](auto &body) {
    Value next = b.exp(body.carried[0]);
    return Yield{.carried = {next}, .stacked = {next, body.index}};
  });
  EXPECT_EQ(b.type(loop.stacked[0]), (TensorType{DType::f32, {0, 2}}));
  EXPECT_THAT(run({loop.carried[0], loop.stacked[0], loop.stacked[1]},
                  {rows({DType::f32, {2}}, 1)}),
              ElementsAre(Values{1, 1.125}, IsEmpty(), IsEmpty()));
}

/// A body that is left by an exception leaves no trace.
TEST_P(Loops, AreDroppedWithABodyThatThrows) {
  Value x = b.input({DType::f32, {}}), leaked;
  auto leave = [&](auto &body) -> Yield {
    leaked = b.exp(body.carried[0]);
    throw std::runtime_error("not today");
  };
  EXPECT_THROW(b.loop({.carried = {x}, .trips = 2}, leave), std::runtime_error);
  EXPECT_TRUE(b.status());
  EXPECT_THAT(run(b.neg(x), {rows({DType::f32, {}}, 3)}),
              ElementsAre(Values{-3}));
  b.neg(leaked);
  EXPECT_THAT(b.status().error().message, HasSubstr("has ended"));
}

} // namespace
