//===- ProgramTest.cpp - Programs as data ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPrograms.h"

#include "tandem/Runtime/Program/ProgramFormat.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

TensorType vec(int64_t size) { return {DType::f32, {size}}; }

/// Ops with attributes, a constant, a kernel, dim names.
Program makeProgram() {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(8), {"N"});
  uint32_t c = builder.constant(vec(8), {1, 2, 3, 4, 5, 6, 7, 8});
  uint32_t sum = builder.op(makeOp(OpKind::add), {x, c}, vec(8), 0);
  int kernel = builder.kernel(8, 4);
  uint32_t twice = builder.launch(kernel, {sum, sum}, vec(8), 64);
  fb::ReshapeAttrsT attrs;
  attrs.shape = {2, -1};
  uint32_t matrix = builder.op(makeOp(OpKind::reshape, attrs), {twice},
                               TensorType{DType::f32, {2, 4}});
  builder.program.arena_bytes = 128;
  builder.program.outputs = {matrix};
  builder.program.kernels[0]->code = {1, 2, 3};
  return std::move(builder.program);
}

template <typename Change> std::string errorAfter(Change change) {
  Program program = makeProgram();
  change(program);
  Status status = verify(program);
  return status ? "valid" : status.error().message;
}

//===----------------------------------------------------------------------===//
// verify
//===----------------------------------------------------------------------===//

TEST(ProgramVerifyTest, AcceptsAWellFormedProgram) {
  EXPECT_EQ(errorAfter([](Program &) {}), "valid");
}

TEST(ProgramVerifyTest, Slots) {
  EXPECT_THAT(errorAfter([](Program &p) { p.slots[2]->type = nullptr; }),
              HasSubstr("slot 2: no type"));
  EXPECT_THAT(errorAfter([](Program &p) { p.slots[0]->type->dims = {-3}; }),
              HasSubstr("slot 0: dim of size -3"));
  EXPECT_THAT(
      errorAfter([](Program &p) { p.slots[0]->type->dims.assign(9, 1); }),
      HasSubstr("slot 0: rank 9 is over 8"));
  EXPECT_THAT(
      errorAfter([](Program &p) { p.slots[0]->type->dims = {INT64_MAX}; }),
      HasSubstr("too large"));
  EXPECT_THAT(errorAfter([](Program &p) {
                p.slots[0]->type->dtype = static_cast<DType>(77);
              }),
              HasSubstr("unknown element type"));
  EXPECT_THAT(errorAfter([](Program &p) { p.slots[3]->arena_offset = 128; }),
              HasSubstr("slot 3: ends beyond the 128 bytes of the arena"));
  EXPECT_THAT(
      errorAfter([](Program &p) { p.slots[3]->arena_offset = INT64_MAX - 63; }),
      HasSubstr("ends beyond"));
  EXPECT_THAT(errorAfter([](Program &p) { p.slots[3]->arena_offset = 4; }),
              HasSubstr("arena offset 4"));
}

TEST(ProgramVerifyTest, DataFlow) {
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[0]->operands[0] = 99; }),
              HasSubstr("step 0: no slot 99"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[0]->operands[0] = 4; }),
              HasSubstr("slot 4 is read before it is written"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[1]->results = {2}; }),
              HasSubstr("slot 2 is written twice"));
  EXPECT_THAT(errorAfter([](Program &p) { p.inputs = {0, 0}; }),
              HasSubstr("2 inputs"));
  EXPECT_THAT(errorAfter([](Program &p) { p.outputs = {2}; }),
              HasSubstr("output 0: in the arena"));
  EXPECT_THAT(errorAfter([](Program &p) { p.outputs = {1000}; }),
              HasSubstr("output 0: no slot 1000"));
  auto give = [](TensorType type, int64_t offset) {
    return errorAfter([=](Program &p) {
      Tensor &data = p.constants[0].data;
      data = Tensor::borrow(type, data.as<char>() + offset);
    });
  };
  EXPECT_THAT(give({DType::i8, {31}}, 0),
              HasSubstr("constant 0: 31 bytes for tensor<8xf32>"));
  EXPECT_THAT(errorAfter([](Program &p) { p.constants[0].data.reset(); }),
              HasSubstr("constant 0: missing"));
  EXPECT_THAT(
      errorAfter([](Program &p) { p.input_dims[0]->names = {"N", "M"}; }),
      HasSubstr("2 dim names for rank 1"));
}

TEST(ProgramVerifyTest, Hosts) {
  // Slot 4 is a reshape of slot 3, which a kernel computes from slot 2.
  auto put = [](Program &p, size_t slot, int64_t offset, int32_t host) {
    p.slots[slot]->arena_offset = offset;
    p.slots[slot]->host = host;
  };
  auto prepare = [&](Program &p) {
    put(p, 3, -1, -1);
    put(p, 2, 0, 3);
  };
  EXPECT_EQ(errorAfter(prepare), "valid");
  EXPECT_THAT(errorAfter([&](Program &p) { put(p, 2, 0, 99); }),
              HasSubstr("slot 2: no slot 99 to be in"));
  EXPECT_THAT(errorAfter([&](Program &p) { put(p, 2, -1, 3); }),
              HasSubstr("slot 2: "));
  EXPECT_THAT(errorAfter([&](Program &p) { put(p, 2, 0, 3); }),
              HasSubstr("slot 3, which it is in, has no memory"));
  EXPECT_THAT(errorAfter([&](Program &p) {
                prepare(p);
                put(p, 2, 64, 3);
              }),
              HasSubstr("slot 2: ends beyond the 32 bytes of its host"));
  EXPECT_THAT(errorAfter([&](Program &p) { put(p, 2, 0, 0); }),
              HasSubstr("slot 0, which is not computed after it"));
  EXPECT_THAT(errorAfter([&](Program &p) { put(p, 3, 0, 4); }),
              HasSubstr("slot 4, which is not computed after it"));
  EXPECT_THAT(errorAfter([&](Program &p) {
                p.kernels[0]->in_place.emplace_back(2, 0);
              }),
              HasSubstr("step 1: result 0 in place of operand 2"));
}

/// A view of an input, and an operand of a concat that is used after it.
TEST(ProgramVerifyTest, Parts) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(64));
  fb::SliceAttrsT attrs;
  attrs.starts = {16};
  attrs.limits = {32};
  attrs.strides = {1};
  uint32_t part = builder.op(makeOp(OpKind::slice, attrs), {x}, vec(16));
  uint32_t y = builder.op(makeOp(OpKind::add), {part, part}, vec(16));
  uint32_t all = builder.op(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 0}),
                            {part, y}, vec(32));
  uint32_t late = builder.op(makeOp(OpKind::add), {y, part}, vec(16));
  Program &program = builder.program;
  program.outputs = {all, late};
  const auto errorAt = [&](int64_t partAt, uint32_t host, int64_t yAt) {
    program.slots[part]->arena_offset = partAt;
    program.slots[part]->host = int32_t(host);
    program.slots[y]->arena_offset = yAt;
    program.slots[y]->host = int32_t(all);
    Status status = verify(program);
    return status ? "valid" : status.error().message;
  };
  EXPECT_EQ(errorAt(64, x, 64), "valid");
  EXPECT_THAT(errorAt(128, x, 64),
              HasSubstr("slot 1: in the memory of slot 0, which is not"));
  EXPECT_THAT(errorAt(192 + 64, x, 64), HasSubstr("slot 1: ends beyond"));
  EXPECT_THAT(errorAt(64, x, 0),
              HasSubstr("slot 2: in the memory of slot 3, which is not"));
}

TEST(ProgramVerifyTest, Steps) {
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[0]->op = nullptr; }),
              HasSubstr("step 0: needs an op, a kernel or a loop"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[0]->kernel = 0; }),
              HasSubstr("step 0: needs an op, a kernel or a loop"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[1]->kernel = 1; }),
              HasSubstr("step 1: no kernel 1"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[1]->results = {}; }),
              HasSubstr("no results"));
  EXPECT_THAT(errorAfter([](Program &p) { p.kernels[0]->grain = 0; }),
              HasSubstr("kernel 0: extent 8, grain 0"));
  EXPECT_THAT(errorAfter([](Program &p) {
                p.steps[0]->op->kind = static_cast<OpKind>(250);
              }),
              HasSubstr("unknown op"));
  EXPECT_THAT(errorAfter([](Program &p) { p.slots[4]->type->dims = {4, 2}; }),
              HasSubstr("step 2: result is declared as tensor<4x2xf32>, but "
                        "reshape makes tensor<2x4xf32>"));
  EXPECT_THAT(errorAfter([](Program &p) { p.steps[2]->op->attrs.Reset(); }),
              HasSubstr("reshape lacks its attributes"));
}

/// relu(matmul(%0, %1) + %3 + %2), of 2x3 by 3x4.
Program makeLibraryCall() {
  ProgramBuilder builder;
  const TensorType result{DType::f32, {2, 4}};
  uint32_t x = builder.input({DType::f32, {2, 3}});
  uint32_t w = builder.input({DType::f32, {3, 4}});
  uint32_t bias = builder.input(vec(4));
  uint32_t residual = builder.input(result);
  uint32_t value = builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()),
                              {x, w, bias, residual}, result);
  fb::StepT &step = *builder.program.steps[0];
  step.epilogue = std::make_unique<fb::EpilogueT>();
  step.epilogue->has_residual = true;
  step.epilogue->activation = fb::Activation::relu;
  builder.program.outputs = {value};
  return std::move(builder.program);
}

template <typename Change> std::string callErrorAfter(Change change) {
  Program program = makeLibraryCall();
  change(program, *program.steps[0]);
  Status status = verify(program);
  return status ? "valid" : status.error().message;
}

TEST(ProgramVerifyTest, Epilogues) {
  EXPECT_EQ(callErrorAfter([](Program &, fb::StepT &) {}), "valid");
  EXPECT_EQ(callErrorAfter([](Program &, fb::StepT &step) {
              step.epilogue->has_residual = false;
              step.operands.pop_back();
            }),
            "valid");
  EXPECT_THAT(callErrorAfter([](Program &, fb::StepT &step) {
                step.epilogue->has_residual = false;
              }),
              HasSubstr("epilogue C2: 4 operands"));
  EXPECT_THAT(callErrorAfter(
                  [](Program &, fb::StepT &step) { step.operands.resize(2); }),
              HasSubstr("epilogue C2: 2 operands"));
  EXPECT_THAT(callErrorAfter([](Program &, fb::StepT &step) {
                step.epilogue->activation = static_cast<fb::Activation>(9);
              }),
              HasSubstr("unknown activation"));
  EXPECT_THAT(callErrorAfter([](Program &program, fb::StepT &) {
                program.slots[2]->type->dims = {5};
              }),
              HasSubstr("epilogue C4: a bias of tensor<5xf32> for 4 columns"));
  EXPECT_THAT(callErrorAfter([](Program &program, fb::StepT &) {
                program.slots[3]->type->dims = {1, 4};
              }),
              HasSubstr("epilogue C5: a residual of tensor<1x4xf32> for "
                        "tensor<2x4xf32>"));
  EXPECT_THAT(callErrorAfter([](Program &program, fb::StepT &) {
                program.slots[3]->type->dtype = DType::f16;
              }),
              HasSubstr("epilogue C3: operands must be floats"));
}

TEST(ProgramVerifyTest, EpiloguesAreThoseOfContractions) {
  auto give = [](size_t step) {
    return errorAfter([=](Program &p) {
      p.steps[step]->epilogue = std::make_unique<fb::EpilogueT>();
    });
  };
  EXPECT_THAT(give(0), HasSubstr("epilogue C1: add has none"));
  EXPECT_THAT(give(1), HasSubstr("an epilogue of a kernel"));
}

TEST(ProgramTextTest, EpiloguesAreWrittenAsFormulas) {
  Program program = makeLibraryCall();
  EXPECT_THAT(toString(program),
              HasSubstr("%4 = relu(matmul(%0, %1) + %3 + %2) : "));
  program.steps[0]->epilogue->activation = fb::Activation::gelu_tanh;
  program.steps[0]->epilogue->has_residual = false;
  program.steps[0]->operands.pop_back();
  EXPECT_THAT(toString(program),
              HasSubstr("%4 = gelu(matmul(%0, %1) + %2) : "));
  auto copy = deserialize(serialize(program));
  ASSERT_TRUE(copy) << copy.error().str();
  EXPECT_EQ(*copy, program);
}

//===----------------------------------------------------------------------===//
// serialize and deserialize
//===----------------------------------------------------------------------===//

TEST(ProgramIOTest, RoundTrips) {
  Program program = makeProgram();
  auto copy = deserialize(serialize(program));
  ASSERT_TRUE(copy) << copy.error().str();
  EXPECT_EQ(*copy, program);
  EXPECT_EQ(toString(*copy), toString(program));
}

TEST(ProgramIOTest, ReadsUnalignedBytes) {
  std::vector<uint8_t> bytes = serialize(makeProgram());
  bytes.insert(bytes.begin(), 0);
  EXPECT_TRUE(deserialize(std::span(bytes).subspan(1)));
}

TEST(ProgramIOTest, RefusesWhatIsNotAProgramOrNewer) {
  EXPECT_THAT(deserialize({}).error().message, HasSubstr("not a Tandem"));
  std::vector<uint8_t> text(100, 'x');
  EXPECT_THAT(deserialize(text).error().message, HasSubstr("not a Tandem"));
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishProgramFileBuffer(
      builder, fb::CreateProgramFile(builder, kProgramFormat + 1));
  std::span newer(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_THAT(deserialize(newer).error().message,
              HasSubstr("has format version 9, this build reads 8"));
}

/// It had a Program at its root, whose version stood nowhere if it was the
/// default.
TEST(ProgramIOTest, RefusesTheFormatBefore) {
  Program program = makeProgram();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::CreateProgram(builder, &program),
                 fb::ProgramFileIdentifier());
  std::span older(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_FALSE(deserialize(older));
}

TEST(ProgramIOTest, RefusesAFileWithoutAProgram) {
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishProgramFileBuffer(builder,
                              fb::CreateProgramFile(builder, kProgramFormat));
  std::span empty(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_THAT(deserialize(empty).error().message, HasSubstr("corrupt"));
}

TEST(ProgramIOTest, ConstantsAreReadToWhereExecutorsUseThem) {
  auto copy = deserialize(serialize(makeProgram()));
  ASSERT_TRUE(copy) << copy.error().str();
  ASSERT_EQ(copy->constants.size(), 1u);
  EXPECT_EQ(copy->constants[0].data.as<float>()[7], 8);
  Program other = *copy;
  EXPECT_EQ(other.constants[0].data.data(), copy->constants[0].data.data());
  *copy->constants[0].data.as<float>() = 0;
  EXPECT_EQ(other, *copy);
  EXPECT_FALSE(makeProgram() == *copy);
}

/// No prefix of a file and no file with bytes changed may crash; what is
/// accepted must be fit to be executed.
TEST(ProgramIOTest, CorruptBytesNeverCrash) {
  const std::vector<uint8_t> good = serialize(makeProgram());
  for (size_t size = 0; size < good.size(); ++size)
    if (auto program = deserialize(std::span(good).first(size)))
      EXPECT_EQ(*program, makeProgram()) << "only padding may be missing";
  EXPECT_GT(acceptCorrupted(good, 7), 0);
}

TEST(ProgramTextTest, ListsEveryStep) {
  EXPECT_EQ(toString(makeProgram()),
            "program @test: 3 steps, arena of 128 bytes\n"
            "  kernel @kernel_0: cpu_object, 3 bytes of code, extent 8, grain "
            "4, moves 0 bytes, 0 flops\n"
            "  %0 = input tensor<8xf32> \"N\"\n"
            "  %1 = constant tensor<8xf32>\n"
            "  %2 = add(%0, %1) : tensor<8xf32> at 0  // test.mlir:1:3\n"
            "  %3 = kernel @kernel_0(%2, %2) : tensor<8xf32> at 64  // "
            "test.mlir:2:3\n"
            "  %4 = reshape(%3) : tensor<2x4xf32>  // test.mlir:3:3\n"
            "  return %4\n");
}

//===----------------------------------------------------------------------===//
// checkInputs
//===----------------------------------------------------------------------===//

TEST(CheckInputsTest, TypesAndNames) {
  ProgramBuilder builder;
  builder.input({DType::f32, {kDynamic, kDynamic, 1}}, {"N", "L", ""});
  builder.input({DType::i32, {kDynamic, 4}}, {"N", ""});
  builder.input({DType::f32, {kDynamic, kDynamic}}, {"K", "K"});
  auto program = builder.finish({0});
  auto message = [&](TensorType a, TensorType b, TensorType c) {
    TensorType types[] = {a, b, c};
    Status status = checkInputs(*program, types);
    return status ? "valid" : status.error().message;
  };
  TensorType a{DType::f32, {2, 3, 1}}, b{DType::i32, {2, 4}},
      c{DType::f32, {5, 5}};
  EXPECT_EQ(message(a, b, c), "valid");
  EXPECT_EQ(message(a, {DType::i32, {3, 4}}, c),
            "input 1: dim \"N\" is 3, but 2 in input 0");
  EXPECT_EQ(message(a, b, {DType::f32, {5, 6}}),
            "input 2: dim \"K\" is 6, but 5 in input 2");
  EXPECT_EQ(message({DType::f32, {2, 3, 2}}, b, c),
            "input 0: dim 2 is 2, not 1 as in tensor<?x?x1xf32>");
  EXPECT_EQ(message(a, {DType::i64, {2, 4}}, c),
            "input 1: tensor<2x4xi64> is given where tensor<?x4xi32> is "
            "expected");
  EXPECT_EQ(message(a, {DType::i32, {2}}, c),
            "input 1: tensor<2xi32> is given where tensor<?x4xi32> is "
            "expected");
  EXPECT_EQ(message({DType::f32, {kDynamic, 3, 1}}, b, c),
            "input 0: dim 0 has no size");
  EXPECT_THAT(checkInputs(*program, {&a, 1}).error().message,
              HasSubstr("1 inputs are given, 3 are expected"));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

class FileTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/tandem-XXXXXX";
    directory = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  size_t numFiles() const {
    return std::distance(std::filesystem::directory_iterator(directory), {});
  }

  std::filesystem::path directory;
};

TEST_F(FileTest, WritesAndReads) {
  std::string path = directory / "a";
  std::vector<uint8_t> bytes = {1, 2, 3};
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  bytes.assign(100000, 7);
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  EXPECT_EQ(*readFile(path), bytes);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(FileTest, FollowsLinks) {
  std::string path = directory / "a", link = directory / "link";
  std::vector<uint8_t> bytes = {1};
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  std::filesystem::create_symlink(path, link);
  bytes = {2};
  ASSERT_TRUE(writeFileAtomically(link, bytes));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*readFile(path), bytes);
}

/// What somebody has put where the temporary file might go is left alone.
TEST_F(FileTest, TemporaryNamesCannotBeForeseen) {
  std::string path = directory / "a", other = directory / "other";
  std::vector<uint8_t> bytes = {1}, before = {2};
  ASSERT_TRUE(writeFileAtomically(other, before));
  for (int i = 0; i < 1000; ++i)
    std::filesystem::create_symlink(other, path + ".tmp." +
                                               std::to_string(getpid()) + "." +
                                               std::to_string(i));
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(*readFile(path), bytes);
  EXPECT_EQ(*readFile(other), before);
}

TEST_F(FileTest, ModesFollowTheUmask) {
  std::string path = directory / "a";
  mode_t before = umask(027);
  Status status = writeFileAtomically(path, std::vector<uint8_t>{1});
  umask(before);
  ASSERT_TRUE(status);
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(FileTest, WritesToDevices) {
  std::vector<uint8_t> bytes = {1};
  EXPECT_TRUE(writeFileAtomically("/dev/null", bytes));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(FileTest, FailuresNameTheFileAndLeaveNothing) {
  std::vector<uint8_t> bytes = {1};
  std::string missing = directory / "no" / "file";
  EXPECT_EQ(writeFileAtomically(missing, bytes).error().message,
            missing + ": No such file or directory");
  EXPECT_EQ(readFile(missing).error().message,
            missing + ": No such file or directory");
  EXPECT_THAT(writeFileAtomically(directory, bytes).error().message,
              HasSubstr("Is a directory"));
  EXPECT_FALSE(readFile(directory));
  EXPECT_EQ(numFiles(), 0u);
}

TEST_F(FileTest, ADiskThatIsFullLeavesTheOldFile) {
  std::string path = directory / "a";
  std::vector<uint8_t> bytes = {1, 2, 3};
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  signal(SIGXFSZ, SIG_IGN);
  rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  Status status = writeFileAtomically(path, std::vector<uint8_t>(5000, 1));
  setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().phase, "write");
  EXPECT_EQ(*readFile(path), bytes);
  EXPECT_EQ(numFiles(), 1u);
}

} // namespace
