//===- DLPackTest.cpp - Tensors of GPUs for other frameworks --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "tandem/Runtime/DLPack.h"

#include <dlpack/dlpack.h>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

TEST_F(CUDADeviceTest, DLPackTensorsStayOnTheGPU) {
  const Tensor there = place(makeFloats({2, 3}));
  auto managed = toDLPack(there);
  ASSERT_TRUE(managed) << managed.error().str();
  EXPECT_EQ((*managed)->dl_tensor.device.device_type, kDLCUDA);
  EXPECT_EQ((*managed)->dl_tensor.device.device_id, 0);
  auto back = fromDLPack(*managed);
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(back->device(), device);
  EXPECT_EQ(back->data(), there.data());
  EXPECT_EQ(read(*back), floats(makeFloats({2, 3})));
}

TEST_F(CUDADeviceTest, DLPackTensorsOfAGPUAreNotReordered) {
  const Tensor there = place(makeFloats({2, 3}));
  DLManagedTensor *managed = *toDLPack(there);
  std::swap(managed->dl_tensor.shape[0], managed->dl_tensor.shape[1]);
  std::swap(managed->dl_tensor.strides[0], managed->dl_tensor.strides[1]);
  auto back = fromDLPack(managed);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("must be dense"));
  managed->dl_tensor.device.device_id = 7;
  EXPECT_FALSE(fromDLPack(managed));
  managed->deleter(managed);
}

} // namespace
