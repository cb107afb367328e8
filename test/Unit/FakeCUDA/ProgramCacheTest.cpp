//===- ProgramCacheTest.cpp - Compiled kernels kept on disk ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA/FakeCUDA.h"
#include "Runtime/TestPrograms.h"

#include "eager/cuda/KernelPrograms.h"
#include "eager/cuda/ProgramCache.h"

#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Runtime/Program/Preparation.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::cuda;
using tandem::test::fakeCUDA;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

constexpr const char *kSource =
    "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n";

/// A cache of the test's own.
class ProgramCacheTest : public testing::Test {
protected:
  ProgramCacheTest() : before(std::getenv("TANDEM_CACHE_DIR")) {
    fakeCUDA().collect();
    fs::remove_all(directory);
    setenv("TANDEM_CACHE_DIR", directory.c_str(), 1);
  }
  ~ProgramCacheTest() override {
    fakeCUDA().reset();
    fs::remove_all(directory);
    before ? setenv("TANDEM_CACHE_DIR", before, 1)
           : unsetenv("TANDEM_CACHE_DIR");
    EXPECT_STREQ(fakeCUDA().collect(), "");
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (fs::exists(directory))
      for (const auto &entry : fs::recursive_directory_iterator(directory))
        if (entry.is_regular_file())
          found.push_back(entry.path());
    return found;
  }
  static bool isCompiled(const std::string &source = kSource,
                         const std::string &arch = "sm_90") {
    const Expected<CompiledProgram> program =
        compileOrLoad(source, "test", arch);
    EXPECT_TRUE(program) << program.error().str();
    return program && !program->wasKept;
  }

  const char *const before;
  const std::string directory = testing::TempDir() + "tandem-program-cache-" +
                                std::to_string(getpid()) + "/of/kernels";
};

} // namespace

TEST_F(ProgramCacheTest, CompilesOnce) {
  EXPECT_TRUE(isCompiled());
  EXPECT_EQ(files().size(), 1);
  EXPECT_FALSE(isCompiled());
  EXPECT_EQ(compileOrLoad(kSource, "test", "sm_90")->cubin,
            std::string(kSource) + '\0');
}

TEST_F(ProgramCacheTest, KeyHasSourceAndArchitecture) {
  EXPECT_TRUE(isCompiled());
  EXPECT_TRUE(isCompiled(std::string(kSource) + "\n"));
  EXPECT_TRUE(isCompiled(kSource, "sm_100"));
  EXPECT_EQ(files().size(), 3);
}

TEST_F(ProgramCacheTest, DamagedFilesAreReplaced) {
  ASSERT_TRUE(isCompiled());
  const fs::path file = files().front();
  const auto whole = fs::file_size(file);
  for (const char *damage : {"cut", "changed", "empty"}) {
    if (std::string_view(damage) == "changed") {
      std::fstream stream(file, std::ios::in | std::ios::out);
      stream.seekp(whole - 3);
      stream.put('?');
    } else {
      fs::resize_file(file, *damage == 'c' ? whole - 1 : 0);
    }
    EXPECT_TRUE(isCompiled()) << damage;
    EXPECT_FALSE(isCompiled()) << damage;
    EXPECT_EQ(fs::file_size(file), whole);
  }
}

TEST_F(ProgramCacheTest, WorksWhereNothingCanBeKept) {
  setenv("TANDEM_CACHE_DIR", "/dev/null/nowhere", 1);
  EXPECT_TRUE(isCompiled());
  EXPECT_TRUE(isCompiled());
}

TEST_F(ProgramCacheTest, ErrorsAreNotKept) {
  fakeCUDA().fail("nvrtcCompileProgram", 6, 1);
  const Expected<CompiledProgram> program =
      compileOrLoad(kSource, "reduction.f32", "sm_90");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, HasSubstr("'reduction.f32'"));
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(isCompiled());
}

TEST_F(ProgramCacheTest, WhatTheDriverRefusesIsCompiledAnew) {
  Context &context = **Context::create(0);
  const ProgramKey key{KernelFamily::transpose, DType::f32};
  ASSERT_TRUE(KernelPrograms(context).find(key, "transpose"));
  fakeCUDA().fail("cuModuleLoadDataEx", 209, 1);
  EXPECT_TRUE(KernelPrograms(context).find(key, "transpose"));
  // Twice in a row it is an error, and the next call tries again.
  fakeCUDA().fail("cuModuleLoadDataEx", 209, 1);
  fakeCUDA().fail("cuModuleLoadDataEx", 209, 2);
  KernelPrograms programs(context);
  const auto refused = programs.find(key, "transpose");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the kernels of transpose.f32 cannot be loaded: "
            "CUDA_ERROR_NO_BINARY_FOR_GPU");
  EXPECT_TRUE(programs.find(key, "transpose"));
  EXPECT_FALSE(programs.find(key, "nothing"));
}

TEST_F(ProgramCacheTest, CompilingIsAPhaseOfItsOwn) {
  KernelPrograms programs(**Context::create(0));
  const ProgramKey key{KernelFamily::transpose, DType::f32};
  PreparationScope first;
  ASSERT_TRUE(programs.find(key, "transpose"));
  ASSERT_EQ(first.times.phases().size(), 1);
  EXPECT_EQ(first.times.phases()[0].phase, "prebuilt kernels");
  EXPECT_GT(first.times.sum(), 0);
  PreparationScope second;
  ASSERT_TRUE(programs.find(key, "transpose"));
  EXPECT_TRUE(second.times.phases().empty());
}

/// With dims that are unknown until the run.
TEST_F(ProgramCacheTest, NoRunCompiles) {
  Stream &stream = (*cudaDevice())->defaultStream();
  test::ProgramBuilder builder;
  const TensorType type{DType::i64, {kDynamic}};
  const uint32_t x = builder.input(type);
  builder.program.outputs = {
      builder.op(test::makeOp(OpKind::pow), {x, x}, type)};
  auto program = std::make_shared<const Program>(std::move(builder.program));
  ExecutorOptions options;
  options.stream = &stream;
  fakeCUDA().fail("nvrtcCompileProgram", 6, 1);
  auto prepared = interpretTier(program, Tier::eager, options);
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().message, HasSubstr("'transcendental.i64'"));
  prepared = interpretTier(program, Tier::eager, options);
  ASSERT_TRUE(prepared) << prepared.error().str();
  EXPECT_GT(prepared->prebuiltNs, 0);
  fakeCUDA().fail("nvrtcCompileProgram", 6, 1);
  const Tensor here = *Tensor::allocate({DType::i64, {2}});
  here.as<int64_t>()[0] = -2;
  here.as<int64_t>()[1] = 3;
  std::vector<Tensor> outputs = *copyToDevice({&here, 1}, stream);
  const Status status = prepared->executor->run(outputs, outputs);
  ASSERT_TRUE(status) << status.error().str();
  outputs = *copyToHost(outputs, stream);
  EXPECT_EQ(outputs[0].as<int64_t>()[0], 0);
  EXPECT_EQ(outputs[0].as<int64_t>()[1], 27);
}
