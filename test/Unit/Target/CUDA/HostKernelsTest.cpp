//===- HostKernelsTest.cpp - CUDA C++ executed on the host ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/HostKernel.h"
#include "tandem/Target/CUDA/CUDATarget.h"

#include <array>
#include <gmock/gmock.h>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A program of one kernel; the rest is not looked at.
Program programOf(const std::string &source, unsigned threads = 4) {
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->name = "k";
  kernel->target = KernelTarget::cuda_source;
  kernel->code.assign(source.begin(), source.end());
  kernel->block = std::make_unique<fb::Dim3>(threads, 1, 1);
  Program program;
  program.kernels.push_back(std::move(kernel));
  return program;
}

TEST(HostKernels, BlocksOfARangeRun) {
  auto loaded = loadCUDAKernelsOnHost(
      programOf("extern \"C\" __global__ void k(const float* __restrict__ x,\n"
                "                               float* __restrict__ y) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  y[i] = x[0] + i;\n"
                "}\n"));
  ASSERT_TRUE(loaded) << loaded.error().str();
  float x = 0.5f;
  std::array<float, 12> y{};
  void *args[] = {&x, y.data()};
  functionOf (*loaded->front())(args, nullptr, nullptr, 1, 2);
  EXPECT_THAT(y, ElementsAre(0, 0, 0, 0, 4.5f, 5.5f, 6.5f, 7.5f, 0, 0, 0, 0));
}

TEST(HostKernels, HalvesRoundToNearestEven) {
  auto loaded = loadCUDAKernelsOnHost(
      programOf("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                "extern \"C\" __global__ void k(const double* x, __half* h,\n"
                "                               __nv_bfloat16* b) {\n"
                "  const int i = threadIdx.x;\n"
                "  h[i] = __double2half(x[i]);\n"
                "  b[i] = __float2bfloat16_rn((float) x[i]);\n"
                "}\n",
                8));
  ASSERT_TRUE(loaded) << loaded.error().str();
  // A tie to even down and up, a carry, overflow, the least subnormal of f16,
  // half of it, a negative, and one that f16 overflows to infinity by rounding.
  std::array<double, 8> x = {
      1 + 0x1p-11, 1 + 3 * 0x1p-11, 1 + 2047 * 0x1p-11, 1e6,
      0x1p-24,     0x1p-25,         -0.333333333333,    65520};
  std::array<uint16_t, 8> half{}, bfloat{};
  void *args[] = {x.data(), half.data(), bfloat.data()};
  functionOf (*loaded->front())(args, nullptr, nullptr, 0, 1);
  EXPECT_THAT(half, ElementsAre(0x3c00, 0x3c02, 0x4000, 0x7c00, 0x0001, 0x0000,
                                0xb555, 0x7c00));
  EXPECT_THAT(bfloat, ElementsAre(0x3f80, 0x3f80, 0x4000, 0x4974, 0x3380,
                                  0x3300, 0xbeab, 0x4780));
}

TEST(HostKernels, OneSourceIsLoadedOnce) {
  Program program = programOf("extern \"C\" __global__ void k() {}\n");
  auto first = loadCUDAKernelsOnHost(program);
  auto second = loadCUDAKernelsOnHost(program);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
}

TEST(HostKernels, BlockSizeIsPartOfAKernel) {
  const char *source = "extern \"C\" __global__ void k(int* n) { ++*n; }\n";
  for (unsigned threads : {1u, 32u}) {
    auto loaded = loadCUDAKernelsOnHost(programOf(source, threads));
    ASSERT_TRUE(loaded) << loaded.error().str();
    int n = 0;
    void *args[] = {&n};
    functionOf (*loaded->front())(args, nullptr, nullptr, 0, 3);
    EXPECT_EQ(n, int(3 * threads));
  }
}

TEST(HostKernels, ErrorsCarryTheCompilersWords) {
  auto loaded = loadCUDAKernelsOnHost(
      programOf("extern \"C\" __global__ void k() { undefined(); }\n"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().phase, "load");
  EXPECT_THAT(loaded.error().message, HasSubstr("undefined"));
}

TEST(HostKernels, PTXIsNotForTheHost) {
  Program program = programOf("");
  program.kernels[0]->target = KernelTarget::ptx;
  auto loaded = loadCUDAKernelsOnHost(program);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("kernel 'k' is not CUDA C++"));
}

} // namespace
