//===- KernelProvider.cpp - Every op on a GPU, by own kernels -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelProvider.h"

#include "LaunchPlan.h"

#include "../../device/cuda/CUDAStream.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::cuda;

namespace {

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The last thread of a grid, or an element of a tile, may be somewhat past the
/// end.
constexpr int64_t kLargestNarrow = (int64_t(1) << 31) - (int64_t(1) << 20);

bool isLarge(int64_t number) {
  return number > kLargestNarrow || number < -kLargestNarrow;
}

bool needsWideIndex(std::span<const TensorType> types) {
  return std::any_of(types.begin(), types.end(), [](const TensorType &type) {
    return isLarge(type.shape.numElements());
  });
}

/// Whether indices need 64 bits: those of elements, or numbers of attributes.
bool needsWideIndex(const OpSignature &signature, const LaunchPlan &plan) {
  if (needsWideIndex(signature.operands) || needsWideIndex(signature.results) ||
      isLarge(plan.largest))
    return true;
  for (const Parameter &value : plan.values)
    if (const auto *indices = std::get_if<Indices>(&value))
      if (std::any_of(indices->numbers.begin(), indices->numbers.end(),
                      isLarge))
        return true;
  return false;
}

template <typename Number>
void append(std::vector<std::byte> &bytes, Number number) {
  const auto *data = reinterpret_cast<const std::byte *>(&number);
  bytes.insert(bytes.end(), data, data + sizeof number);
}

std::vector<std::byte> encode(const Parameter &value, bool isWide) {
  if (const auto *bytes = std::get_if<std::vector<std::byte>>(&value))
    return *bytes;
  std::vector<std::byte> bytes;
  for (int64_t number : std::get<Indices>(value).numbers)
    if (isWide)
      append(bytes, number);
    else
      append(bytes, static_cast<int32_t>(number));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A launch, but for its pointers.
struct Launch {
  FunctionHandle function = nullptr;
  unsigned blocks = 0, threads = 0;
  std::vector<int> pointers;
  std::vector<std::vector<std::byte>> values;
};

using Step = std::variant<Launch, CopyPlan>;
using Steps = std::vector<Step>;

Expected<Launch> makeLaunch(const OpSignature &signature,
                            const LaunchPlan &plan, bool alwaysWide,
                            KernelPrograms &programs) {
  if (plan.blocks > std::numeric_limits<int32_t>::max())
    return fail("execute", std::string(name(signature.op.kind)) +
                               " needs a grid of " +
                               std::to_string(plan.blocks) +
                               " blocks, more than CUDA allows");
  const bool isWide = alwaysWide || needsWideIndex(signature, plan);
  Launch launch;
  TANDEM_ASSIGN_OR_RETURN(
      launch.function,
      programs.find({plan.family, plan.dtype, isWide}, plan.kernel));
  launch.blocks = static_cast<unsigned>(plan.blocks);
  launch.threads = plan.threads;
  launch.pointers = plan.pointers;
  for (const Parameter &value : plan.values)
    launch.values.push_back(encode(value, isWide));
  return launch;
}

Expected<Steps> makeSteps(const OpSignature &signature,
                          const std::vector<StepOfOp> &plans, bool alwaysWide,
                          KernelPrograms &programs) {
  Steps steps;
  for (const StepOfOp &plan : plans)
    if (const auto *copy = std::get_if<CopyPlan>(&plan)) {
      if (copy->bytes != 0)
        steps.emplace_back(*copy);
    } else {
      TANDEM_ASSIGN_OR_RETURN(Launch launch,
                              makeLaunch(signature, std::get<LaunchPlan>(plan),
                                         alwaysWide, programs));
      steps.emplace_back(std::move(launch));
    }
  return steps;
}

/// The addresses of a run's tensors.
struct Pointers {
  std::span<const Tensor> operands;
  std::span<const Tensor> results;

  void *operator[](int number) const {
    return number < 0 ? results[kResult - number].data()
                      : operands[number].data();
  }
};

class KernelOp final : public PreparedOp {
public:
  KernelOp(Steps steps, Steps unaligned)
      : steps(std::move(steps)), unaligned(std::move(unaligned)) {}

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  const Steps steps, unaligned;
};

bool isAligned(std::span<const Tensor> tensors) {
  constexpr uintptr_t kVector = 16;
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor &tensor) {
    return reinterpret_cast<uintptr_t>(tensor.data()) % kVector == 0;
  });
}

Result enqueue(const Launch &launch, const Pointers &pointers,
               const Driver &driver, StreamHandle stream) {
  constexpr size_t kMax = 16;
  std::array<void *, kMax> addresses{};
  std::array<void *, kMax> parameters{};
  size_t count = 0;
  for (int number : launch.pointers) {
    addresses[count] = pointers[number];
    parameters[count] = &addresses[count];
    ++count;
  }
  for (const std::vector<std::byte> &value : launch.values)
    parameters[count++] = const_cast<std::byte *>(value.data());
  return driver.launchKernel(launch.function, launch.blocks, 1, 1,
                             launch.threads, 1, 1, 0, stream, parameters.data(),
                             nullptr);
}

Result enqueue(const CopyPlan &copy, const Pointers &pointers,
               const Driver &driver, StreamHandle stream) {
  const auto at = [&](int number, int64_t offset) {
    return reinterpret_cast<DevicePointer>(pointers[number]) +
           static_cast<DevicePointer>(offset);
  };
  const DevicePointer to = at(kResult, copy.to),
                      from = at(copy.operand, copy.from);
  if (to == from) // The memory plan has placed the operand in the result.
    return kSuccess;
  return driver.memcpyDtoDAsync(to, from, static_cast<size_t>(copy.bytes),
                                stream);
}

Status KernelOp::run(const StepContext &context,
                     std::span<const Tensor> operands,
                     std::span<Tensor> results) const {
  const bool takesVectors =
      unaligned.empty() || (isAligned(operands) && isAligned(results));
  const Pointers pointers{operands, results};
  auto &stream = static_cast<CUDAStream &>(context.stream);
  const std::string_view name = context.step.empty() ? "an op" : context.step;
  for (const Step &step : takesVectors ? steps : unaligned)
    TANDEM_RETURN_IF_ERROR(
        stream.enqueue(name, [&](const Driver &driver, StreamHandle handle) {
          return std::visit(
              [&](const auto &kind) {
                return enqueue(kind, pointers, driver, handle);
              },
              step);
        }));
  return {};
}

} // namespace

Expected<std::unique_ptr<PreparedOp>>
KernelProvider::prepare(const OpSignature &signature) const {
  const Planner planner = plannerOf(signature.op.kind);
  if (!planner)
    return nullptr;
  OpPlan plan;
  if (signature.hasElements()) {
    TANDEM_ASSIGN_OR_RETURN(plan, planner(signature));
  }
  TANDEM_ASSIGN_OR_RETURN(
      Steps steps, makeSteps(signature, plan.steps, alwaysWide, programs));
  TANDEM_ASSIGN_OR_RETURN(Steps unaligned, makeSteps(signature, plan.unaligned,
                                                     alwaysWide, programs));
  return std::make_unique<KernelOp>(std::move(steps), std::move(unaligned));
}

Status KernelProvider::warmUp(const OpSignature &signature) const {
  for (const ProgramKey &program : programsOf(signature))
    TANDEM_RETURN_IF_ERROR(programs.load(program));
  return {};
}
