//===- PlanCacheTest.cpp - Plans kept for other processes -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

#include <filesystem>
#include <fstream>

using namespace tandem;
using namespace tandem::test;
using cudnn::EngineChoice;
namespace fs = std::filesystem;

namespace {

TEST(EngineChoiceTest, ReadsWhatItPrints) {
  for (const EngineChoice &choice :
       {EngineChoice{}, EngineChoice{7, {{2, 5}, {9, -1}}}}) {
    const auto read = EngineChoice::parse(choice.str());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->engine, choice.engine);
    EXPECT_EQ(read->knobs, choice.knobs);
  }
  for (const char *wrong :
       {"", "none", "engine", "engine x", "engine 1, ", "engine 1, knob 2",
        "engine 1, knob 2 = ", "engine 1, knob 2 = 3,"})
    EXPECT_FALSE(EngineChoice::parse(wrong)) << wrong;
}

/// Planners that share a folder, as those of several processes do.
class PlanCacheTest : public LibraryTest {
protected:
  PlanCacheTest() {
    fs::remove_all(directory);
    setenv("TANDEM_DISK_CACHE", "on", 1);
    setenv("TANDEM_CACHE_DIR", directory.c_str(), 1);
    counted = *cuda::cudnn();
    counted.createDescriptor = [](int kind, void **descriptor) {
      asked += kind == cudnn::Kind::heuristics;
      return cuda::cudnn()->createDescriptor(kind, descriptor);
    };
    EXPECT_EQ(counted.create(&handle), cuda::kSuccess);
  }
  ~PlanCacheTest() override {
    counted.destroy(handle);
    setenv("TANDEM_DISK_CACHE", "off", 1);
    fs::remove_all(directory);
  }

  static cudnn::ConvProblem problemOf(int64_t height,
                                      Activation activation = {}) {
    fb::ConvAttrsT attrs;
    attrs.input_layout = attrs.output_layout = "NHWC";
    attrs.kernel_layout = "OHWI";
    const OpDesc op = makeOp(OpKind::conv, attrs);
    const std::vector<TensorType> types = {{DType::f32, {1, height, 4, 4}},
                                           {DType::f32, {4, 1, 1, 4}}};
    const TensorType result{DType::f32, {1, height, 4, 4}};
    auto problem =
        cudnn::ConvProblem::of({{op, types, {&result, 1}}, false, activation});
    EXPECT_TRUE(problem && problem->packLayouts());
    return *problem;
  }

  /// By a new process. `*didAsk` is set to whether it has asked the heuristics.
  std::optional<EngineChoice> plan(const cudnn::ConvProblem &problem,
                                   bool *didAsk,
                                   const cudnn::PlanOptions &options = {},
                                   const cudnn::EngineSet &keepNaN = {}) {
    cudnn::Planner planner(counted, handle);
    planner.keepOnDisk(device);
    planner.noteThatNaNIsKept(DType::f32, keepNaN);
    asked = 0;
    const auto plan = planner.plan(problem, options);
    EXPECT_TRUE(plan) << plan.error().str();
    *didAsk = asked > 0;
    return plan && *plan ? std::optional((*plan)->choice) : std::nullopt;
  }
  bool asksFor(const cudnn::ConvProblem &problem,
               const cudnn::PlanOptions &options = {},
               const cudnn::EngineSet &keepNaN = {}) {
    bool didAsk = false;
    plan(problem, &didAsk, options, keepNaN);
    return didAsk;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file())
        found.push_back(entry.path());
    return found;
  }

  static inline std::atomic<int> asked = 0;
  std::string device = "Fake H200";
  cuda::CUDNN counted;
  cudnnContext *handle = nullptr;
  const std::string directory =
      testing::TempDir() + "tandem-plans-" + std::to_string(getpid());
};

TEST_F(PlanCacheTest, OtherProcessesNeedNotAskTheHeuristics) {
  bool didAsk = false;
  const auto first = plan(problemOf(8), &didAsk);
  EXPECT_TRUE(didAsk);
  const auto second = plan(problemOf(8), &didAsk);
  EXPECT_FALSE(didAsk);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->engine, second->engine);
  EXPECT_EQ(first->knobs, second->knobs);
  EXPECT_FALSE(first->knobs.empty());
}

TEST_F(PlanCacheTest, WhatDiffersIsPlannedAnew) {
  EXPECT_TRUE(asksFor(problemOf(8)));
  EXPECT_TRUE(asksFor(problemOf(9)));
  EXPECT_TRUE(asksFor(problemOf(8), {.precision = Precision::tf32}));
  device = "Another";
  EXPECT_TRUE(asksFor(problemOf(8)));
  counted.version = "9.99";
  EXPECT_TRUE(asksFor(problemOf(8)));
  EXPECT_FALSE(asksFor(problemOf(8)));
}

TEST_F(PlanCacheTest, WhatKeepsNaNCountsForReluAlone) {
  EXPECT_TRUE(asksFor(problemOf(8), {}, {51}));
  EXPECT_FALSE(asksFor(problemOf(8), {}, {0, 51}));
  const cudnn::ConvProblem relu = problemOf(8, Activation::relu);
  EXPECT_TRUE(asksFor(relu, {}, {51}));
  EXPECT_TRUE(asksFor(relu, {}, {0, 51}));
  EXPECT_FALSE(asksFor(relu, {}, {51}));
}

TEST_F(PlanCacheTest, DamagedEntriesAreMadeAnew) {
  EXPECT_TRUE(asksFor(problemOf(8)));
  ASSERT_EQ(files().size(), 1U);
  const auto size = static_cast<std::streamoff>(fs::file_size(files()[0]));
  for (std::streamoff at : {std::streamoff(0), size / 2, size - 1}) {
    std::fstream file(files()[0],
                      std::ios::in | std::ios::out | std::ios::binary);
    const int byte = file.seekg(at).get();
    file.seekp(at).put(static_cast<char>(byte ^ 0x10));
    file.close();
    EXPECT_TRUE(asksFor(problemOf(8))) << at;
    EXPECT_FALSE(asksFor(problemOf(8))) << at;
  }
}

/// The fault is that of a cuDNN that has lost an engine.
TEST_F(PlanCacheTest, WhatTheEngineRefusesIsPlannedAnew) {
  EXPECT_TRUE(asksFor(problemOf(8)));
  fake.fail("cudnnBackendFinalize", 3000, 1);
  EXPECT_TRUE(asksFor(problemOf(8)));
}

TEST_F(PlanCacheTest, NothingIsKeptWhereTheCacheIsOff) {
  setenv("TANDEM_DISK_CACHE", "off", 1);
  EXPECT_TRUE(asksFor(problemOf(8)));
  EXPECT_TRUE(asksFor(problemOf(8)));
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(PlanCacheTest, AFolderThatCannotBeUsedIsNoError) {
  setenv("TANDEM_CACHE_DIR", "/dev/null/nowhere", 1);
  EXPECT_TRUE(asksFor(problemOf(8)));
  EXPECT_TRUE(asksFor(problemOf(8)));
}

TEST_F(PlanCacheTest, DevicesKeepTheirPlans) {
  for (bool isFirst : {true, false}) {
    cudnn::Session session(*context, *LibraryTest::device);
    ASSERT_TRUE(session.open());
    const auto plan = session.planner().plan(problemOf(8), {});
    ASSERT_TRUE(plan && *plan);
    EXPECT_EQ(files().size(), 1U) << isFirst;
  }
}

} // namespace
