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

#include <gtest/gtest.h>

#include <atomic>

namespace tandem::test {

inline TensorType vec(int64_t size) { return {DType::f32, {size}}; }

/// Adds floats of equal types; counts what it prepares and runs.
struct FakeProvider final : Provider {
  struct Add final : PreparedOp {
    const FakeProvider &provider;
    explicit Add(const FakeProvider &provider) : provider(provider) {}
    Status run(std::span<const Tensor> operands,
               std::span<Tensor> results) const override {
      ++provider.runs;
      if (provider.failing)
        return fail("execute", "the library says no");
      TANDEM_ASSIGN_OR_RETURN(
          Tensor temporary,
          Tensor::allocate({DType::i8, {provider.workspace}}));
      void *args[] = {operands[0].data(), operands[1].data(),
                      results[0].data()};
      addKernel(args, /*sizes=*/nullptr, /*workspace=*/nullptr, 0,
                results[0].shape().numElements());
      return {};
    }
    int64_t workspaceBytes() const override { return provider.workspace; }
  };

  std::string_view name() const override { return "fake"; }
  bool supports(const OpDesc &op, std::span<const TensorType>,
                std::span<const TensorType>) const override {
    return op.kind == OpKind::add;
  }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpDesc &, std::span<const TensorType>,
          std::span<const TensorType>) const override {
    ++prepares;
    return std::make_unique<Add>(*this);
  }

  Expected<std::unique_ptr<PreparedOp>>
  prepareWithConstants(const OpDesc &op, std::span<const TensorType> operands,
                       std::span<const TensorType> results,
                       std::span<const Tensor> values) const override {
    constants.assign(values.begin(), values.end());
    return prepare(op, operands, results);
  }

  /// Of the op prepared last.
  mutable std::vector<Tensor> constants;
  mutable std::atomic<int> prepares{0}, runs{0};
  bool failing = false;
  int64_t workspace = 0;
};

class ExecutorTest : public testing::Test {
protected:
  std::unique_ptr<Executor> create(std::shared_ptr<const Program> program,
                                   std::shared_ptr<LoadedKernels> kernels = {},
                                   bool dispatchOnly = false) {
    ExecutorOptions options;
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
  std::vector<const Provider *> providers = {&fake};
  std::vector<Tensor> outputs;
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_RUNTIME_EXECUTORFIXTURE_H
