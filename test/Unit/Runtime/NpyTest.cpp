//===- NpyTest.cpp - NumPy's files ----------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Npy.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

class NpyTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/tandem-XXXXXX";
    directory = mkdtemp(pattern.data());
    path = directory / "x.npy";
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void writeBytes(const std::string &text) {
    std::vector<uint8_t> bytes(text.begin(), text.end());
    ASSERT_TRUE(writeFileAtomically(path, bytes));
  }
  /// A version 1.0 file as numpy.save writes it.
  void write(const std::string &dict, const std::string &data) {
    std::string header = dict;
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::string length = {static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
    writeBytes(std::string("\x93NUMPY\x01\x00", 8) + length + header + data);
  }
  void writeArray(const std::string &descr, const std::string &shape,
                  const std::string &data, const char *order = "False") {
    write("{'descr': '" + descr + "', 'fortran_order': " + order +
              ", 'shape': " + shape + ", }",
          data);
  }
  std::string error() {
    auto tensor = readNpy(path);
    if (tensor)
      return "no error";
    EXPECT_EQ(tensor.error().phase, "read");
    EXPECT_THAT(tensor.error().message, HasSubstr(path));
    return tensor.error().str();
  }

  std::filesystem::path directory;
  std::string path;
};

TEST_F(NpyTest, ReadsWhatNumPyWrites) {
  writeArray("<f4", "(2, 1)", std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
  auto tensor = readNpy(path);
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(tensor->type(), (TensorType{DType::f32, {2, 1}}));
  EXPECT_EQ(tensor->as<float>()[0], 1.0f);
  EXPECT_EQ(tensor->as<float>()[1], -2.0f);
}

TEST_F(NpyTest, ReadsScalarsVectorsAndEmptyArrays) {
  writeArray("|i1", "()", "\x05");
  EXPECT_EQ(readNpy(path)->type(), (TensorType{DType::i8, {}}));
  writeArray("<i4", "(1,)", std::string(4, '\0'));
  EXPECT_EQ(readNpy(path)->type(), (TensorType{DType::i32, {1}}));
  writeArray("<f8", "(3, 0, 2)", "");
  EXPECT_EQ(readNpy(path)->type(), (TensorType{DType::f64, {3, 0, 2}}));
  writeArray("<f4", "(2,)", std::string(8, '\0'), "True");
  EXPECT_TRUE(readNpy(path)) << "order means nothing with one dim";
}

TEST_F(NpyTest, AnyByteButZeroIsTrue) {
  writeArray("|b1", "(3,)", std::string("\0\1\7", 3));
  auto tensor = readNpy(path);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(std::memcmp(tensor->data(), "\0\1\1", 3), 0);
}

TEST_F(NpyTest, EveryTypeRoundTrips) {
  for (int dtype = 0; dtype <= static_cast<int>(DType::MAX); ++dtype)
    for (Shape shape : {Shape{}, Shape{5}, Shape{3, 0}, Shape{2, 3, 4, 5}}) {
      Tensor tensor = *Tensor::allocate({static_cast<DType>(dtype), shape});
      fillRandom(tensor, 3);
      ASSERT_TRUE(writeNpy(path, tensor));
      EXPECT_EQ(std::filesystem::file_size(path) % 64,
                static_cast<size_t>(tensor.bytes()) % 64)
          << "data starts at a multiple of 64";
      auto copy = readNpy(path);
      ASSERT_TRUE(copy) << copy.error().str();
      EXPECT_EQ(copy->type(), tensor.type());
      EXPECT_EQ(std::memcmp(copy->data(), tensor.data(), tensor.bytes()), 0);
    }
}

TEST_F(NpyTest, RefusesWhatItCannotRead) {
  EXPECT_THAT(error(), HasSubstr("No such file"));
  writeBytes("");
  EXPECT_THAT(error(), HasSubstr("not a .npy file"));
  writeBytes("PK\3\4 a zip archive, that is, an .npz");
  EXPECT_THAT(error(), HasSubstr("not a .npy file"));
  writeBytes(std::string("\x93NUMPY\x09\x00\x10\x00", 10));
  EXPECT_THAT(error(), HasSubstr("version 9 is not supported"));
  writeArray(">f4", "(1,)", "abcd");
  EXPECT_THAT(error(), HasSubstr("elements are big-endian ('>f4')"));
  writeArray("|O", "(1,)", "abcd");
  EXPECT_THAT(error(), HasSubstr("Python objects"));
  writeArray("<c8", "(1,)", "abcdefgh");
  EXPECT_THAT(error(), HasSubstr("element type '<c8' is not supported"));
  write("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "abcd");
  EXPECT_THAT(error(), HasSubstr("records are not supported"));
  writeArray("<f4", "(2, 2)", std::string(16, 'x'), "True");
  EXPECT_THAT(error(), HasSubstr("Fortran order"));
}

TEST_F(NpyTest, RefusesWhatIsTruncatedOrMalformed) {
  writeArray("<f4", "(2, 3)", std::string(23, 'x'));
  EXPECT_THAT(error(), HasSubstr("truncated: 23 of 24 data bytes"));
  writeArray("<f4", "(1000000000, 1000000000)", "abcd");
  EXPECT_THAT(error(), HasSubstr("truncated: 4 of 4000000000000000000"));
  writeArray("<f4", "(10000000000, 1000000000)", "abcd");
  EXPECT_THAT(error(), HasSubstr("overflow 64 bits"));
  writeArray("<f4", "(99999999999999999999,)", "abcd");
  EXPECT_THAT(error(), HasSubstr("shape is malformed"));
  writeArray("<f4", "(-1,)", "abcd");
  EXPECT_THAT(error(), HasSubstr("shape is malformed"));
  writeArray("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "abcd");
  EXPECT_THAT(error(), HasSubstr("the rank is over 8"));
  writeArray("<f4", "(1", "abcd");
  EXPECT_THAT(error(), HasSubstr("malformed"));
  write("{'descr': '<f4', 'shape': (1,), }", "abcd");
  EXPECT_THAT(error(), HasSubstr("lacks descr, fortran_order or shape"));
  writeBytes(std::string("\x93NUMPY\x01\x00\xff\x00{'descr'", 18));
  EXPECT_THAT(error(), HasSubstr("truncated in the header"));
  writeBytes(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12));
  EXPECT_THAT(error(), HasSubstr("the header is 2147483647 bytes long"));
}

TEST_F(NpyTest, NoPrefixOfAFileCrashes) {
  Tensor tensor = *Tensor::allocate({DType::f32, {2, 2}});
  fillRandom(tensor, 1);
  ASSERT_TRUE(writeNpy(path, tensor));
  std::vector<uint8_t> bytes = *readFile(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(writeFileAtomically(path, std::span(bytes).first(size)));
    EXPECT_NE(error(), "no error") << size;
  }
}

} // namespace
