//===- RewritesTest.cpp - Rewrites on special values ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rewrite of graphs is applied to graphs whose inputs are all pairs, or
// triples, of special values. The results must be those of the graph without
// it, in every tier.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "RewriteCases.h"

#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

using namespace tandem;
using namespace tandem::test;

namespace tandem::test {
static void PrintTo(const RewriteCase &given, std::ostream *os) {
  *os << given.rewrite << " " << given.note;
}
} // namespace tandem::test

namespace {

std::vector<RewriteCase> allCases() {
  std::vector<RewriteCase> cases = elementwiseCases();
  for (const auto &more : {shapeCases(), compositeCases(), byteCases()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

/// What was compared, for the line at the end.
struct Counts {
  std::set<std::string> rewrites;
  int64_t graphs = 0, combinations = 0;
  std::map<std::string, int64_t> elements;
};
Counts &counts() {
  static Counts all;
  return all;
}

class PrintCounts : public testing::Environment {
public:
  void TearDown() override {
    const Counts &all = counts();
    std::printf("%zu rewrites in %lld graphs, on %lld combinations of values",
                all.rewrites.size(), static_cast<long long>(all.graphs),
                static_cast<long long>(all.combinations));
    for (const auto &[tier, elements] : all.elements)
      std::printf("; %s: %lld results", tier.c_str(),
                  static_cast<long long>(elements));
    std::printf("\n");
  }
};
const auto *const printCounts =
    testing::AddGlobalTestEnvironment(new PrintCounts);

/// One case of one element type.
class Check {
public:
  Check(const RewriteCase &rewriteCase, DType dtype)
      : rewriteCase(rewriteCase), dtype(dtype),
        graph(dtype, rewriteCase.variants(dtype)) {}

  void run();

private:
  void compareAll(const std::string &tier, const Agreement &agreement,
                  bool isBounded, const Expected<Outputs> &actual);
  void compareBounded(const std::string &tier, const Outputs &actual);
  void compareClasses(const Outputs &before, const Outputs &after) const;
  void compareExactly(const std::string &tier, const Agreement &agreement,
                      const Outputs &actual);
  std::string describeInputs(int64_t element, int64_t of) const;
  bool mustApply() const {
    return std::find(rewriteCase.types.begin(), rewriteCase.types.end(),
                     dtype) != rewriteCase.types.end();
  }

  const RewriteCase &rewriteCase;
  const DType dtype;
  const TestGraph graph;
  Outputs expected;
  std::vector<BoundedTensor> bounded;
};

void Check::run() {
  SCOPED_TRACE(rewriteCase.rewrite + " of " + std::string(name(dtype)));
  auto original = Graph::parseString(graph.text);
  ASSERT_TRUE(original) << original.error().str() << "\n" << graph.text;
  auto rewritten = applyRewrite(rewriteCase.rewrite, graph.text);
  ASSERT_TRUE(rewritten) << rewritten.error().str();
  EXPECT_TRUE(rewritten->hasChanged || !mustApply()) << "it does not apply";
  auto after = Graph::parseString(rewritten->text);
  ASSERT_TRUE(after) << after.error().str() << "\n" << rewritten->text;

  auto reference = runReference((*original)->eagerProgram(), graph.inputs);
  ASSERT_TRUE(reference) << reference.error().str();
  expected = std::move(*reference);
  const bool areBounded = rewriteCase.isBounded || rewriteCase.tiersAreBounded;
  if (areBounded) {
    // Enough runs that what may be flushed to zero is, in one of them.
    ErrorBoundOptions sampling;
    sampling.samples = 32;
    auto bounds = evaluateWithBounds(*(*original)->eagerProgram(), graph.inputs,
                                     sampling);
    ASSERT_TRUE(bounds) << bounds.error().str();
    bounded = std::move(*bounds);
  }
  counts().rewrites.insert(rewriteCase.rewrite);
  ++counts().graphs;
  counts().combinations +=
      graph.inputs.empty() ? 1 : graph.inputs[0].shape().numElements();
  compareAll("reference", rewriteCase.rewritten, rewriteCase.isBounded,
             runReference((*after)->eagerProgram(), graph.inputs));
  const auto eagerBefore = runEager((*original)->eagerProgram(), graph.inputs);
  const auto eagerAfter = runEager((*after)->eagerProgram(), graph.inputs);
  compareAll("eager, unchanged", rewriteCase.tiers, areBounded, eagerBefore);
  compareAll("eager", rewriteCase.tiers, areBounded, eagerAfter);
  if (eagerBefore && eagerAfter)
    compareClasses(*eagerBefore, *eagerAfter);
  const char *device = std::getenv("REWRITES_DEVICE");
  compareAll("compiled", rewriteCase.tiers, areBounded,
             runCompiled(graph, device ? device : "cpu"));
}

void Check::compareAll(const std::string &tier, const Agreement &agreement,
                       bool isBounded, const Expected<Outputs> &actual) {
  ASSERT_TRUE(actual) << tier << ": " << actual.error().str() << "\n"
                      << graph.text;
  ASSERT_EQ(actual->size(), expected.size());
  if (isBounded)
    compareBounded(tier, *actual);
  else
    compareExactly(tier, agreement, *actual);
}

/// The values of the inputs that element number `element` of `of` reads.
std::string Check::describeInputs(int64_t element, int64_t of) const {
  std::string text;
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const Tensor &input = graph.inputs[k];
    const int64_t count = input.shape().numElements();
    const int64_t index = of % count == 0 ? element / (of / count) : element;
    if (index < count)
      text += std::string(" ") + graph.names[k] + " = " +
              describe(input.dtype(), getElement(input, index));
  }
  return text;
}

void Check::compareExactly(const std::string &tier, const Agreement &agreement,
                           const Outputs &actual) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const int64_t count = expected[i].shape().numElements();
    counts().elements[tier] += count;
    if (auto at = findDifference(expected[i], actual[i], agreement))
      ADD_FAILURE() << tier << ", variant " << i << ", element " << *at << ": "
                    << describe(actual[i].dtype(), getElement(actual[i], *at))
                    << " instead of "
                    << describe(actual[i].dtype(), getElement(expected[i], *at))
                    << ", at" << describeInputs(*at, count) << "\n"
                    << rewriteCase.variants(dtype)[i].body;
  }
}

void Check::compareBounded(const std::string &tier, const Outputs &actual) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const Difference difference =
        compare(bounded[i].value, actual[i], bounded[i].bounds);
    counts().elements[tier] += difference.compared;
    EXPECT_GT(difference.compared, difference.unbounded) << tier;
    if (difference.mismatches > 0)
      ADD_FAILURE() << tier << ", variant " << i << ", element "
                    << difference.worstIndex << ": " << difference.actual
                    << " instead of " << difference.expected << " +- "
                    << difference.bound << ", at"
                    << describeInputs(difference.worstIndex,
                                      expected[i].shape().numElements())
                    << "; " << difference.mismatches << " differ";
  }
}

/// A rewrite makes no number of what is infinite or NaN, and the other way
/// round, whatever error bounds allow.
void Check::compareClasses(const Outputs &before, const Outputs &after) const {
  const auto isFinite = [](const Tensor &tensor, int64_t i) {
    return std::isfinite(valueOf(tensor.dtype(), getElement(tensor, i)));
  };
  for (size_t k = 0; k < before.size(); ++k) {
    const int64_t count = before[k].shape().numElements();
    for (int64_t i = 0; i < count && isFloat(before[k].dtype()); ++i)
      if (isFinite(before[k], i) != isFinite(after[k], i)) {
        ADD_FAILURE() << "eager, variant " << k << ", element " << i << ": "
                      << describe(after[k].dtype(), getElement(after[k], i))
                      << " instead of "
                      << describe(after[k].dtype(), getElement(before[k], i))
                      << ", at" << describeInputs(i, count);
        break;
      }
  }
}

class Rewrite : public testing::TestWithParam<RewriteCase> {};

TEST_P(Rewrite, KeepsSpecialValues) {
  const RewriteCase &given = GetParam();
  for (const Types &types : {given.types, given.others})
    for (DType dtype : types)
      Check(given, dtype).run();
}

INSTANTIATE_TEST_SUITE_P(All, Rewrite, testing::ValuesIn(allCases()),
                         [](const testing::TestParamInfo<RewriteCase> &info) {
                           std::string name;
                           for (char c : info.param.rewrite + info.param.note)
                             if (std::isalnum(static_cast<unsigned char>(c)))
                               name += c;
                           return name;
                         });

/// A new rewrite needs a case, and a case a rewrite.
TEST(RewriteCases, AreThereForEveryRewrite) {
  std::set<std::string> tested;
  for (const RewriteCase &given : allCases())
    tested.insert(given.rewrite);
  EXPECT_THAT(tested, testing::UnorderedElementsAreArray(rewriteNames()));
}

} // namespace
