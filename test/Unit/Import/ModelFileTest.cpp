//===- ModelFileTest.cpp - The bytes of a model's tensors -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/ModelFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace tandem;
using namespace tandem::onnx;

namespace {

namespace fs = std::filesystem;

/// A folder of its own, which goes with the test.
struct ModelFileTest : testing::Test {
  fs::path folder =
      fs::temp_directory_path() / ("tandem-model-" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string &name, const std::string &bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
  Expected<std::unique_ptr<ModelFile>> open(const proto::ModelProto &model) {
    write("model.onnx", model.SerializeAsString());
    return ModelFile::open(folder / "model.onnx");
  }
};

/// A model with one weight of f32, which the caller fills.
proto::ModelProto withWeight(int64_t count) {
  proto::ModelProto model;
  auto *weight = model.mutable_graph()->add_initializer();
  weight->set_name("w");
  weight->set_data_type(proto::TensorProto::FLOAT);
  weight->add_dims(count);
  return model;
}

/// Makes the weight one of external data.
void placeOutside(proto::ModelProto &model, const std::string &file,
                  int64_t offset) {
  auto *weight = model.mutable_graph()->mutable_initializer(0);
  weight->set_data_location(proto::TensorProto::EXTERNAL);
  auto add = [&](const std::string &key, const std::string &value) {
    auto *entry = weight->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", file);
  add("offset", std::to_string(offset));
}

TEST_F(ModelFileTest, AlignedExternalDataIsMapped) {
  // Beyond what is read rather than mapped.
  constexpr int64_t count = 1 << 16;
  write("weights", std::string(4096, 'x') + std::string(4 * count, '\1'));
  proto::ModelProto model = withWeight(count);
  placeOutside(model, "weights", 4096);
  auto file = open(model);
  ASSERT_TRUE(file);
  auto bytes = (*file)->read((*file)->model().graph().initializer(0));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->bytes.size(), size_t(4 * count));
  EXPECT_EQ(bytes->bytes.front(), '\1');
  EXPECT_EQ((*file)->copiedBytes(), 0u);
}

TEST_F(ModelFileTest, WhatIsNotAlignedIsMappedToo) {
  constexpr int64_t count = 1 << 16;
  write("weights", std::string(4100, 'x') + std::string(4 * count, '\1'));
  proto::ModelProto model = withWeight(count);
  placeOutside(model, "weights", 4100);
  auto file = open(model);
  ASSERT_TRUE(file);
  auto bytes = (*file)->read((*file)->model().graph().initializer(0));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->bytes.size(), size_t(4 * count));
  EXPECT_EQ(bytes->bytes.front(), '\1');
  EXPECT_EQ((*file)->copiedBytes(), 0u);
}

TEST_F(ModelFileTest, LinksOutOfTheFolderAreRefused) {
  write("weights", std::string(16, '\1'));
  fs::create_directories(folder / "inner");
  fs::create_symlink(folder / "weights", folder / "inner" / "link");
  proto::ModelProto model = withWeight(4);
  placeOutside(model, "link", 0);
  write("inner/model.onnx", model.SerializeAsString());
  auto file = ModelFile::open(folder / "inner" / "model.onnx");
  ASSERT_TRUE(file);
  auto bytes = (*file)->read((*file)->model().graph().initializer(0));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("not inside the model's folder"),
            std::string::npos);
}

TEST_F(ModelFileTest, NumbersAreConverted) {
  proto::ModelProto model = withWeight(2);
  auto *weight = model.mutable_graph()->mutable_initializer(0);
  weight->set_data_type(proto::TensorProto::INT8);
  weight->add_int32_data(-1);
  weight->add_int32_data(5);
  auto file = open(model);
  ASSERT_TRUE(file);
  auto bytes = (*file)->read((*file)->model().graph().initializer(0));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->bytes, llvm::ArrayRef<char>({-1, 5}));
}

TEST_F(ModelFileTest, SizesMustBeThoseOfTheType) {
  proto::ModelProto model = withWeight(int64_t(1) << 40);
  model.mutable_graph()->mutable_initializer(0)->set_raw_data("1234");
  auto file = open(model);
  ASSERT_TRUE(file);
  auto bytes = (*file)->read((*file)->model().graph().initializer(0));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("has 4 bytes of elements"),
            std::string::npos);
}

} // namespace
