//===- DeviceIndexTest.cpp - Programs on several GPUs ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA/FakeCUDA.h"

#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

class DeviceIndex : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    test::fakeCUDA();
  }

  std::unique_ptr<Function> create(const std::string &device) {
    auto graph = Graph::parseString(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = tandem.neg %x : tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n");
    EXPECT_TRUE(graph) << graph.error().str();
    CompileOptions options;
    options.device = device;
    auto function = (*graph)->createFunction(options);
    EXPECT_TRUE(function) << function.error().str();
    return std::move(*function);
  }
  /// {1, 2, 3, 4} there.
  Tensor place(Device &device) {
    const Tensor here = Tensor::borrow({DType::f32, {4}}, numbers);
    auto there = copyToDevice({&here, 1}, device.defaultStream());
    EXPECT_TRUE(device.defaultStream().synchronize());
    return there->front();
  }

  float numbers[4] = {1, 2, 3, 4};
};

TEST_F(DeviceIndex, EachHasItsOwnKernels) {
  // Equal kernels: one that is loaded on the other device does not run here.
  for (const char *name : {"cuda", "cuda:1", "cuda:0"}) {
    auto device = findDevice(name);
    ASSERT_TRUE(device) << device.error().str();
    Tensor input = place(**device);
    auto function = create(name);
    auto outputs = function->call({&input, 1}, Tier::compiled);
    ASSERT_TRUE(outputs) << name << ": " << outputs.error().str();
    EXPECT_EQ(outputs->front().device(), *device);
    auto here = copyToHost(*outputs, (*device)->defaultStream());
    ASSERT_TRUE(here) << here.error().str();
    EXPECT_EQ(here->front().as<float>()[3], -4);
  }
}

TEST_F(DeviceIndex, TensorsOfAnotherAreRefused) {
  Tensor input = place(**cudaDevice(0));
  auto outputs = create("cuda:1")->call({&input, 1}, Tier::compiled);
  ASSERT_FALSE(outputs);
  EXPECT_THAT(outputs.error().message,
              HasSubstr("input 0 is on device 'cuda:0', and the program takes "
                        "tensors on device 'cuda:1'"));
}

TEST_F(DeviceIndex, WhatIsNotThereIsNamed) {
  auto third = findDevice("cuda:2");
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message,
              HasSubstr("there is no device 'cuda:2'; the driver has 2"));
  auto none = findDevice("cuda:x");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no device 'cuda:x'"));
}

} // namespace
