//===- CAPITest.cpp - The C API from C++, and out of memory ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem-c/Tandem.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <thread>
#include <vector>

/// How many allocations of this thread still succeed; -1: all.
static thread_local int numAllowed = -1;

void *operator new(size_t size, const std::nothrow_t &) noexcept {
  if (numAllowed == 0)
    return nullptr;
  if (numAllowed > 0)
    --numAllowed;
  return std::malloc(size ? size : 1);
}

void *operator new(size_t size) {
  if (void *memory = operator new(size, std::nothrow))
    return memory;
  throw std::bad_alloc();
}

void *operator new[](size_t size) { return operator new(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

namespace {

const char kText[] = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tandem.neg %x : tensor<?xf32>
  return %0 : tensor<?xf32>
})";

TandemFunction *loadNeg(TandemMode mode) {
  TandemFunction *function = nullptr;
  TandemLoadOptions options{};
  options.structSize = sizeof options;
  options.mode = mode;
  TandemError *error =
      tandemFunctionLoadText(kText, sizeof kText - 1, &options, &function);
  EXPECT_FALSE(error) << tandemErrorText(error);
  return function;
}

TandemTensor *makeTensor(const std::vector<float> &data) {
  const int64_t shape[] = {int64_t(data.size())};
  TandemTensorDesc desc{};
  desc.structSize = sizeof desc;
  desc.data = const_cast<float *>(data.data());
  desc.rank = 1;
  desc.shape = shape;
  TandemTensor *tensor = nullptr;
  TandemError *error = tandemTensorCreate(&desc, &tensor);
  EXPECT_FALSE(error) << tandemErrorText(error);
  return tensor;
}

/// A program in C11; what it checks is in its sources.
TEST(CAPI, HoldsInC) {
  const std::string graph = std::string(TANDEM_GRAPHS) + "/chain8.mlir";
  EXPECT_EQ(std::system((std::string(CAPI_CALLS) + " " + graph).c_str()), 0);
}

/// Calls `body`, whose first n allocations succeed, for every n until it does.
template <typename Body> int failEachAllocation(Body body) {
  for (int n = 0;; ++n) {
    numAllowed = n;
    TandemError *error = body();
    numAllowed = -1;
    if (!error)
      return n;
    EXPECT_STREQ(tandemErrorMessage(error), "out of memory") << n;
    EXPECT_STREQ(tandemErrorPhase(error), "allocate");
    tandemErrorRelease(error);
  }
}

TEST(CAPI, BadAllocsOfTensorsAreErrors) {
  float data[] = {1, 2, 3, 4};
  const int64_t shape[] = {2, 2}, strides[] = {1, 2};
  int numDeleted = 0;
  TandemTensorDesc desc{};
  desc.structSize = sizeof desc;
  desc.data = data;
  desc.rank = 2;
  desc.shape = shape;
  desc.context = &numDeleted;
  desc.deleter = [](void *, void *context) { ++*static_cast<int *>(context); };
  for (const int64_t *order : {(const int64_t *)nullptr, strides}) {
    desc.strides = order;
    TandemTensor *tensor = nullptr;
    numDeleted = 0;
    EXPECT_GT(
        failEachAllocation([&] { return tandemTensorCreate(&desc, &tensor); }),
        0);
    DLManagedTensor *managed = nullptr;
    EXPECT_GT(failEachAllocation(
                  [&] { return tandemTensorToDLPack(tensor, &managed); }),
              0);
    TandemTensor *back = nullptr;
    EXPECT_GT(failEachAllocation(
                  [&] { return tandemTensorFromDLPack(managed, &back); }),
              0);
    tandemTensorRelease(tensor);
    tandemTensorRelease(back);
    EXPECT_EQ(numDeleted, 1);
  }
}

class CAPIModes : public testing::TestWithParam<TandemMode> {};
INSTANTIATE_TEST_SUITE_P(All, CAPIModes,
                         testing::Values(TANDEM_MODE_EAGER, TANDEM_MODE_COMPILE,
                                         TANDEM_MODE_AUTO,
                                         TANDEM_MODE_COMPILE_NOW));

TEST_P(CAPIModes, ABadAllocOfACallIsAnError) {
  std::vector<float> data(4, 1.0f);
  TandemFunction *function = loadNeg(GetParam());
  TandemTensor *input = makeTensor(data), *output = nullptr;
  const TandemTensor *inputs[] = {input};
  auto call = [&] {
    return tandemFunctionCall(function, inputs, 1, &output, 1);
  };
  ASSERT_FALSE(call());
  tandemTensorRelease(output);
  EXPECT_GT(failEachAllocation(call), 0);
  tandemTensorRelease(output);
  tandemTensorRelease(input);
  tandemFunctionRelease(function);
}

TEST_P(CAPIModes, AnyNumberOfThreadsCallOneFunction) {
  TandemFunction *function = loadNeg(GetParam());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> data(t % 2 + 1, float(t));
      TandemTensor *input = makeTensor(data);
      const TandemTensor *inputs[] = {input};
      for (int i = 0; i < 50; ++i) {
        TandemTensor *output = nullptr;
        TandemError *error =
            tandemFunctionCall(function, inputs, 1, &output, 1);
        ASSERT_FALSE(error) << tandemErrorText(error);
        TandemTensorDesc desc{};
        desc.structSize = sizeof desc;
        ASSERT_FALSE(tandemTensorDescribe(output, &desc));
        EXPECT_EQ(*static_cast<float *>(desc.data), float(-t));
        tandemTensorRelease(output);
      }
      tandemTensorRelease(input);
    });
  for (std::thread &thread : threads)
    thread.join();
  tandemFunctionRelease(function);
}

} // namespace
