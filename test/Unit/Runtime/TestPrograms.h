//===- TestPrograms.h - Small Programs and fake providers for tests -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_RUNTIME_TESTPROGRAMS_H
#define TANDEM_TEST_UNIT_RUNTIME_TESTPROGRAMS_H

#include "../MakeOp.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Kernels/HostKernel.h"

#include <cstring>
#include <initializer_list>
#include <random>
#include <span>

namespace tandem::test {

/// Builds a Program slot by slot.
class ProgramBuilder {
public:
  ProgramBuilder() { program.name = "test"; }

  uint32_t slot(const TensorType &type, int64_t arenaOffset = -1) {
    auto slot = std::make_unique<fb::SlotT>();
    slot->type = std::make_unique<fb::TensorTypeT>(toFlat(type));
    slot->arena_offset = arenaOffset;
    program.slots.push_back(std::move(slot));
    return static_cast<uint32_t>(program.slots.size() - 1);
  }

  uint32_t input(const TensorType &type, std::vector<std::string> names = {}) {
    auto dims = std::make_unique<fb::DimNamesT>();
    dims->names = std::move(names);
    program.input_dims.push_back(std::move(dims));
    program.inputs.push_back(slot(type));
    return program.inputs.back();
  }

  uint32_t constant(const TensorType &type, const std::vector<float> &data) {
    Constant constant{slot(type), *Tensor::allocate(type)};
    std::copy(data.begin(), data.end(), constant.data.as<float>());
    program.constants.push_back(constant);
    return constant.slot;
  }

  uint32_t op(OpDesc desc, std::vector<uint32_t> operands,
              const TensorType &result, int64_t arenaOffset = -1) {
    auto step = std::make_unique<fb::StepT>();
    step->op = std::make_unique<OpDesc>(std::move(desc));
    return addStep(std::move(step), std::move(operands), result, arenaOffset);
  }

  /// An op with several results.
  std::vector<uint32_t> ops(OpDesc desc, std::vector<uint32_t> operands,
                            const std::vector<TensorType> &results) {
    std::vector<uint32_t> slots = {
        op(std::move(desc), std::move(operands), results[0])};
    for (size_t i = 1; i < results.size(); ++i)
      slots.push_back(slot(results[i]));
    program.steps.back()->results = slots;
    return slots;
  }

  int kernel(int64_t extent, int64_t grain) {
    auto kernel = std::make_unique<fb::KernelT>();
    kernel->name = "kernel_" + std::to_string(program.kernels.size());
    kernel->extent = extent;
    kernel->grain = grain;
    program.kernels.push_back(std::move(kernel));
    return static_cast<int>(program.kernels.size() - 1);
  }

  uint32_t launch(int kernel, std::vector<uint32_t> operands,
                  const TensorType &result, int64_t arenaOffset = -1) {
    auto step = std::make_unique<fb::StepT>();
    step->kernel = kernel;
    return addStep(std::move(step), std::move(operands), result, arenaOffset);
  }

  std::shared_ptr<const Program> finish(std::vector<uint32_t> outputs) {
    program.outputs = std::move(outputs);
    program.planned = program.arena_bytes > 0 || !program.kernels.empty();
    return std::make_shared<const Program>(std::move(program));
  }

  Program program;

private:
  uint32_t addStep(std::unique_ptr<fb::StepT> step,
                   std::vector<uint32_t> operands, const TensorType &result,
                   int64_t arenaOffset) {
    uint32_t index = slot(result, arenaOffset);
    step->operands = std::move(operands);
    step->results = {index};
    step->location =
        "test.mlir:" + std::to_string(program.steps.size() + 1) + ":3";
    program.steps.push_back(std::move(step));
    return index;
  }
};

/// Kernels that are C++ functions.
inline LoadedKernels fakeKernels(std::initializer_list<KernelFn> functions) {
  LoadedKernels kernels;
  for (KernelFn function : functions)
    kernels.push_back(std::make_shared<HostKernel>(function));
  return kernels;
}

/// args: x, y, out; out = x + y.
inline void addKernel(void *const *args, const int64_t *, void *, int64_t begin,
                      int64_t end) {
  const float *x = static_cast<const float *>(args[0]);
  const float *y = static_cast<const float *>(args[1]);
  float *out = static_cast<float *>(args[2]);
  for (int64_t i = begin; i < end; ++i)
    out[i] = x[i] + y[i];
}

/// Element i of a tensor of floats is start + i.
inline Tensor makeFloats(const Shape &shape, float start = 0) {
  Tensor tensor = *Tensor::allocate({DType::f32, shape});
  for (int64_t i = 0; i < shape.numElements(); ++i)
    tensor.as<float>()[i] = start + static_cast<float>(i);
  return tensor;
}

inline std::vector<float> floats(const Tensor &tensor) {
  const float *data = tensor.as<float>();
  return {data, data + tensor.shape().numElements()};
}

/// Changes bits of a program's file 20,000 times, and makes an executor of what
/// is accepted, which must be fit for that. Returns how many were accepted.
inline int acceptCorrupted(std::span<const uint8_t> good, uint64_t seed) {
  std::mt19937_64 random(seed);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(good.begin(), good.end());
    for (int flips = 1 + random() % 3; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= 1 << random() % 8;
    auto program = deserialize(bytes);
    if (!program)
      continue;
    ++accepted;
    ExecutorOptions options;
    options.dispatchOnly = true;
    options.providers = referenceProviders();
    options.kernels = fakeKernels({addKernel});
    (void)Executor::create(std::make_shared<Program>(std::move(*program)),
                           options);
  }
  return accepted;
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_RUNTIME_TESTPROGRAMS_H
