//===- DeviceFixture.h - A GPU on the fake driver ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_FAKECUDA_DEVICEFIXTURE_H
#define TANDEM_TEST_UNIT_FAKECUDA_DEVICEFIXTURE_H

#include "FakeCUDA/FakeCUDA.h"
#include "Runtime/TestPrograms.h"

#include "tandem/Runtime/CUDADevice.h"

#include <gmock/gmock.h>

namespace tandem::test {

/// Kernels of four threads a block, on tensors of floats.
class CUDADeviceTest : public testing::Test {
protected:
  CUDADeviceTest() {
    fake.collect();
    auto found = cudaDevice();
    EXPECT_TRUE(found) << found.error().str();
    device = *found;
    stream = &device->defaultStream();
  }
  /// Whatever a test has not asked for must not have been found.
  ~CUDADeviceTest() override {
    fake.hold(false);
    outputs.clear();
    EXPECT_TRUE(stream->synchronize());
    EXPECT_STREQ(fake.collect(), "");
  }

  /// A kernel of `size` elements, whose parameters and body these are.
  int addKernelTo(ProgramBuilder &builder, int64_t size,
                  const std::string &parameters, const std::string &body) {
    const int index = builder.kernel((size + 3) / 4, 1);
    fb::KernelT &kernel = *builder.program.kernels[index];
    const std::string source =
        "extern \"C\" __global__ void " + kernel.name + "(" + parameters +
        ") {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < " +
        std::to_string(size) + ")\n    " + body + "\n}\n";
    kernel.target = KernelTarget::ptx;
    kernel.code.assign(source.begin(), source.end());
    kernel.block = std::make_unique<fb::Dim3>(4, 1, 1);
    return index;
  }
  int adder(ProgramBuilder &builder, int64_t size) {
    return addKernelTo(builder, size,
                       "const float* x, const float* y, float* out",
                       "out[i] = x[i] + y[i];");
  }

  std::unique_ptr<Executor> create(std::shared_ptr<const Program> program,
                                   Stream *on = nullptr, bool capture = false) {
    ExecutorOptions options;
    options.stream = on ? on : stream;
    options.capture = capture;
    auto kernels = device->load(*program);
    EXPECT_TRUE(kernels) << kernels.error().str();
    options.kernels = *kernels;
    auto executor = Executor::create(program, options);
    EXPECT_TRUE(executor) << executor.error().str();
    return std::move(*executor);
  }
  Tensor place(const Tensor &tensor, Stream *on = nullptr) const {
    return copyToDevice({&tensor, 1}, on ? *on : *stream)->front();
  }
  std::vector<float> read(const Tensor &tensor, Stream *on = nullptr) const {
    return floats(copyToHost({&tensor, 1}, on ? *on : *stream)->front());
  }

  /// out = (x + y) + y, the sum in the arena or a tensor of its own.
  std::shared_ptr<const Program> chain(int64_t size, bool withArena) {
    ProgramBuilder builder;
    const TensorType type{DType::f32, {size}};
    uint32_t x = builder.input(type), y = builder.input(type);
    const int add = adder(builder, size);
    if (withArena)
      builder.program.arena_bytes = 4 * size;
    uint32_t sum = builder.launch(add, {x, y}, type, withArena ? 0 : -1);
    return builder.finish({builder.launch(add, {sum, y}, type)});
  }

  const FakeCUDA &fake = fakeCUDA();
  CUDADevice *device = nullptr;
  Stream *stream = nullptr;
  std::vector<Tensor> outputs;
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_FAKECUDA_DEVICEFIXTURE_H
