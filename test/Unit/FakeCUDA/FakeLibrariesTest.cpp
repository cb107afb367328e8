//===- FakeLibrariesTest.cpp - What the fake libraries refuse -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check of the fake cuDNN and cuBLASLt is provoked.
//
//===----------------------------------------------------------------------===//

#include "FakeFixture.h"

#include "eager/cublaslt/MatmulCall.h"
#include "eager/cudnn/Planner.h"

#include <functional>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;
namespace cudnn = tandem::cudnn;
using cudnn::Descriptor;

namespace {

//===----------------------------------------------------------------------===//
// cuDNN
//===----------------------------------------------------------------------===//

class FakeCUDNNTest : public FakeTest {
protected:
  FakeCUDNNTest() {
    EXPECT_EQ(library.create(&handle), kSuccess);
    problem.input = problem.output = {{1, 2, 4, 4}, {32, 1, 8, 2}};
    problem.kernel = {{2, 2, 1, 1}, {2, 1, 2, 2}};
    problem.strides = problem.dilations = {1, 1};
    problem.padLow = problem.padHigh = {0, 0};
    problem.hasBias = true;
  }
  ~FakeCUDNNTest() override { library.destroy(handle); }

  Descriptor tensor() {
    Descriptor tensor(library, cudnn::Kind::tensor);
    tensor.set(cudnn::Attribute::tensorDataType, cudnn::Type::dataType, 0)
        .set(cudnn::Attribute::tensorDims, problem.input.sizes)
        .set(cudnn::Attribute::tensorStrides, problem.input.strides)
        .set(cudnn::Attribute::tensorId, 1);
    return tensor;
  }
  void expectWrong(const Status &status, const std::string &report) {
    EXPECT_FALSE(status);
    EXPECT_THAT(reports(), HasSubstr("cuDNN: " + report));
  }
  /// The graph of a problem that is no longer right.
  void expectWrongGraph(const std::function<void(cudnn::ConvProblem &)> &change,
                        const std::string &report) {
    cudnn::ConvProblem changed = problem;
    change(changed);
    EXPECT_FALSE(cudnn::createGraph(library, handle, changed));
    EXPECT_THAT(reports(), HasSubstr("cuDNN: " + report));
  }

  const cuda::CUDNN &library = *cuda::cudnn();
  cudnnContext *handle = nullptr;
  cudnn::ConvProblem problem;
};

TEST_F(FakeCUDNNTest, DescriptorsThatAreIncomplete) {
  expectWrong(tensor().finalize("it"), "attribute 900 is not set");
  expectWrong(
      tensor()
          .set(cudnn::Attribute::tensorAlignment, cudnn::Type::dataType, 16)
          .finalize("it"),
      "attribute 900 has another type");
  expectWrong(
      tensor().set(cudnn::Attribute::tensorAlignment, 24).finalize("it"),
      "an alignment is no power of two");
  Descriptor whole = tensor();
  whole.set(cudnn::Attribute::tensorAlignment, 16);
  Descriptor user(library, cudnn::Kind::pointwiseOperation);
  expectWrong(user.set(cudnn::Attribute::pointwiseX, whole).finalize("it"),
              "a descriptor is used that is not finalised");
  EXPECT_FALSE(whole.getInt64(cudnn::Attribute::tensorId));
  EXPECT_THAT(reports(), HasSubstr("is read that is not finalised"));
  EXPECT_TRUE(whole.finalize("it"));
  expectWrong(whole.set(cudnn::Attribute::tensorId, 2).finalize("it"),
              "an attribute of a descriptor is set that is finalised");
  expectWrong(tensor()
                  .set(cudnn::Attribute::tensorAlignment, 16)
                  .set(cudnn::Attribute::packIds, 16)
                  .finalize("it"),
              "attribute 1000 is none of the descriptor's");
}

TEST_F(FakeCUDNNTest, GraphsThatDoNotFit) {
  using Problem = cudnn::ConvProblem;
  expectWrongGraph([](Problem &p) { p.padLow = {1, 1}; },
                   "a convolution's output has another size");
  expectWrongGraph([](Problem &p) { p.kernel.sizes[0] = 3; },
                   "a convolution's channels do not fit");
  expectWrongGraph([](Problem &p) { p.padHigh = {0}; },
                   "a convolution's lists differ in length");
  expectWrongGraph([](Problem &p) { p.kernel.strides = {1, 2, 4, 4}; },
                   "a tensor is not packed");
  expectWrongGraph([](Problem &p) { p.input.sizes[3] = 0; },
                   "a tensor's size or stride is not positive");
  expectWrongGraph(
      [](Problem &p) {
        p.direction = cudnn::ConvDirection::backwardData;
        p.input.sizes[3] = 5;
      },
      "a convolution's output has another size");
}

TEST_F(FakeCUDNNTest, PacksThatDoNotFit) {
  cudnn::Planner planner(library, handle);
  const auto plan = *planner.plan(problem, {});
  ASSERT_TRUE(plan);
  const DevicePointer memory = allocate(1 << 16);
  std::vector<int64_t> ids = {cudnn::kInput, cudnn::kKernel, cudnn::kBias,
                              cudnn::kOutput};
  std::vector<DevicePointer> pointers = {memory, memory + 1024, memory + 2048,
                                         memory + 4096};
  DevicePointer workspace = memory + 8192;
  const auto execute = [&] {
    Descriptor pack(library, cudnn::Kind::variantPack);
    Status status =
        pack.set(cudnn::Attribute::packIds, ids)
            .setRaw(cudnn::Attribute::packPointers, cudnn::Type::pointer,
                    int64_t(pointers.size()), pointers.data())
            .setRaw(cudnn::Attribute::packWorkspace, cudnn::Type::pointer, 1,
                    &workspace)
            .finalize("pack");
    return !status
               ? 1
               : library.execute(handle, plan->descriptor.get(), pack.get());
  };
  const auto expectRefused = [&](const std::string &report) {
    EXPECT_NE(execute(), kSuccess);
    EXPECT_THAT(reports(), HasSubstr("cuDNN: " + report));
  };
  expectRefused("a handle has no stream");
  library.setStream(handle, stream);
  const auto right = pointers;
  pointers[0] += 4;
  expectRefused("a pointer is not aligned as its tensor says");
  pointers = right;
  pointers[3] = memory + (1 << 16) - 64;
  expectRefused("a tensor is not within memory of the device");
  pointers = right;
  workspace = memory + (1 << 16) - 64;
  expectRefused("the workspace is smaller than the plan's");
  workspace = memory + 8192;
  pointers.pop_back();
  expectRefused("there are not as many pointers as ids");
  ids.pop_back();
  expectRefused("not as many pointers are given as there are tensors");
  ids.push_back(77);
  pointers = right;
  expectRefused("a tensor has no pointer");
  ids.back() = cudnn::kOutput;
  EXPECT_EQ(execute(), kSuccess);
  EXPECT_EQ(driver.streamSynchronize(stream), kSuccess);
  driver.memFree(memory);
}

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

class FakeCUBLASLtTest : public FakeTest {
protected:
  FakeCUBLASLtTest() {
    EXPECT_EQ(library.create(&handle), kSuccess);
    problem.lhs = problem.rhs = problem.result = {4, 4, 4};
    problem.calls = {{0, 0, 0}};
  }
  ~FakeCUBLASLtTest() override { library.destroy(handle); }

  using Problem = cublaslt::MatmulProblem;
  void expectWrong(const std::function<void(Problem &)> &change,
                   const std::string &report) {
    Problem changed = problem;
    change(changed);
    auto call =
        cublaslt::MatmulCall::create(library, changed, Precision::strict);
    ASSERT_TRUE(call);
    EXPECT_FALSE((*call)->propose(handle, 1 << 20));
    EXPECT_THAT(reports(), HasSubstr("cuBLASLt: " + report));
  }

  const cuda::CUBLASLt &library = *cuda::cublasLt();
  cublasLtContext *handle = nullptr;
  Problem problem;
};

TEST_F(FakeCUBLASLtTest, ProductsThatDoNotFit) {
  expectWrong([](Problem &p) { p.lhs.columns = 3; }, "the matrices do not fit");
  expectWrong([](Problem &p) { p.rhs.rowStride = 3; },
              "a leading dim is smaller than the rows");
  expectWrong(
      [](Problem &p) {
        p.batch = 2;
        p.result.batchStride = 8;
      },
      "the results of a batch overlap");
  // A wrong size of an attribute.
  void *desc = nullptr;
  EXPECT_EQ(library.matmulDescCreate(&desc, 68, 0), kSuccess);
  const int64_t wide = 1;
  EXPECT_NE(library.matmulDescSetAttribute(desc, 3, &wide, sizeof wide),
            kSuccess);
  EXPECT_THAT(reports(), HasSubstr("TRANSA has another size"));
  library.matmulDescDestroy(desc);
}

TEST_F(FakeCUBLASLtTest, ProductsOfBytesThatDoNotFit) {
  problem.factors = DType::i8;
  problem.dtype = DType::i32;
  expectWrong([](Problem &) {}, "matrices of i8 are not in the TN format");
  problem.transposeRhs = true;
  expectWrong([](Problem &p) { p.result = {4, 4, 5}; },
              "a leading dim of a product of i8 is not a multiple of 4");
  expectWrong(
      [](Problem &p) {
        p.rhs.rows = p.result.columns = 5;
        p.result.rowStride = 8;
      },
      "a dim of a product of i8 is not a multiple of 4");
  expectWrong([](Problem &p) { p.activation = Activation::relu; },
              "a product of i8 has an epilogue");
  expectWrong([](Problem &p) { p.callAlignment = 2; },
              "matrices of i8 are not aligned to 4 bytes");
  expectWrong([](Problem &p) { p.factors = DType::f16; },
              "the types are not those of a product of i8");
}

TEST_F(FakeCUBLASLtTest, CallsThatDoNotFit) {
  problem.hasBias = true;
  auto call =
      *cublaslt::MatmulCall::create(library, problem, Precision::strict);
  const auto algorithms = *call->propose(handle, 1 << 20);
  ASSERT_EQ(algorithms.size(), 2u);
  // With less workspace there is one fewer.
  EXPECT_EQ(call->propose(handle, 0)->size(), 1u);
  const DevicePointer memory = allocate(1 << 16);
  auto *const first = reinterpret_cast<char *>(memory);
  cublaslt::Pointers pointers{first, first + 1024, first + 2048, nullptr,
                              first + 4096};
  std::span<std::byte> workspace(reinterpret_cast<std::byte *>(first + 8192),
                                 1024);
  cublaslt::Algorithm algorithm = algorithms[0];
  const auto run = [&] {
    return call->run(handle, algorithm, pointers, workspace, stream);
  };
  const auto expectRefused = [&](const std::string &report) {
    EXPECT_FALSE(run());
    EXPECT_THAT(reports(), HasSubstr("cuBLASLt: " + report));
  };
  pointers.lhs += 4;
  expectRefused("a matrix is not aligned as the preference says");
  pointers.lhs = first + (1 << 16) - 16;
  expectRefused("a matrix is not within memory of the device");
  pointers.lhs = first;
  pointers.bias = nullptr;
  expectRefused("the epilogue's bias has no pointer");
  pointers.bias = first + 2048;
  workspace = workspace.first(512);
  expectRefused("the workspace is smaller than the algorithm's");
  workspace = {workspace.data(), 1024};
  algorithm.heuristic.algo[0] = 0;
  expectRefused("an algorithm is not of the heuristics");
  algorithm = algorithms[0];
  EXPECT_TRUE(run());
  EXPECT_EQ(driver.streamSynchronize(stream), kSuccess);
  driver.memFree(memory);
}

} // namespace
