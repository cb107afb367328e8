//===- GradientsTest.cpp - Gradients against differences ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of every op in f64, and the derivative of this gradient, in
// random directions, against central differences on the reference tier.
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CheckGradients.h"

#include <map>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr int kCasesPerKind = 50, kCasesTwice = 10;

bool isAnyOf(OpKind kind, std::initializer_list<OpKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// An interval on which the op is smooth, apart from ties between elements.
std::pair<double, double> domainOf(OpKind kind, size_t operand) {
  if (isAnyOf(kind, {OpKind::log, OpKind::log1p, OpKind::sqrt, OpKind::rsqrt,
                     OpKind::pow}) ||
      (isAnyOf(kind, {OpKind::div, OpKind::rem}) && operand == 1) ||
      (kind == OpKind::batch_norm && operand == 4))
    return {0.5, 2};
  if (isAnyOf(kind, {OpKind::asin, OpKind::acos, OpKind::erfinv}))
    return {-0.8, 0.8};
  if (isAnyOf(kind, {OpKind::floor, OpKind::ceil, OpKind::round, OpKind::sign}))
    return {0.1, 0.4};
  return {-2, 2};
}

class Gradients : public testing::TestWithParam<int> {};

/// Kinds that may have a result of floats that depends on floats.
std::vector<int> differentiableKinds() {
  std::vector<int> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (getOpInfo(kind).gradient != Gradient::none &&
        !isAnyOf(kind, {OpKind::iota, OpKind::random, OpKind::stop_gradient,
                        OpKind::bitcast, OpKind::compare, OpKind::cast}) &&
        getOpInfo(kind).domain != Domain::integer &&
        getOpInfo(kind).domain != Domain::boolean)
      kinds.push_back(int(kind));
  return kinds;
}

/// Cases in which the result is a finite number for each element, and has a
/// gradient.
bool isDefined(const Case &c) {
  if (const auto *scan = c.op.attrs.AsScanAttrs())
    return !scan->exclusive || scan->kind == fb::ScanKind::sum ||
           scan->kind == fb::ScanKind::prod;
  if (const auto *reduce = c.op.attrs.AsReduceAttrs())
    return reduce->kind != fb::ReduceKind::argmax;
  if (const auto *scatter = c.op.attrs.AsScatterAttrs())
    return scatter->kind == fb::ScatterKind::add ||
           scatter->kind == fb::ScatterKind::replace;
  return true;
}

/// A random case of an op in f64, whose operands are where the op is smooth.
/// Nothing if the case that is drawn has no gradient.
std::optional<Case> smoothCase(OpKind kind, std::mt19937_64 &rng) {
  std::optional<Case> c = randomCase(kind, DType::f64, rng);
  if (!c || !isDefined(*c))
    return std::nullopt;
  for (size_t i = 0; i < c->operands.size(); ++i)
    if (c->operands[i].dtype() == DType::f64)
      fill(c->operands[i], domainOf(kind, i), rng);
  return c;
}

/// The number of results that are floats if the operands are; indices come
/// last.
unsigned numFloatResults(OpKind kind) {
  const Results results = getOpInfo(kind).results;
  const bool hasIndices =
      results == Results::withIndices || results == Results::withTaps;
  return hasIndices ? 1 : numResults(kind);
}

/// Returns true if an element of a gradient is not zero.
bool hasGradient(const Case &c) {
  TestFunction function(CaseResult{c});
  const std::vector<int64_t> wrt = floatsAmong(c.operands);
  std::mt19937_64 rng(1);
  std::vector<Tensor> inputs = c.operands;
  inputs.push_back(randomSeed(function, c.operands, rng));
  EXPECT_TRUE(function.differentiate(wrt, 0));
  const std::vector<Tensor> results = function.run(inputs);
  for (size_t i = results.size() - wrt.size(); i < results.size(); ++i)
    for (double element : valuesOf(results[i]))
      if (element != 0)
        return true;
  return false;
}

} // namespace

TEST_P(Gradients, AgreeWithDifferences) {
  const OpKind kind = OpKind(GetParam());
  int made = 0;
  bool isZero = true;
  for (int seed = 0; seed < 4 * kCasesPerKind && made < kCasesPerKind; ++seed) {
    std::mt19937_64 rng(uint64_t(seed) * 1000 + uint64_t(GetParam()));
    const std::optional<Case> c = smoothCase(kind, rng);
    if (!c)
      continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SCOPED_TRACE(c->describe());
    for (unsigned number = 0; number < numFloatResults(kind); ++number)
      checkFunction(CaseResult{*c, number}, c->operands,
                    /*isTwice=*/made < kCasesTwice, rng);
    isZero &= !hasGradient(*c);
    if (HasFailure())
      return;
    ++made;
  }
  EXPECT_EQ(isZero, getOpInfo(kind).gradient == Gradient::zero);
  EXPECT_GT(made, kCasesPerKind / 2);
}

/// Returns true if the changed rule has the same results on random operands.
static bool isEquivalent(OpKind kind, std::string_view mutation) {
  // The constant is 0 or, in a product of two differences from 1, the factors
  // change places.
  if (mutation == "constant negated")
    return isAnyOf(kind,
                   {OpKind::relu, OpKind::max, OpKind::min, OpKind::select,
                    OpKind::clamp, OpKind::gather, OpKind::asin, OpKind::acos,
                    OpKind::scatter, OpKind::topk, OpKind::sort,
                    OpKind::max_pool_backward});
  // Halves of gradients are for ties.
  if (mutation == "mul negated" || mutation == "mul without its second operand")
    return isAnyOf(kind, {OpKind::max, OpKind::min, OpKind::clamp});
  if (mutation == "mul without its first operand")
    return kind == OpKind::clamp;
  // The second derivative of gelu is even.
  return mutation == "clamp negated" && kind == OpKind::gelu_derivative;
}

/// Makes the rule of an op wrong in all ways that TestFunction::mutate has, and
/// checks that the comparison notices each of them in some case.
TEST_P(Gradients, NoticesMutants) {
  const OpKind kind = OpKind(GetParam());
  std::map<std::string, int> made, survived;
  int cases = 0;
  for (int seed = 0; seed < 40 && cases < 6; ++seed) {
    std::mt19937_64 rng(uint64_t(seed) * 1000 + uint64_t(GetParam()));
    const std::optional<Case> c = smoothCase(kind, rng);
    if (!c)
      continue;
    if (!hasGradient(*c))
      continue;
    ++cases;
    const std::vector<int64_t> wrt = floatsAmong(c->operands);
    TestFunction function(CaseResult{*c}), right(CaseResult{*c});
    ASSERT_TRUE(right.differentiate(wrt, 0));
    const size_t count = std::min<size_t>(right.countMutants(), 100);
    for (size_t number = 0; number < count; ++number) {
      TestFunction wrong(CaseResult{*c});
      ASSERT_TRUE(wrong.differentiate(wrt, 0));
      const std::string mutation = wrong.mutate(number);
      ++made[mutation];
      survived[mutation] +=
          compareDerivatives(function, wrong, c->operands, 0, wrt, rng)
              .agrees();
    }
  }
  for (const auto &[mutation, count] : made)
    EXPECT_EQ(survived[mutation] == count, isEquivalent(kind, mutation))
        << mutation << ": " << count << " made, " << survived[mutation]
        << " not noticed";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Gradients,
                         testing::ValuesIn(differentiableKinds()),
                         [](const testing::TestParamInfo<int> &info) {
                           return std::string(name(OpKind(info.param)));
                         });
