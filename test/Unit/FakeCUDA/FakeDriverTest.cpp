//===- FakeDriverTest.cpp - What the fake driver checks -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeFixture.h"

#include <set>

using namespace tandem;
using namespace tandem::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The numbers of CUresult.
enum : cuda::Result {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidContext = 201,
  kNotReady = 600,
  kIllegalAddress = 700,
};

constexpr const char *kFill =
    "extern \"C\" __global__ void k(int* out) { out[threadIdx.x] = 7; }";
constexpr const char *kCopy = "extern \"C\" __global__ void k(const int* in, "
                              "int* out) { *out = *in; }";

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST_F(FakeTest, AStreamsWorkIsInOrder) {
  auto function = load(kFill);
  DevicePointer memory = allocate(16);
  int *pinned = pin<int>(4);
  std::fill_n(pinned, 4, 1);
  ASSERT_EQ(driver.memcpyHtoDAsync(memory, pinned, 16, stream), kSuccess);
  ASSERT_EQ(launch(function, 1, 2, {memory}), kSuccess);
  EXPECT_THAT(read<int>(memory, 4), ElementsAre(7, 7, 1, 1));
  driver.memFreeHost(pinned);
  driver.memFree(memory);
}

/// The streams' work in the order that a seed decides: which of two kernels on
/// different memory ran first.
TEST_F(FakeTest, StreamsWorkInAnyOrder) {
  auto function = load("__device__ int now; extern \"C\" __global__ "
                       "void k(int* out) { *out = now++; }");
  DevicePointer first = allocate(4), second = allocate(4);
  std::set<bool> orders;
  for (unsigned seed = 0; seed < 20; ++seed) {
    fake.seed(seed);
    fake.hold(true);
    ASSERT_EQ(launch(function, 1, 1, {first}), kSuccess);
    ASSERT_EQ(launch(function, 1, 1, {second}, other), kSuccess);
    fake.hold(false);
    driver.ctxSynchronize();
    orders.insert(read<int>(first, 1) < read<int>(second, 1));
  }
  EXPECT_EQ(orders.size(), 2);
  driver.memFree(first);
  driver.memFree(second);
}

TEST_F(FakeTest, EventsOrderStreams) {
  auto fill = load(kFill), copy = load(kCopy);
  DevicePointer from = allocate(4), to = allocate(4);
  cuda::EventHandle event = nullptr;
  driver.eventCreate(&event, 0);
  for (unsigned seed = 0; seed < 8; ++seed) {
    fake.seed(seed);
    ASSERT_EQ(launch(fill, 1, 1, {from}), kSuccess);
    driver.eventRecord(event, stream);
    driver.streamWaitEvent(other, event, 0);
    ASSERT_EQ(launch(copy, 1, 1, {from, to}, other), kSuccess);
    driver.ctxSynchronize();
    EXPECT_THAT(read<int>(to, 1), ElementsAre(7));
  }
  EXPECT_EQ(driver.eventQuery(event), kSuccess);
  driver.eventDestroy(event);
  driver.memFree(from);
  driver.memFree(to);
}

TEST_F(FakeTest, EventsTellWhetherAndWhen) {
  cuda::EventHandle start = nullptr, end = nullptr;
  driver.eventCreate(&start, 0);
  driver.eventCreate(&end, 0);
  driver.eventRecord(start, stream);
  fake.hold(true);
  driver.eventRecord(end, stream);
  EXPECT_EQ(driver.eventQuery(end), kNotReady);
  fake.hold(false);
  driver.eventSynchronize(end);
  float milliseconds = -1;
  EXPECT_EQ(driver.eventElapsedTime(&milliseconds, start, end), kSuccess);
  EXPECT_GE(milliseconds, 0);
  driver.eventDestroy(start);
  driver.eventDestroy(end);
}

TEST_F(FakeTest, WorkThatNothingOrdersIsReported) {
  auto fill = load(kFill), copy = load(kCopy);
  DevicePointer from = allocate(4), to = allocate(4);
  ASSERT_EQ(launch(fill, 1, 1, {from}), kSuccess);
  ASSERT_EQ(launch(copy, 1, 1, {from, to}, other), kSuccess);
  EXPECT_THAT(reports(), AllOf(HasSubstr("k on stream"), HasSubstr(" reads "),
                               HasSubstr("with nothing that orders the two")));
  // Nothing is reported about two kernels that read.
  driver.ctxSynchronize();
  DevicePointer too = allocate(4);
  ASSERT_EQ(launch(copy, 1, 1, {from, to}), kSuccess);
  ASSERT_EQ(launch(copy, 1, 1, {from, too}, other), kSuccess);
  EXPECT_EQ(reports(), "");
  // One that writes has to be after those that read.
  ASSERT_EQ(launch(fill, 1, 1, {from}), kSuccess);
  EXPECT_THAT(reports(), HasSubstr(" writes "));
  driver.ctxSynchronize();
  for (DevicePointer pointer : {from, to, too})
    driver.memFree(pointer);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(FakeTest, MemoryThatIsFreedInFlightIsReported) {
  auto fill = load(kFill);
  DevicePointer memory = allocate(4);
  ASSERT_EQ(launch(fill, 1, 1, {memory}), kSuccess);
  driver.memFree(memory);
  EXPECT_THAT(reports(), HasSubstr("the host frees memory that k on stream"));
  // Not where the host has waited.
  memory = allocate(4);
  ASSERT_EQ(launch(fill, 1, 1, {memory}), kSuccess);
  driver.streamSynchronize(stream);
  driver.memFree(memory);
}

TEST_F(FakeTest, MemoryIsFreedOnce) {
  DevicePointer memory = allocate(4);
  driver.memFree(memory);
  EXPECT_EQ(driver.memFree(memory), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("is no memory of the device"));
  EXPECT_EQ(driver.memFreeHost(&memory), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("is no pinned memory"));
}

TEST_F(FakeTest, TheHostCannotReadIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  DevicePointer memory = allocate(4);
  EXPECT_DEATH({ *reinterpret_cast<volatile int *>(memory) = 1; }, "");
  driver.memFree(memory);
}

TEST_F(FakeTest, CopiesOfMemoryThatIsNotPinnedAreReported) {
  DevicePointer memory = allocate(4);
  int value = 1;
  EXPECT_EQ(driver.memcpyHtoDAsync(memory, &value, 4, stream), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("host memory that is not pinned"));
  int *pinned = pin<int>(2);
  EXPECT_EQ(driver.memcpyHtoDAsync(memory, pinned, 8, stream), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("not within memory of the device"));
  driver.memFreeHost(pinned);
  driver.memFree(memory);
}

TEST_F(FakeTest, ASourceThatChangesInFlightIsReported) {
  DevicePointer memory = allocate(4);
  int *pinned = pin<int>(1);
  *pinned = 1;
  fake.hold(true);
  ASSERT_EQ(driver.memcpyHtoDAsync(memory, pinned, 4, stream), kSuccess);
  *pinned = 2;
  fake.hold(false);
  driver.streamSynchronize(stream);
  EXPECT_THAT(reports(), HasSubstr("has changed while it was in flight"));
  // What is copied to the host is not there before.
  fake.hold(true);
  ASSERT_EQ(driver.memcpyDtoHAsync(pinned, memory, 4, stream), kSuccess);
  EXPECT_EQ(uint32_t(*pinned), 0xcbcbcbcb);
  fake.hold(false);
  driver.streamSynchronize(stream);
  driver.memFreeHost(pinned);
  driver.memFree(memory);
}

TEST_F(FakeTest, WhatIsLeftAtTheEndIsReported) {
  DevicePointer memory = allocate(4);
  auto *release = fake.find<int(int)>("cuDevicePrimaryCtxRelease_v2");
  release(0);
  EXPECT_THAT(reports(), HasSubstr("1 blocks of the device"));
  driver.memFree(memory);
  release(0);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST_F(FakeTest, CallsNeedAContext) {
  driver.ctxSetCurrent(nullptr);
  DevicePointer memory = 0;
  EXPECT_EQ(driver.memAlloc(&memory, 4), kInvalidContext);
  driver.ctxSetCurrent(context);
}

TEST_F(FakeTest, AModuleThatIsUnloadedInFlightIsReported) {
  auto fill = load(kFill);
  DevicePointer memory = allocate(4);
  ASSERT_EQ(launch(fill, 1, 1, {memory}), kSuccess);
  driver.moduleUnload(module);
  EXPECT_THAT(reports(), HasSubstr("a module is unloaded"));
  driver.ctxSynchronize();
  driver.memFree(memory);
}

//===----------------------------------------------------------------------===//
// Faults on demand
//===----------------------------------------------------------------------===//

TEST_F(FakeTest, ACallFailsOnDemand) {
  fake.fail("cuMemAlloc_v2", kOutOfMemory, 2);
  DevicePointer first = allocate(4), second = 0;
  EXPECT_EQ(driver.memAlloc(&second, 4), kOutOfMemory);
  EXPECT_EQ(fake.liveBytes(), 4);
  driver.memFree(first);
}

TEST_F(FakeTest, MemoryRunsOut) {
  DevicePointer memory = 0;
  size_t free = 0, total = 0;
  driver.memGetInfo(&free, &total);
  EXPECT_EQ(driver.memAlloc(&memory, free + 1), kOutOfMemory);
}

TEST_F(FakeTest, AModuleFailsOnDemandOrBecauseItIsWrong) {
  cuda::ModuleHandle failing = nullptr;
  fake.fail("cuModuleLoadDataEx", 209, 1);
  EXPECT_EQ(driver.moduleLoadDataEx(&failing, kFill, 0, nullptr, nullptr), 209);
  char log[4096] = "";
  cuda::JitOption options[] = {5, 6}; // The error log, and its size.
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  EXPECT_EQ(driver.moduleLoadDataEx(&failing, "wrong", 2, options, values),
            218);
  EXPECT_THAT(log, HasSubstr("wrong"));
}

TEST_F(FakeTest, AKernelsErrorSticks) {
  auto fill = load(kFill);
  DevicePointer memory = allocate(4);
  fake.fail("kernel", kIllegalAddress, 1);
  ASSERT_EQ(launch(fill, 1, 1, {memory}), kSuccess);
  EXPECT_EQ(driver.streamSynchronize(stream), kIllegalAddress);
  EXPECT_EQ(launch(fill, 1, 1, {memory}), kIllegalAddress);
  DevicePointer more = 0;
  EXPECT_EQ(driver.memAlloc(&more, 4), kIllegalAddress);
  const char *name = nullptr;
  driver.getErrorName(kIllegalAddress, &name);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  fake.reset();
  driver.ctxSynchronize();
  driver.memFree(memory);
}

TEST_F(FakeTest, NVRTCPassesTheSourceThrough) {
  const cuda::NVRTC &nvrtc = *cuda::nvrtc();
  _nvrtcProgram *program = nullptr;
  nvrtc.createProgram(&program, kFill, "k.cu", 0, nullptr, nullptr);
  ASSERT_EQ(nvrtc.compileProgram(program, 0, nullptr), kSuccess);
  size_t bytes = 0;
  nvrtc.getCUBINSize(program, &bytes);
  std::string image(bytes, ' ');
  nvrtc.getCUBIN(program, image.data());
  EXPECT_STREQ(image.c_str(), kFill);
  fake.fail("nvrtcCompileProgram", 6, 1);
  EXPECT_EQ(nvrtc.compileProgram(program, 0, nullptr), 6);
  nvrtc.destroyProgram(&program);
}

} // namespace
