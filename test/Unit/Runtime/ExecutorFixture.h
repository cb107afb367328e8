//===- ExecutorFixture.h - What tests of executors share --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_RUNTIME_EXECUTORFIXTURE_H
#define TANDEM_TEST_UNIT_RUNTIME_EXECUTORFIXTURE_H

#include "TestPrograms.h"

#include "Device/GuardedDevice.h"

#include <gtest/gtest.h>

#include <atomic>

namespace tandem::test {

inline TensorType vec(int64_t size) { return {DType::f32, {size}}; }

/// Adds floats of equal types; counts what it prepares and runs.
struct FakeProvider final : Provider {
  struct Add final : PreparedOp {
    const FakeProvider &provider;
    explicit Add(const FakeProvider &provider) : provider(provider) {}
    Status run(const StepContext &context, std::span<const Tensor> operands,
               std::span<Tensor> results) const override {
      ++provider.runs;
      if (provider.failing)
        return fail("execute", "the library says no");
      EXPECT_EQ(std::ssize(context.workspace), provider.workspace);
      void *args[] = {operands[0].data(), operands[1].data(),
                      results[0].data()};
      addKernel(args, /*sizes=*/nullptr, /*workspace=*/nullptr, 0,
                results[0].shape().numElements());
      return {};
    }
    int64_t workspaceBytes() const override { return provider.workspace; }
  };

  std::string_view name() const override { return "fake"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    if (signature.op.kind != OpKind::add)
      return nullptr;
    ++prepares;
    constants.assign(signature.constants.begin(), signature.constants.end());
    return std::make_unique<Add>(*this);
  }

  /// The constants of the op prepared last.
  mutable std::vector<Tensor> constants;
  mutable std::atomic<int> prepares{0}, runs{0};
  bool failing = false;
  int64_t workspace = 0;
};

/// On the CPU, or on the device that TANDEM_TEST_DEVICE names: the fixture
/// makes tensors there, and reads them.
class ExecutorTest : public testing::Test {
protected:
  ExecutorTest() {
    const char *device = std::getenv("TANDEM_TEST_DEVICE");
    if (!device || std::string_view(device) != guardedDevice().name())
      return;
    stream = &guardedDevice().defaultStream();
    guarded = guardedDevice().wrap(fake);
    providers = {guarded.get()};
  }
  /// What still runs may count in `fake`.
  ~ExecutorTest() override { EXPECT_TRUE(stream->synchronize()); }

  Tensor makeFloats(const Shape &shape, float start = 0) const {
    const Tensor here = test::makeFloats(shape, start);
    return copyToDevice({&here, 1}, *stream)->front();
  }
  std::vector<float> floats(const Tensor &tensor) const {
    return test::floats(copyToHost({&tensor, 1}, *stream)->front());
  }
  LoadedKernels fakeKernels(std::initializer_list<KernelFn> functions) const {
    LoadedKernels kernels = test::fakeKernels(functions);
    if (guarded)
      for (auto &kernel : kernels)
        kernel = guardedDevice().wrap(kernel);
    return kernels;
  }

  std::unique_ptr<Executor> create(std::shared_ptr<const Program> program,
                                   LoadedKernels kernels = {},
                                   bool dispatchOnly = false) {
    ExecutorOptions options;
    options.stream = stream;
    options.providers = providers;
    options.kernels = std::move(kernels);
    options.dispatchOnly = dispatchOnly;
    auto executor = Executor::create(std::move(program), options);
    EXPECT_TRUE(executor) << executor.error().str();
    return std::move(*executor);
  }

  /// ((x + y) + x), of any length.
  std::shared_ptr<const Program> chain() {
    ProgramBuilder builder;
    uint32_t x = builder.input(vec(kDynamic), {"N"});
    uint32_t y = builder.input(vec(kDynamic), {"N"});
    uint32_t sum = builder.op(makeOp(OpKind::add), {x, y}, vec(kDynamic));
    return builder.finish(
        {builder.op(makeOp(OpKind::add), {sum, x}, vec(kDynamic))});
  }

  FakeProvider fake;
  Stream *stream = &hostDevice().defaultStream();
  std::unique_ptr<Provider> guarded;
  std::vector<const Provider *> providers = {&fake};
  std::vector<Tensor> outputs;
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_RUNTIME_EXECUTORFIXTURE_H
