//===- GPUCalls.cpp - The times of calls on a GPU -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/GPUCalls.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Runtime/Libraries/NVRTC.h"

#include <algorithm>

namespace tandem::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 7, kWarmUp = 20, kMaxLatencies = 200;
/// Beside what the second-level cache holds, that several times over.
constexpr int64_t kCachesFilled = 2, kMaxSets = 17;

double medianOf(std::vector<double> times) {
  return measure::summarize(std::move(times)).median;
}

/// Bytes of the second-level cache of the device that is current.
int64_t l2Bytes() {
  constexpr cuda::Attribute kL2CacheSize = 38;
  int bytes = 0;
  if (const auto &driver = cuda::driver())
    (void)driver->deviceGetAttribute(&bytes, kL2CacheSize, 0);
  return bytes;
}

} // namespace

std::string gpuModel() {
  char name[256] = "";
  const auto &driver = cuda::driver();
  if (!driver || driver->init(0) != cuda::kSuccess ||
      driver->deviceGetName(name, sizeof name, 0) != cuda::kSuccess)
    return {};
  return name;
}

namespace {

int64_t bytesOf(std::span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor &tensor : tensors)
    bytes += tensor.bytes();
  return bytes;
}

} // namespace

Expected<CallTimes> measureCalls(const Enqueue &enqueue, Stream &stream,
                                 int calls) {
  size_t number = 0;
  for (int i = 0; i < std::min(kWarmUp, calls); ++i)
    TANDEM_RETURN_IF_ERROR(enqueue(number++));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  std::vector<double> call, host, device, latency;
  for (int sample = 0; sample < kSamples; ++sample) {
    TANDEM_ASSIGN_OR_RETURN(auto first, stream.record());
    auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      TANDEM_RETURN_IF_ERROR(enqueue(number++));
    host.push_back(measure::nsSince(start) / calls);
    TANDEM_ASSIGN_OR_RETURN(auto last, stream.record());
    TANDEM_RETURN_IF_ERROR(stream.synchronize());
    call.push_back(measure::nsSince(start) / calls);
    device.push_back((last->ns() - first->ns()) / calls);
  }
  for (int i = 0; i < std::min(calls, kMaxLatencies); ++i) {
    auto start = Clock::now();
    TANDEM_RETURN_IF_ERROR(enqueue(number++));
    TANDEM_RETURN_IF_ERROR(stream.synchronize());
    latency.push_back(measure::nsSince(start));
  }
  return CallTimes{medianOf(call), medianOf(host), medianOf(device),
                   medianOf(latency)};
}

Expected<GPUGraph> GPUGraph::create(std::unique_ptr<Graph> graph,
                                    const measure::DimSizes &dims, Tier tier,
                                    const CompileOptions &compile) {
  GPUGraph result;
  result.graph = std::move(graph);
  const Program &program = *result.graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(
      result.prepared,
      tools::GraphTiers(*result.graph, compile).prepare(types, tier));
  const int64_t mostSets =
      tier == Tier::captured ? int64_t(Executor::kMaxCaptured) : kMaxSets;
  for (int64_t set = 0, sets = 1; set < sets; ++set) {
    TANDEM_ASSIGN_OR_RETURN(auto arguments, result.makeInputs(types));
    result.inputs.push_back(std::move(arguments));
    TANDEM_RETURN_IF_ERROR(
        result.run(result.inputs.back(), result.results.emplace_back()));
    TANDEM_RETURN_IF_ERROR(result.stream().synchronize());
    sets = std::clamp<int64_t>(
        kCachesFilled * l2Bytes() / std::max<int64_t>(result.bytes(), 1) + 1, 2,
        mostSets);
  }
  return result;
}

Expected<std::vector<Tensor>>
GPUGraph::makeInputs(const std::vector<TensorType> &types) {
  std::vector<Tensor> host;
  for (const TensorType &type : types) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
    fillRandom(tensor, 1 + inputs.size() * types.size() + host.size());
    host.push_back(std::move(tensor));
  }
  TANDEM_ASSIGN_OR_RETURN(auto there, copyToDevice(host, stream()));
  TANDEM_RETURN_IF_ERROR(stream().synchronize());
  return there;
}

Expected<std::vector<Tensor>>
GPUGraph::inputsOf(const measure::DimSizes &dims) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(*graph->eagerProgram(), dims));
  return makeInputs(types);
}

Enqueue GPUGraph::call() {
  return [this](size_t number) {
    const size_t set = number % inputs.size();
    // Each set has its results at the same addresses then, which is what
    // captured work needs to be launched as it is.
    results[set].clear();
    return prepared->executor->run(inputs[set], results[set]);
  };
}

int64_t GPUGraph::bytes() const {
  return bytesOf(inputs[0]) + bytesOf(results[0]);
}

Expected<CallTimes> measureCopy(Stream &stream, int64_t bytes, int calls) {
  const TensorType type{DType::i8, Shape{bytes}};
  std::array<Tensor, 2> buffers;
  for (Tensor &buffer : buffers) {
    TANDEM_ASSIGN_OR_RETURN(buffer, Tensor::allocate(type, stream.allocator()));
  }
  TANDEM_ASSIGN_OR_RETURN(Tensor host, Tensor::allocate(type));
  fillRandom(host, 1);
  TANDEM_RETURN_IF_ERROR(stream.copy(host, buffers[0]));
  return measureCalls(
      [&](size_t number) {
        return stream.copy(buffers[number % 2], buffers[1 - number % 2]);
      },
      stream, calls);
}

namespace {

/// An empty kernel, on a stream of its own.
class EmptyKernel {
public:
  explicit EmptyKernel(const cuda::Driver &driver) : driver(driver) {}
  EmptyKernel(const EmptyKernel &) = delete;
  EmptyKernel &operator=(const EmptyKernel &) = delete;
  ~EmptyKernel() {
    if (handle)
      (void)driver.streamDestroy(handle);
    if (module)
      (void)driver.moduleUnload(module);
  }

  Status load(const std::string &cubin) {
    TANDEM_RETURN_IF_ERROR(check(
        driver.moduleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr)));
    TANDEM_RETURN_IF_ERROR(
        check(driver.moduleGetFunction(&function, module, "empty")));
    return check(driver.streamCreate(&handle, 1)); // Not of the default stream.
  }
  Status launch() const {
    return check(driver.launchKernel(function, 1, 1, 1, 1, 1, 1, 0, handle,
                                     nullptr, nullptr));
  }
  Status synchronize() const { return check(driver.streamSynchronize(handle)); }

private:
  static Status check(cuda::Result result) {
    if (result == cuda::kSuccess)
      return {};
    return fail("execute", "the driver fails to launch an empty kernel: " +
                               std::to_string(result));
  }
  const cuda::Driver &driver;
  cuda::ModuleHandle module = nullptr;
  cuda::FunctionHandle function = nullptr;
  cuda::StreamHandle handle = nullptr;
};

} // namespace

Expected<CallTimes> measureLaunch(Stream &stream, int calls) {
  // Makes the device's context current.
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  TANDEM_ASSIGN_OR_RETURN(CUDADevice * device, cudaDevice());
  TANDEM_ASSIGN_OR_RETURN(
      std::string cubin,
      compileToCubin("extern \"C\" __global__ void empty() {}", "empty",
                     device->arch()));
  EmptyKernel kernel(*cuda::driver());
  TANDEM_RETURN_IF_ERROR(kernel.load(cubin));
  std::vector<double> call, host, latency;
  for (int sample = 0; sample < kSamples; ++sample) {
    auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      TANDEM_RETURN_IF_ERROR(kernel.launch());
    host.push_back(measure::nsSince(start) / calls);
    TANDEM_RETURN_IF_ERROR(kernel.synchronize());
    call.push_back(measure::nsSince(start) / calls);
    start = Clock::now();
    TANDEM_RETURN_IF_ERROR(kernel.launch());
    TANDEM_RETURN_IF_ERROR(kernel.synchronize());
    latency.push_back(measure::nsSince(start));
  }
  return CallTimes{medianOf(call), medianOf(host), 0, medianOf(latency)};
}

} // namespace tandem::bench
