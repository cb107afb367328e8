//===- DLPackTest.cpp - Tensors of other frameworks -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/DLPack.h"

#include "../../Device/GuardedDevice.h"

#include "tandem/Runtime/Device.h"

#include <dlpack/dlpack.h>
#include <gmock/gmock.h>
#include <vector>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A tensor of another framework, which counts how often it is deleted.
struct Foreign {
  std::vector<float> data{0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensor managed{};

  Foreign() {
    managed.dl_tensor = {data.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                         shape,       strides,     0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      ++static_cast<Foreign *>(self->manager_ctx)->deleted;
    };
  }
};

std::vector<float> floats(const Tensor &tensor) {
  return {tensor.as<float>(),
          tensor.as<float>() + tensor.shape().numElements()};
}

TEST(DLPack, MemoryIsSharedUntilItsLastUse) {
  Foreign foreign;
  auto tensor = fromDLPack(&foreign.managed);
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(tensor->data(), foreign.data.data());
  EXPECT_EQ(tensor->type(), (TensorType{DType::f32, {2, 3}}));
  Tensor copy = *tensor;
  tensor->reset();
  EXPECT_EQ(foreign.deleted, 0);
  copy.reset();
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DLPack, MemoryWithoutDeleterIsTheCallers) {
  Foreign foreign;
  std::vector<Tensor> tensors;
  {
    DLManagedTensor managed = foreign.managed;
    managed.deleter = nullptr;
    auto tensor = fromDLPack(&managed);
    ASSERT_TRUE(tensor) << tensor.error().str();
    tensors.push_back(*tensor);
  }
  EXPECT_EQ(tensors[0].data(), foreign.data.data());
  EXPECT_FALSE(tensors[0].owner());
  tensors.clear();
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(DLPack, NullStridesAndOffsets) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = nullptr;
  foreign.managed.dl_tensor.byte_offset = 8;
  foreign.shape[1] = 2;
  auto tensor = fromDLPack(&foreign.managed);
  EXPECT_THAT(floats(*tensor), ElementsAre(2, 3, 4, 5));
}

TEST(DLPack, WhatIsCopiedIsReleasedAtOnce) {
  Foreign foreign;
  foreign.shape[0] = 3, foreign.shape[1] = 2;
  foreign.strides[0] = 1, foreign.strides[1] = 3;
  auto tensor = fromDLPack(&foreign.managed);
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_THAT(floats(*tensor), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(DLPack, ADeleterMayBeNull) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_TRUE(fromDLPack(&foreign.managed));
}

TEST(DLPack, EveryTypeGoesThereAndBack) {
  const Shape shapes[] = {{2, 3, 4}, {0, 3}, {}, {1, 2, 1, 2, 1, 2, 1, 2}};
  for (int dtype = 0; dtype <= int(DType::MAX); ++dtype)
    for (const Shape &shape : shapes) {
      const TensorType type{DType(dtype), shape};
      Tensor tensor = *Tensor::allocate(type);
      auto managed = toDLPack(tensor);
      ASSERT_TRUE(managed) << managed.error().str();
      EXPECT_EQ((*managed)->dl_tensor.dtype.bits, 8 * byteWidth(type.dtype));
      void *data = tensor.data();
      tensor.reset();
      auto back = fromDLPack(*managed);
      ASSERT_TRUE(back) << back.error().str();
      EXPECT_EQ(back->type(), type);
      if (shape.numElements() > 0)
        EXPECT_EQ(back->data(), data);
    }
}

TEST(DLPack, AnExportedTensorIsKept) {
  Foreign foreign;
  auto managed = toDLPack(*fromDLPack(&foreign.managed));
  ASSERT_TRUE(managed);
  EXPECT_EQ((*managed)->dl_tensor.data, foreign.data.data());
  EXPECT_EQ((*managed)->dl_tensor.strides[0], 3);
  EXPECT_EQ(foreign.deleted, 0);
  (*managed)->deleter(*managed);
  EXPECT_EQ(foreign.deleted, 1);
}

/// The error of taking a tensor, which is the caller's then.
std::string errorOf(void (*spoil)(DLTensor &)) {
  Foreign foreign;
  spoil(foreign.managed.dl_tensor);
  auto tensor = fromDLPack(&foreign.managed);
  EXPECT_EQ(foreign.deleted, 0);
  return tensor ? "" : tensor.error().str();
}

TEST(DLPack, WhatCannotBeTakenIsAnErrorAndStaysTheCallers) {
  EXPECT_THAT(errorOf([](DLTensor &x) { x.dtype.bits = 24; }),
              HasSubstr("code 2 of 24 bits"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.dtype.lanes = 4; }),
              HasSubstr("4 lanes"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.dtype.code = kDLComplex; }),
              HasSubstr("code 5 of 32 bits"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.device.device_type = kDLMetal; }),
              HasSubstr("device type 8"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.ndim = 9; }), HasSubstr("9 dims"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.ndim = -1; }), HasSubstr("-1 dims"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.shape = nullptr; }),
              HasSubstr("shape is null"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.shape[0] = -2; }),
              HasSubstr("negative dim"));
  EXPECT_THAT(errorOf([](DLTensor &x) { x.data = nullptr; }),
              HasSubstr("data is null"));
  EXPECT_FALSE(fromDLPack(nullptr));
}

TEST(DLPack, TensorsWithoutDataOrInUnknownMemoryAreNotExported) {
  EXPECT_FALSE(toDLPack(Tensor()));
  float x = 0;
  auto managed =
      toDLPack(Tensor::borrow({DType::f32, {}}, &x, &test::guardedDevice()));
  ASSERT_FALSE(managed);
  EXPECT_THAT(managed.error().message, HasSubstr("'guarded'"));
}

} // namespace
