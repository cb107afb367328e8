//===- FakeFixture.h - What tests of the fake driver share ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_FAKECUDA_FAKEFIXTURE_H
#define TANDEM_TEST_UNIT_FAKECUDA_FAKEFIXTURE_H

#include "FakeCUDA/FakeCUDA.h"

#include "tandem/Runtime/Libraries/CUDA.h"

#include <gmock/gmock.h>
#include <vector>

namespace tandem::test {

using cuda::DevicePointer;
using cuda::kSuccess;
using cuda::StreamHandle;

/// A context, two streams, and the driver's functions.
class FakeTest : public testing::Test {
protected:
  FakeTest() : fake(fakeCUDA()), driver(*cuda::driver()) {
    fake.collect();
    fake.seed(1);
    EXPECT_EQ(driver.init(0), kSuccess);
    EXPECT_EQ(driver.devicePrimaryCtxRetain(&context, 0), kSuccess);
    EXPECT_EQ(driver.ctxSetCurrent(context), kSuccess);
    driver.streamCreate(&stream, 1);
    driver.streamCreate(&other, 1);
  }
  /// Whatever a test has not asked for must not have been found.
  ~FakeTest() override {
    fake.hold(false);
    fake.reset();
    driver.ctxSynchronize();
    driver.streamDestroy(stream);
    driver.streamDestroy(other);
    EXPECT_EQ(reports(), "");
  }

  std::string reports() const { return fake.collect(); }

  DevicePointer allocate(size_t bytes) const {
    DevicePointer pointer = 0;
    EXPECT_EQ(driver.memAlloc(&pointer, bytes), kSuccess);
    return pointer;
  }
  template <typename T> T *pin(size_t count) const {
    void *pointer = nullptr;
    EXPECT_EQ(driver.memHostAlloc(&pointer, count * sizeof(T), 0), kSuccess);
    return static_cast<T *>(pointer);
  }
  cuda::FunctionHandle load(const char *source, const char *name = "k") {
    cuda::FunctionHandle function = nullptr;
    EXPECT_EQ(driver.moduleLoadDataEx(&module, source, 0, nullptr, nullptr),
              kSuccess);
    EXPECT_EQ(driver.moduleGetFunction(&function, module, name), kSuccess);
    return function;
  }
  cuda::Result launch(cuda::FunctionHandle function, unsigned grid,
                      unsigned block, std::vector<DevicePointer> args,
                      StreamHandle on = nullptr, unsigned sharedBytes = 0) {
    size_t bytes = args.size() * sizeof(DevicePointer);
    void *extra[] = {reinterpret_cast<void *>(1), args.data(),
                     reinterpret_cast<void *>(2), &bytes, nullptr};
    return driver.launchKernel(function, grid, 1, 1, block, 1, 1, sharedBytes,
                               on ? on : stream, nullptr, extra);
  }
  /// What the device has there.
  template <typename T> std::vector<T> read(DevicePointer from, size_t count) {
    T *pinned = pin<T>(count);
    EXPECT_EQ(driver.memcpyDtoHAsync(pinned, from, count * sizeof(T), stream),
              kSuccess);
    EXPECT_EQ(driver.streamSynchronize(stream), kSuccess);
    std::vector<T> values(pinned, pinned + count);
    driver.memFreeHost(pinned);
    return values;
  }

  const FakeCUDA &fake;
  const cuda::Driver &driver;
  cuda::ContextHandle context = nullptr;
  StreamHandle stream = nullptr, other = nullptr;
  cuda::ModuleHandle module = nullptr;
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_FAKECUDA_FAKEFIXTURE_H
