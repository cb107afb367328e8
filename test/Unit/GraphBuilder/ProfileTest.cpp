//===- ProfileTest.cpp - Profiles of functions, coverage of graphs --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace tandem;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {

const TensorType kType{DType::f32, {64, 32}};

/// relu(x) + x, then the indices of the two largest elements of each row.
std::unique_ptr<Graph> makeGraph() {
  GraphBuilder b;
  auto x = b.input({DType::f32, {kDynamic, 32}}, {"n", ""}, "x");
  b.setLocation("first");
  auto y = b.relu(x);
  b.setLocation("second");
  y = b.add(y, x);
  b.setLocation("third");
  auto [largest, best] = b.topk(y, {.axis = 1, .k = 2});
  return std::move(*b.build({y, best}, {"y", "best"}));
}

class ProfileTest : public testing::Test {
protected:
  explicit ProfileTest(Mode mode = Mode::automatic) {
    TieringOptions tiering;
    tiering.mode = mode;
    function = std::move(*graph->createFunction({}, tiering));
    for (int64_t i = 0; i < kType.shape.numElements(); ++i)
      input.as<float>()[i] = float(i * 7 % 31) - 9.0f;
  }
  Expected<Profile> profile(ProfileOptions options) {
    return function->profile({&input, 1}, options);
  }

  std::unique_ptr<Graph> graph = makeGraph();
  std::unique_ptr<Function> function;
  Tensor input = std::move(*Tensor::allocate(kType));
};

TEST_F(ProfileTest, DescribesEachStepOfTheEagerTier) {
  auto profile = this->profile({Tier::eager, 4});
  ASSERT_TRUE(profile) << profile.error().str();
  EXPECT_EQ(profile->tier, Tier::eager);
  ASSERT_EQ(profile->steps.size(), 3u);
  const ProfiledStep &add = profile->steps[1];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.kind, StepKind::library);
  EXPECT_EQ(add.provider, "eigen");
  EXPECT_THAT(add.sources, ElementsAre("second"));
  EXPECT_EQ(add.bytesRead, 2 * kType.bytes());
  EXPECT_EQ(add.bytesWritten, kType.bytes());
  EXPECT_EQ(add.flops, kType.shape.numElements());
  EXPECT_FALSE(add.runsOnce);
}

TEST_F(ProfileTest, HasTheTimesOfAllRuns) {
  auto profile = this->profile({Tier::eager, 5});
  ASSERT_TRUE(profile) << profile.error().str();
  EXPECT_EQ(profile->call.samples, 5u);
  EXPECT_EQ(profile->stamps.size(), 5u);
  double sum = 0;
  for (const ProfiledStep &step : profile->steps) {
    EXPECT_EQ(step.time.samples, 5u);
    EXPECT_LE(step.time.p10, step.time.median);
    EXPECT_LE(step.time.median, step.time.p90);
    sum += step.time.median;
  }
  EXPECT_EQ(profile->stepNs(), sum);
  for (const std::vector<double> &run : profile->stamps) {
    EXPECT_EQ(run.size(), 4u);
    EXPECT_TRUE(std::is_sorted(run.begin(), run.end()));
  }
}

TEST_F(ProfileTest, NamesAllOpsOfAKernel) {
  auto profile = this->profile({Tier::compiled, 2});
  ASSERT_TRUE(profile) << profile.error().str();
  const auto kernel = std::find_if(
      profile->steps.begin(), profile->steps.end(),
      [](const auto &step) { return step.kind == StepKind::kernel; });
  ASSERT_NE(kernel, profile->steps.end());
  EXPECT_THAT(kernel->name, HasSubstr("kernel_"));
  EXPECT_THAT(kernel->sources, UnorderedElementsAre("first", "second"));
  EXPECT_THAT(kernel->provider, IsEmpty());
  EXPECT_EQ(kernel->bytesRead, kType.bytes());
}

TEST_F(ProfileTest, IsOfTheReferenceTierToo) {
  auto profile = this->profile({Tier::reference, 1});
  ASSERT_TRUE(profile) << profile.error().str();
  EXPECT_THAT(profile->steps,
              Each(Field(&ProfiledStep::kind, StepKind::reference)));
}

TEST_F(ProfileTest, RefusesWhatCannotBeTimed) {
  auto captured = this->profile({Tier::captured, 1});
  ASSERT_FALSE(captured);
  auto none = this->profile({Tier::eager, 0});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("at least one run, not 0"));
  const Tensor wrong = std::move(*Tensor::allocate({DType::f32, {3}}));
  auto types = function->profile({&wrong, 1}, {Tier::eager, 1});
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().phase, "input");
}

/// The mode automatic begins with eager calls.
TEST_F(ProfileTest, IsOfTheEagerTierAtFirst) {
  auto profile = this->profile({.runs = 1});
  ASSERT_TRUE(profile) << profile.error().str();
  EXPECT_EQ(profile->tier, Tier::eager);
  EXPECT_THAT(function->report().signatures, IsEmpty());
}

struct CompilingProfileTest : ProfileTest {
  CompilingProfileTest() : ProfileTest(Mode::compile) {}
};

TEST_F(CompilingProfileTest, IsOfTheTierOfTheNextCall) {
  for (int i = 0; i < 2; ++i) {
    auto profile = this->profile({.runs = 1});
    ASSERT_TRUE(profile) << profile.error().str();
    EXPECT_EQ(profile->tier, Tier::compiled);
    ASSERT_TRUE(function->call({&input, 1}));
  }
}

/// A loop is one step, with the sums of its iterations.
TEST(ProfileOfLoops, AddsUpIterations) {
  GraphBuilder b;
  auto xs = b.input({DType::f32, {kDynamic, 8}}, {"t", ""});
  auto zero = b.splat({DType::f32, {8}}, 0);
  auto loop = b.loop({.carried = {zero}, .scanned = {xs}}, [&](auto &body) {
    return GraphBuilder::LoopYield{
        .carried = {b.add(body.carried[0], body.slices[0])}};
  });
  auto function = std::move(*(*b.build(loop.carried))->createFunction());
  const Tensor input = std::move(*Tensor::allocate({DType::f32, {5, 8}}));
  auto profile = function->profile({&input, 1}, {Tier::eager, 1});
  ASSERT_TRUE(profile) << profile.error().str();
  ASSERT_EQ(profile->steps.size(), 1u);
  EXPECT_EQ(profile->steps[0].name, "loop");
  EXPECT_EQ(profile->steps[0].flops, 5 * 8);
  EXPECT_EQ(profile->steps[0].bytesWritten, 5 * 8 * 4);
  EXPECT_THAT(profile->steps[0].sources, Contains("op 1 (add)"));
}

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

TEST(CoverageTest, TellsWhatExecutesEachOp) {
  const auto graph = makeGraph();
  auto coverage = graph->coverage({&kType, 1});
  ASSERT_TRUE(coverage) << coverage.error().str();
  EXPECT_TRUE(coverage->isComplete());
  ASSERT_EQ(coverage->nodes.size(), 3u);
  const NodeCoverage &add = coverage->nodes[1], &best = coverage->nodes[2];
  EXPECT_EQ(add.op, "add");
  EXPECT_EQ(add.location, "second");
  EXPECT_EQ(add.execution, Execution::generated);
  EXPECT_THAT(add.step, HasSubstr("kernel_"));
  EXPECT_THAT(add.provider + add.reason, IsEmpty());
  EXPECT_EQ(best.execution, Execution::library);
  EXPECT_EQ(best.step, "topk");
  EXPECT_EQ(best.provider, "eigen");
  EXPECT_THAT(best.reason, HasSubstr("no kernel was planned"));
}

/// A location may be that of a layer of several ops.
TEST(CoverageTest, TellsOpsOfOneLocationApart) {
  GraphBuilder b;
  b.setLocation("layer");
  auto x = b.input(kType);
  auto y = b.relu(x);
  auto graph = std::move(*b.build({y, b.topk(y, {.axis = 1, .k = 2}).indices}));
  auto coverage = graph->coverage({&kType, 1});
  ASSERT_TRUE(coverage) << coverage.error().str();
  ASSERT_EQ(coverage->nodes.size(), 2u);
  EXPECT_EQ(coverage->nodes[0].execution, Execution::generated);
  EXPECT_EQ(coverage->nodes[1].step, "topk");
}

TEST(CoverageTest, IsOfTheTierThatIsAskedFor) {
  const auto graph = makeGraph();
  auto eager = graph->coverage({&kType, 1}, {}, Tier::eager);
  ASSERT_TRUE(eager) << eager.error().str();
  EXPECT_THAT(eager->nodes,
              Each(AllOf(Field(&NodeCoverage::execution, Execution::library),
                         Field(&NodeCoverage::reason, IsEmpty()))));
  auto reference = graph->coverage({&kType, 1}, {}, Tier::reference);
  ASSERT_TRUE(reference) << reference.error().str();
  EXPECT_THAT(reference->nodes,
              Each(Field(&NodeCoverage::execution, Execution::reference)));
  auto captured = graph->coverage({&kType, 1}, {}, Tier::captured);
  ASSERT_FALSE(captured);
  EXPECT_THAT(captured.error().hint, HasSubstr("compiled tier"));
  const TensorType wrong{DType::i32, {2}};
  EXPECT_FALSE(graph->coverage({&wrong, 1}));
}

/// Equal fusions share a kernel. If the kernel cannot be compiled, the nodes of
/// each of them are executed by the library.
TEST(CoverageTest, TellsWhyAKernelCouldNotBeCompiled) {
  GraphBuilder b;
  auto x = b.input({DType::f32, {64}}), y = b.input({DType::f32, {64}});
  std::vector<GraphBuilder::Value> outputs;
  for (auto value : {x, y}) {
    const std::string side = outputs.empty() ? "left" : "right";
    b.setLocation(side + ".exp");
    value = b.exp(value);
    b.setLocation(side + ".neg");
    outputs.push_back(b.neg(value));
  }
  auto graph = b.build(outputs);
  ASSERT_TRUE(graph) << graph.error().str();
  CompileOptions options;
  options.failKernels = "kernel_.*";
  const std::vector<TensorType> types(2, {DType::f32, {64}});
  auto coverage = (*graph)->coverage(types, options);
  ASSERT_TRUE(coverage) << coverage.error().str();
  ASSERT_EQ(coverage->nodes.size(), 4u);
  for (const NodeCoverage &node : coverage->nodes) {
    EXPECT_EQ(node.execution, Execution::library) << node.location;
    EXPECT_THAT(node.step, Not(IsEmpty())) << node.location;
    EXPECT_THAT(node.reason, HasSubstr("it was asked to fail"))
        << node.location;
  }
}

/// The reason for a contraction in the library is that it is faster there.
TEST(CoverageTest, ComparesContractionsWithTheLibrary) {
  GraphBuilder b;
  auto x = b.input({DType::f32, {256, 256}});
  auto graph = std::move(*b.build(b.matmul({x, x})));
  const TensorType type{DType::f32, {256, 256}};
  auto estimates = graph->estimateContractions({&type, 1});
  auto coverage = graph->coverage({&type, 1});
  ASSERT_TRUE(coverage) << coverage.error().str();
  const NodeCoverage &node = coverage->nodes.front();
  ASSERT_EQ(estimates->size(), 1u);
  EXPECT_EQ(estimates->front().location, node.location);
  if (node.execution == Execution::generated)
    EXPECT_THAT(node.reason, IsEmpty());
  else
    EXPECT_THAT(node.reason, HasSubstr("library is estimated to take"));
}

TEST(CoverageTest, CountsTheNodesOfAModel) {
  auto graph = Graph::parseFile(TANDEM_TEST_MODEL);
  if (!graph && graph.error().str().find("cannot import") != std::string::npos)
    GTEST_SKIP() << "this build has no importer";
  ASSERT_TRUE(graph) << graph.error().str();
  const Program &program = *(*graph)->eagerProgram();
  std::vector<TensorType> types;
  for (uint32_t slot : program.inputs) {
    types.push_back(fromFlat(*program.slots[slot]->type));
    for (int i = 0; i < types.back().shape.rank(); ++i)
      if (types.back().shape[i] == kDynamic)
        types.back().shape[i] = 2;
  }
  auto coverage = (*graph)->coverage(types);
  ASSERT_TRUE(coverage) << coverage.error().str();
  EXPECT_EQ(coverage->nodes.size(), (*graph)->nodes().size());
  EXPECT_THAT(coverage->nodes,
              Contains(Field(&NodeCoverage::execution, Execution::generated)));
}

} // namespace
