//===- FakeKernelTest.cpp - Kernels on the fake driver --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeFixture.h"

#include <numeric>

using namespace tandem;
using namespace tandem::test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

enum : cuda::Result { kInvalidValue = 1 };

constexpr const char *kFill =
    "extern \"C\" __global__ void k(int* out) { out[threadIdx.x] = 7; }";

/// A kernel that fills memory, on a device of its own as an error sticks.
class FakeKernelTest : public FakeTest {
protected:
  /// The results of `count` threads of one block, each an int.
  std::vector<int> run(const std::string &body, unsigned count,
                       unsigned seed = 1) {
    auto function = load(("extern \"C\" __global__ void k(int* out) {\n"
                          "  const int i = threadIdx.x;\n" +
                          body + "}\n")
                             .c_str());
    DevicePointer memory = allocate(count * sizeof(int));
    fake.seed(seed);
    EXPECT_EQ(launch(function, 1, count, {memory}), kSuccess);
    std::vector<int> values = read<int>(memory, count);
    driver.memFree(memory);
    return values;
  }
};

TEST_F(FakeKernelTest, ThreadsWaitForOneAnother) {
  // Each reads what another has written, in an order that is shuffled.
  const std::vector<int> values = run("__shared__ int shared[200];\n"
                                      "shared[i] = i;\n"
                                      "__syncthreads();\n"
                                      "const int read = shared[199 - i];\n"
                                      "__syncthreads();\n"
                                      "shared[i] = 2 * read;\n"
                                      "__syncthreads();\n"
                                      "out[i] = shared[(i + 1) % 200];\n",
                                      200);
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(values[i], 2 * (199 - (i + 1) % 200)) << i;
}

TEST_F(FakeKernelTest, AMissingBarrierShows) {
  // With the second barrier above left out, some order gives other results.
  const std::string body = "__shared__ int shared[64];\n"
                           "shared[i] = i;\n"
                           "__syncthreads();\n"
                           "const int read = shared[63 - i];\n"
                           "shared[i] = -1;\n"
                           "__syncthreads();\n"
                           "out[i] = read;\n";
  EXPECT_NE(run(body, 64, 1), run(body, 64, 2));
}

TEST_F(FakeKernelTest, WarpsShuffle) {
  std::vector<int> sums = run("int sum = i;\n"
                              "for (int step = 16; step > 0; step /= 2)\n"
                              "  sum += __shfl_xor_sync(~0u, sum, step);\n"
                              "out[i] = sum;\n",
                              64);
  EXPECT_THAT(std::vector(sums.begin(), sums.begin() + 32), Each(496));
  EXPECT_THAT(std::vector(sums.begin() + 32, sums.end()), Each(1520));
  std::vector<int> values = run("int a = __shfl_down_sync(~0u, i, 1);\n"
                                "int b = __shfl_up_sync(~0u, i, 2, 8);\n"
                                "int c = __shfl_sync(~0u, i, 3, 16);\n"
                                "out[i] = a + 100 * b + 10000 * c;\n",
                                32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(values[i], (i == 31 ? 31 : i + 1) +
                             100 * (i % 8 < 2 ? i : i - 2) +
                             10000 * (i / 16 * 16 + 3))
        << i;
}

TEST_F(FakeKernelTest, ABarrierThatNotAllReachIsReported) {
  run("if (i < 10) return;\n__syncthreads();\nout[i] = i;\n", 64);
  EXPECT_THAT(reports(), HasSubstr("threads of k wait for others"));
  // So is a lane that is waited for and does not come.
  run("if (i != 3) out[i] = __shfl_sync(~0u, i, 0);\n", 32);
  EXPECT_THAT(reports(), HasSubstr("threads of k wait for others"));
  run("if (i < 8) out[i] = __shfl_sync(0xffu, i, 9);\n", 32);
  EXPECT_THAT(reports(), HasSubstr("from a lane that takes no part"));
}

TEST_F(FakeKernelTest, ParametersAreCounted) {
  auto function = load(kFill);
  DevicePointer memory = allocate(4);
  EXPECT_EQ(launch(function, 1, 1, {memory, memory}), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("k takes 8 bytes of parameters and is given "
                                   "16"));
  EXPECT_EQ(launch(function, 1, 1, {memory + 1}), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("parameter 0 of k is not aligned"));
  EXPECT_EQ(launch(function, 1, 1, {64}), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("parameter 0 of k is no memory"));
  driver.memFree(memory);
}

TEST_F(FakeKernelTest, ParametersMayBeStructs) {
  auto function =
      load("struct Pair { int a, b, c; };\n"
           "extern \"C\" __global__ void k(int* out, const Pair pair,\n"
           "                             const double factor) {\n"
           "  out[0] = (pair.a + pair.b + pair.c) * factor;\n"
           "}");
  DevicePointer memory = allocate(4);
  struct {
    DevicePointer out;
    int pair[3];
    alignas(8) double factor;
  } packed = {memory, {1, 2, 3}, 0.5};
  void *parameters[] = {&packed.out, &packed.pair, &packed.factor};
  EXPECT_EQ(driver.launchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream,
                                parameters, nullptr),
            kSuccess);
  EXPECT_EQ(read<int>(memory, 1)[0], 3);
  packed.factor = 2;
  size_t bytes = sizeof packed;
  void *extra[] = {reinterpret_cast<void *>(1), &packed,
                   reinterpret_cast<void *>(2), &bytes, nullptr};
  EXPECT_EQ(driver.launchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr,
                                extra),
            kSuccess);
  EXPECT_EQ(read<int>(memory, 1)[0], 12);
  driver.memFree(memory);
}

TEST_F(FakeKernelTest, HalvesRoundToNearestEven) {
  auto function = load("extern \"C\" __global__ void k(const double* x,\n"
                       "    f16* h, bf16* b) {\n"
                       "  const int i = threadIdx.x;\n"
                       "  h[i] = narrow<f16>(x[i]);\n"
                       "  b[i] = narrow<bf16>(float(x[i]));\n"
                       "}\n");
  // A tie to even down and up, a carry, overflow, the least subnormal of f16,
  // half of it, a negative, and one that f16 overflows to infinity by rounding.
  const double values[] = {
      1 + 0x1p-11, 1 + 3 * 0x1p-11, 1 + 2047 * 0x1p-11, 1e6,
      0x1p-24,     0x1p-25,         -0.333333333333,    65520};
  auto *pinned = pin<double>(8);
  std::copy(std::begin(values), std::end(values), pinned);
  DevicePointer x = allocate(64), half = allocate(16), bfloat = allocate(16);
  driver.memcpyHtoDAsync(x, pinned, 64, stream);
  EXPECT_EQ(launch(function, 1, 8, {x, half, bfloat}), kSuccess);
  EXPECT_THAT(read<uint16_t>(half, 8),
              ElementsAre(0x3c00, 0x3c02, 0x4000, 0x7c00, 0x0001, 0x0000,
                          0xb555, 0x7c00));
  EXPECT_THAT(read<uint16_t>(bfloat, 8),
              ElementsAre(0x3f80, 0x3f80, 0x4000, 0x4974, 0x3380, 0x3300,
                          0xbeab, 0x4780));
  driver.memFreeHost(pinned);
  for (DevicePointer memory : {x, half, bfloat})
    driver.memFree(memory);
}

TEST_F(FakeKernelTest, LaunchesHaveLimits) {
  auto function = load(kFill);
  DevicePointer memory = allocate(8192);
  EXPECT_EQ(launch(function, 1, 1025, {memory}), kInvalidValue);
  EXPECT_EQ(launch(function, 1, 0, {memory}), kInvalidValue);
  EXPECT_EQ(launch(function, 0, 1, {memory}), kInvalidValue);
  EXPECT_EQ(launch(function, 0x80000000u, 1, {memory}), kInvalidValue);
  EXPECT_EQ(launch(function, 1, 1, {memory}, nullptr, 49153), kInvalidValue);
  EXPECT_EQ(launch(function, 1, 1024, {memory}, nullptr, 49152), kSuccess);
  driver.ctxSynchronize();
  driver.memFree(memory);
}

TEST_F(FakeKernelTest, WritingPastABlockIsAnErrorThatSticks) {
  auto function = load("extern \"C\" __global__ void k(int* out) { "
                       "out[16] = 1; }");
  DevicePointer memory = allocate(4);
  ASSERT_EQ(launch(function, 1, 1, {memory}), kSuccess);
  EXPECT_EQ(driver.streamSynchronize(stream), 700);
  EXPECT_EQ(driver.ctxSynchronize(), 700);
  fake.reset();
  driver.ctxSynchronize();
  driver.memFree(memory);
}

TEST_F(FakeKernelTest, AMisalignedAccessIsAnErrorThatSticks) {
  auto function =
      load("struct alignas(16) Four { int x[4]; };\n"
           "extern \"C\" __global__ void k(int* out) {\n"
           "  *reinterpret_cast<Four*>(out + 1) = Four{{1, 2, 3, 4}};\n}");
  DevicePointer memory = allocate(64);
  ASSERT_EQ(launch(function, 1, 1, {memory}), kSuccess);
  EXPECT_EQ(driver.streamSynchronize(stream), 716);
  fake.reset();
  driver.ctxSynchronize();
  driver.memFree(memory);
}

} // namespace
