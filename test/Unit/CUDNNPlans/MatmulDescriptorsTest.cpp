//===- MatmulDescriptorsTest.cpp - Descriptors of cuBLASLt, no GPU --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With no GPU cuBLASLt proposes no algorithms, but it checks the attributes of
// its descriptors when they are set.
//
//===----------------------------------------------------------------------===//

#include "eager/cublaslt/MatmulCall.h"

#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::cublaslt;
using testing::HasSubstr;

namespace {

/// Up to the heuristics, which want a device, all calls succeed.
void expectTaken(const cuda::CUBLASLt &library, cublasLtContext *handle,
                 const MatmulProblem &problem, Precision precision) {
  SCOPED_TRACE(problem.key());
  auto call = MatmulCall::create(library, problem, precision);
  ASSERT_TRUE(call) << call.error().str();
  const auto algorithms = (*call)->propose(handle, 1 << 20);
  if (handle)
    EXPECT_TRUE(algorithms) << algorithms.error().str();
  else
    EXPECT_THAT(algorithms.error().message,
                HasSubstr("cublasLtMatmulAlgoGetHeuristic: "
                          "CUBLAS_STATUS_NOT_INITIALIZED"));
}

TEST(MatmulDescriptorsTest, TheInstalledLibraryTakesThem) {
  if (!cuda::cublasLt())
    GTEST_SKIP() << cuda::cublasLt().error().str();
  const cuda::CUBLASLt &library = *cuda::cublasLt();
  cublasLtContext *handle = nullptr;
  if (library.create(&handle) != cuda::kSuccess)
    handle = nullptr;
  MatmulProblem problem;
  problem.lhs = problem.rhs = problem.result = {64, 64, 64, 4096};
  problem.calls = {{0, 0, 0}};
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (Activation activation :
         {Activation::none, Activation::relu, Activation::gelu_tanh})
      for (int bits = 0; bits < 16; ++bits) {
        problem.dtype = dtype;
        problem.activation = activation;
        problem.transposeLhs = bits & 1;
        problem.transposeRhs = bits & 2;
        problem.hasBias = bits & 4;
        problem.batch = bits & 8 ? 3 : 1;
        for (Precision precision : {Precision::strict, Precision::tf32})
          expectTaken(library, handle, problem, precision);
      }
  if (handle)
    library.destroy(handle);
}

} // namespace
