//===- CostModelTest.cpp - Device models and rooflines --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/CostModel.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

DeviceModel makeModel() {
  DeviceModel model;
  model.f32FlopsPerNs = 100;
  model.f64FlopsPerNs = 50;
  model.halfFlopsPerNs = 200;
  model.memoryBytesPerNs = 10;
  model.caches = {{1000, 100}, {10000, 50}};
  model.launchNs = 7;
  model.cores = 4;
  return model;
}

TEST(CostModel, TheLargerBoundCounts) {
  DeviceModel model = makeModel();
  EXPECT_DOUBLE_EQ(estimateNs(model, {0, 0}), 7);
  EXPECT_DOUBLE_EQ(estimateNs(model, {100000, 100000}), 7 + 10000);
  EXPECT_DOUBLE_EQ(estimateNs(model, {10000000, 100000}), 7 + 100000);
}

TEST(CostModel, BytesComeFromTheLevelThatHoldsThem) {
  DeviceModel model = makeModel();
  EXPECT_DOUBLE_EQ(estimateMemoryNs(model, {0, 1000}), 10);
  EXPECT_DOUBLE_EQ(estimateMemoryNs(model, {0, 10000}), 200);
  EXPECT_DOUBLE_EQ(estimateMemoryNs(model, {0, 10001}), 1000.1);
}

TEST(CostModel, IdleCoresCount) {
  DeviceModel model = makeModel();
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 4, 1}), 4);
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 4, 4}), 1);
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 4, 1000}), 1);
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 4, 5}), 1.6);
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 8}), 2);
  EXPECT_DOUBLE_EQ(estimateComputeNs(model, {100, 0, 2}), 0.5);
}

/// A quarter of what lies before the cache that cores share.
TEST(CostModel, NearBytesAreOfACoresOwnCache) {
  DeviceModel model = makeModel();
  EXPECT_EQ(model.nearBytes(), 1000 / 4 / 4);
  EXPECT_EQ(model.withThreads(1).nearBytes(), model.nearBytes());
  model.caches.pop_back();
  EXPECT_EQ(model.nearBytes(), 1000 / 4 / 4);
  model.caches.clear();
  EXPECT_EQ(model.nearBytes(), 0);
}

/// The kept bytes are part of a core's share of the last cache.
TEST(CostModel, KeptBytesAreOfTheLastCache) {
  DeviceModel model = makeModel();
  EXPECT_EQ(model.keptBytes(), model.caches.back().bytes / 4 / 4);
  EXPECT_GT(model.keptBytes(), model.nearBytes());
  model.caches.pop_back();
  EXPECT_EQ(model.keptBytes(), model.nearBytes());
  model.caches.clear();
  EXPECT_EQ(model.keptBytes(), 0);
}

TEST(CostModel, ThreadsHaveTheirShare) {
  DeviceModel one = makeModel().withThreads(1);
  EXPECT_EQ(one.cores, 1);
  EXPECT_DOUBLE_EQ(one.f32FlopsPerNs, 25);
  EXPECT_DOUBLE_EQ(one.memoryBytesPerNs, 2.5);
  EXPECT_DOUBLE_EQ(one.caches[0].bytesPerNs, 25);
  // The last cache is shared by all cores, whoever uses it.
  EXPECT_EQ(one.caches[0].bytes, 250);
  EXPECT_EQ(one.caches[1].bytes, 10000);
  EXPECT_DOUBLE_EQ(one.launchNs, 7);
  EXPECT_EQ(makeModel().withThreads(9).cores, 4);
  EXPECT_DOUBLE_EQ(makeModel().withThreads(4).f32FlopsPerNs, 100);
}

TEST(CostModel, ACoreAloneIsFaster) {
  DeviceModel model = makeModel();
  model.aloneFactor = 2;
  model.aloneMemoryFactor = 3;
  DeviceModel one = model.withThreads(1), two = model.withThreads(2);
  EXPECT_DOUBLE_EQ(one.f32FlopsPerNs, 50);
  EXPECT_DOUBLE_EQ(one.caches[0].bytesPerNs, 50);
  EXPECT_DOUBLE_EQ(one.memoryBytesPerNs, 7.5);
  EXPECT_DOUBLE_EQ(one.aloneFactor, 1);
  // Two thirds of the factor are left with two threads of four.
  EXPECT_DOUBLE_EQ(two.f32FlopsPerNs, 50 * (1 + 2.0 / 3));
  EXPECT_NEAR(two.withThreads(1).f32FlopsPerNs, one.f32FlopsPerNs, 1e-9);
  EXPECT_DOUBLE_EQ(model.withThreads(4).memoryBytesPerNs, 10);
}

TEST(CostModel, NarrowVectorsMayStartTwoAClock) {
  DeviceModel model = *findDeviceModel("generic");
  ASSERT_EQ(model.vectorBits, 512);
  DeviceModel half = model.withVectors(256);
  EXPECT_DOUBLE_EQ(half.f32FlopsPerNs, model.f32FlopsPerNs);
  EXPECT_DOUBLE_EQ(half.fmasPerClock, 2);
  EXPECT_EQ(half.vectorRegisters, 16);
  model.fmasPerClock = 2;
  EXPECT_DOUBLE_EQ(model.withVectors(256).f32FlopsPerNs,
                   model.f32FlopsPerNs / 2);
}

TEST(CostModel, ADescriptionSaysAllThereIs) {
  DeviceModel model = *findDeviceModel("generic");
  model.name = "with \"quotes\"";
  model.f32FlopsPerNs = 1.0 / 3;
  model.hasBF16Pairs = true;
  model.pairsPerFma = 0.25;
  model.matrixFlopsPerClock = 1024;
  model.loopShare = 1e-3;
  model.targetNumbers["kernel_piece_time"] = 0.7;
  model.aloneMemoryFactor = 1.5;
  std::string text = writeDeviceModel(model);
  Expected<DeviceModel> read = findDeviceModel(text);
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(writeDeviceModel(*read), text);
  EXPECT_EQ(read->name, model.name);
  EXPECT_EQ(read->f32FlopsPerNs, model.f32FlopsPerNs);
  EXPECT_EQ(read->loopShare, 1e-3);
  EXPECT_EQ(read->caches.size(), model.caches.size());
  EXPECT_NE(writeDeviceModel(model, 2).find("\n  \"caches\""),
            std::string::npos);
}

TEST(CostModel, ASpecMayNameThreads) {
  EXPECT_EQ(findDeviceModel("generic:1")->cores, 1);
  EXPECT_DOUBLE_EQ(findDeviceModel("generic:1")->f32FlopsPerNs, 50);
  EXPECT_EQ(findDeviceModel("generic:8")->cores, 2);
  for (const char *bad : {"generic:0", "generic:", "generic:1x", "pdp11:1"})
    EXPECT_THAT(findDeviceModel(bad).error().message, HasSubstr("no device"));
}

TEST(CostModel, EveryDeviceIsPlausible) {
  for (const char *name :
       {"host", "generic", "epyc_9004_2c", "sm_90_h200", "a100"}) {
    Expected<DeviceModel> model = findDeviceModel(name);
    ASSERT_TRUE(model) << model.error().str();
    EXPECT_GT(model->f32FlopsPerNs, 1) << name;
    EXPECT_GT(model->memoryBytesPerNs, 1) << name;
    EXPECT_GT(model->launchNs, 0) << name;
    EXPECT_GE(model->launchNs, model->callNs) << name;
    EXPECT_GT(model->libraryCallNs, 0) << name;
    EXPECT_GE(model->cores, 1) << name;
    EXPECT_GE(model->vectorBits, 128) << name;
    ASSERT_FALSE(model->caches.empty()) << name;
    for (size_t i = 1; i < model->caches.size(); ++i)
      EXPECT_GT(model->caches[i].bytes, model->caches[i - 1].bytes) << name;
    EXPECT_GT(model->caches.back().bytesPerNs, model->memoryBytesPerNs);
  }
}

TEST(CostModel, AGPUHasItsDatasheetsPeak) {
  EXPECT_NEAR(findDeviceModel("a100")->f32FlopsPerNs, 19500, 50);
  EXPECT_NEAR(findDeviceModel("h200")->memoryBytesPerNs, 4800, 1);
  // NVIDIA H200 datasheet: 34 TFLOP/s in f64.
  EXPECT_NEAR(findDeviceModel("h200")->f64FlopsPerNs, 34000, 1000);
  EXPECT_EQ(findDeviceModel("h200")->caches.front().bytes, 62914560);
  EXPECT_EQ(findDeviceModel("sm_90")->launchNs, 2700);
}

TEST(CostModel, SaysWhatIsWrongWithADescription) {
  EXPECT_EQ(parseDeviceModel("[", "x.json").error().message,
            "x.json: not a JSON object");
  EXPECT_EQ(parseDeviceModel("{}", "x.json").error().message,
            "x.json: 'name' must be a string");
  EXPECT_EQ(
      parseDeviceModel(R"({"name": "x", "f32_flops_per_ns": -1})", "x.json")
          .error()
          .message,
      "x.json: 'f32_flops_per_ns' must be a positive number");
  for (const char *cores : {"0.5", "1e300", "0", "\"2\""}) {
    std::string halved = writeDeviceModel(*findDeviceModel("generic"));
    const size_t at = halved.find("\"cores\":") + 8;
    halved.replace(at, halved.find(',', at) - at, cores);
    EXPECT_EQ(parseDeviceModel(halved, "x.json").error().message,
              "x.json: 'cores' must be a positive whole number");
  }
  std::string text = writeDeviceModel(*findDeviceModel("generic"));
  text.replace(text.find("false"), 5, "\"no\"");
  EXPECT_EQ(parseDeviceModel(text, "x.json").error().message,
            "x.json: 'bf16_pairs' must be true or false");
  EXPECT_EQ(
      parseDeviceModel(R"({"name": "x", "cors": 2})", "x.json").error().message,
      "x.json: 'cors' is not part of a description");
  EXPECT_EQ(parseDeviceModel(R"({"name": "x", "library_tiles": 0})", "x.json")
                .error()
                .message,
            "x.json: 'library_tiles' must be a positive number");
  EXPECT_THAT(findDeviceModel("/none/x.json").error().message,
              HasSubstr("cannot read"));
  EXPECT_THAT(findDeviceModel("pdp11").error().hint, HasSubstr("generic"));
}

} // namespace
