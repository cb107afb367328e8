//===- SafetensorsTest.cpp - Files of named tensors
//------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Safetensors.h"

#include "tandem/Runtime/Program.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

using namespace tandem;
using testing::HasSubstr;

namespace {

class SafetensorsTest : public testing::Test {
protected:
  void SetUp() override {
    path = testing::TempDir() + "safetensors-" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override { std::filesystem::remove(path); }

  /// Writes a header and `bytes` zeros, and returns the error of reading them.
  std::string errorOf(std::string header, size_t bytes = 0) {
    std::vector<uint8_t> file(8 + header.size() + bytes);
    const uint64_t length = header.size();
    std::memcpy(file.data(), &length, sizeof(length));
    std::memcpy(file.data() + 8, header.data(), header.size());
    EXPECT_TRUE(writeFileAtomically(path, file));
    auto contents = loadSafetensors(path);
    return contents ? "no error" : contents.error().str();
  }

  std::string path;
};

TEST_F(SafetensorsTest, KeepsTensorsOfAllTypes) {
  Safetensors written;
  written.metadata = {{"epoch", "3"}, {"text", "\"quotes\" and ä"}};
  for (DType dtype :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32,
        DType::i16, DType::i8, DType::ui64, DType::ui32, DType::ui16,
        DType::ui8, DType::i1})
    for (const Shape &shape :
         {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 4}}) {
      const TensorType type{dtype, shape};
      auto tensor = Tensor::allocate(type);
      ASSERT_TRUE(tensor);
      for (int64_t i = 0; i < type.bytes(); ++i)
        tensor->as<char>()[i] = char(dtype == DType::i1 ? i % 2 : 3 * i);
      written.tensors.emplace(type.str(), *tensor);
    }
  ASSERT_TRUE(saveSafetensors(path, written));
  auto read = loadSafetensors(path);
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(read->metadata, written.metadata);
  ASSERT_EQ(read->tensors.size(), written.tensors.size());
  for (const auto &[name, tensor] : written.tensors) {
    const Tensor &other = read->tensors[name];
    ASSERT_EQ(other.type(), tensor.type());
    EXPECT_EQ(std::memcmp(other.data(), tensor.data(), size_t(tensor.bytes())),
              0);
  }
}

TEST_F(SafetensorsTest, ReadsAnEmptyFileOfTensors) {
  EXPECT_EQ(errorOf("{}"), "no error");
  EXPECT_EQ(errorOf("{\"__metadata__\":{}}   "), "no error");
}

TEST_F(SafetensorsTest, RefusesInvalidHeaders) {
  const auto entry = [](const char *dtype, const char *shape,
                        const char *offsets) {
    return std::string("{\"a\":{\"dtype\":\"") + dtype +
           "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}";
  };
  EXPECT_EQ(errorOf(entry("F32", "[2]", "[0,8]"), 8), "no error");
  for (const std::string &header :
       {entry("F8_E4M3", "[8]", "[0,8]"), entry("F32", "[3]", "[0,8]"),
        entry("F32", "[2]", "[8,0]"), entry("F32", "[2]", "[0]"),
        entry("F32", "2", "[0,8]"), entry("F32", "[2.5]", "[0,8]"),
        entry("F32", "[-2]", "[0,8]"),
        entry("U8", "[1,1,1,1,1,1,1,1,8]", "[0,8]"),
        entry("F32", "[4294967296,4294967296,4294967296]", "[0,8]"),
        std::string("{\"a\":3}"), std::string("{\"a\":{}}")})
    EXPECT_THAT(errorOf(header, 8), HasSubstr("tensor 'a' is invalid"))
        << header;
  EXPECT_THAT(errorOf(entry("F32", "[2]", "[4,12]"), 12),
              HasSubstr("do not follow"));
  EXPECT_THAT(errorOf(entry("F32", "[2]", "[0,8]"), 9),
              HasSubstr("have 8 bytes, but the file has 9"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(errorOf("{\"__metadata__\":3}"), HasSubstr("no JSON object"));
  EXPECT_THAT(errorOf("{\"__metadata__\":{\"a\":3}}"),
              HasSubstr("'a' is no text"));
  EXPECT_THAT(errorOf(std::string(100'000, '[')), HasSubstr("no JSON object"));
}

TEST_F(SafetensorsTest, RefusesTensorsThatItCannotWrite) {
  Safetensors contents;
  contents.tensors["a"] = Tensor();
  EXPECT_FALSE(saveSafetensors(path, contents));
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
