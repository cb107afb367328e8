//===- CUDASourceTest.cpp - Names and lines of emitted CUDA C++ -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDASource.h"

#include <gmock/gmock.h>

using tandem::mergeSources;
using tandem::rewriteSource;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(CUDASource, GivesNamesToTheEndOfTheScope) {
  EXPECT_THAT(rewriteSource("void k(float* v1) {\n"
                            "  //@name v1 x\n"
                            "  if (c) {\n"
                            "    float v2 = v1[0];\n"
                            "    //@const v2 first\n"
                            "    v1[1] = v2;\n"
                            "  }\n"
                            "  float v2 = v1[2];\n"
                            "  //@name v2 second\n"
                            "  v1[3] = v2 + v22;\n"
                            "}\n"),
              Eq("void k(float* x) {\n"
                 "  if (c) {\n"
                 "    const float first = x[0];\n"
                 "    x[1] = first;\n"
                 "  }\n"
                 "  float second = x[2];\n"
                 "  x[3] = second + v22;\n"
                 "}\n"));
}

TEST(CUDASource, PutsDefinitionsWhereTheyAreUsed) {
  EXPECT_THAT(rewriteSource("void k() {\n"
                            "  int32_t v1 = n * 2;\n"
                            "  //@inline v1\n"
                            "  int32_t v2 = v1 + 1;\n"
                            "  //@inline v2\n"
                            "  out[v2] = x[v2];\n"
                            "}\n"),
              Eq("void k() {\n  out[n * 2 + 1] = x[n * 2 + 1];\n}\n"));
}

TEST(CUDASource, KnowsTypesWithoutHeaders) {
  EXPECT_THAT(rewriteSource("int64_t a; uint32_t b; _Float16 c; __bf16 d;"),
              Eq("long long a; unsigned b; f16 c; bf16 d;\n"));
}

TEST(CUDASource, DefinesWithTheFirstValue) {
  EXPECT_THAT(rewriteSource("{\n  float v1;\n  //@name v1 sum\n  v1 = 0.0f;\n"
                            "  v1 = v1 + v2;\n}\n"),
              Eq("{\n  float sum = 0.0f;\n  sum = sum + v2;\n}\n"));
  // Not what the line before does not define.
  EXPECT_THAT(rewriteSource("float v1;\nv2 = 0.0f;\n"),
              Eq("float v1;\nv2 = 0.0f;\n"));
}

TEST(CUDASource, MarksSharedMemory) {
  EXPECT_THAT(rewriteSource("{\n  float v1[8];\n  //@shared v1 tile\n}\n"),
              Eq("{\n  __shared__ float tile[8];\n}\n"));
}

TEST(CUDASource, MergesKernelsAndDeclaresOnce) {
  std::string shared = "struct a {};\n\n", own = "struct b {};\n\n";
  std::string kernel = "// Launched with 1 block of 32 threads.\n"
                       "extern \"C\" __global__ void kernel(int* out) {\n}\n";
  std::string first = kernel, second = kernel;
  first.replace(first.find("kernel("), 6, "k0");
  second.replace(second.find("kernel("), 6, "k1");
  EXPECT_THAT(mergeSources({{shared + kernel, "kernel", "k0"},
                            {shared + own + kernel, "kernel", "k1"}}),
              Eq(shared + own + first + second));
}

TEST(CUDASource, BreaksLongLinesAfterOperators) {
  std::string line = "  out[i] = ";
  for (int i = 0; i < 12; ++i)
    line += "argument_" + std::to_string(i) + " + ";
  std::string result = rewriteSource(line + "1;");
  EXPECT_THAT(result, HasSubstr(" +\n      argument_"));
  for (size_t at = 0; at < result.size();) {
    size_t end = result.find('\n', at);
    EXPECT_LE(end - at, 80u);
    at = end + 1;
  }
}

TEST(CUDASource, LeavesAMarkerOfNothingWithoutEffect) {
  EXPECT_THAT(rewriteSource("//@inline v9\nint v3;\n"), Eq("int v3;\n"));
}

} // namespace
