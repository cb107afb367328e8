//===- LibraryCall.cpp - A contraction by oneDNN alone --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryCall.h"

#include "tandem/Runtime/Executor.h"

#include <dlfcn.h>
#include <dnnl.hpp>

namespace tandem::bench {
namespace {

using dnnl::memory;
using measure::ConvShape;

const dnnl::engine &engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream &stream() {
  static dnnl::stream stream(engine());
  return stream;
}

memory::dims tail(const ConvShape::Spatial &values, int count,
                  int64_t minus = 0) {
  memory::dims dims;
  for (int dim = 3 - count; dim < 3; ++dim)
    dims.push_back(values[dim] - minus);
  return dims;
}

memory::dims joined(memory::dims dims, const memory::dims &more) {
  dims.insert(dims.end(), more.begin(), more.end());
  return dims;
}

memory::data_type typeOf(const Tensor &tensor) {
  return tensor.type().dtype == DType::bf16 ? memory::data_type::bf16
                                            : memory::data_type::f32;
}

/// Logical `dims` that lie in memory in the order `order`, outermost first.
memory::desc inOrder(memory::data_type type, const memory::dims &dims,
                     const std::vector<int> &order) {
  memory::dims strides(dims.size());
  int64_t stride = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    strides[*it] = stride;
    stride *= dims[*it];
  }
  return {dims, type, strides};
}

/// N, C and spatial dims.
memory::desc imageDesc(memory::data_type type, int64_t batch, int64_t channels,
                       const memory::dims &spatial, bool channelsLast) {
  std::vector<int> order{0};
  if (!channelsLast)
    order.push_back(1);
  for (size_t dim = 0; dim < spatial.size(); ++dim)
    order.push_back(static_cast<int>(dim) + 2);
  if (channelsLast)
    order.push_back(1);
  return inOrder(type, joined({batch, channels}, spatial), order);
}

/// (Groups,) O of the group, I and spatial dims. In memory …HWIO, where the
/// groups are the outer part of O, or OI….
memory::desc kernelDesc(memory::data_type type, const ConvShape &shape,
                        bool channelsLast) {
  const memory::dims spatial = tail(shape.kernel, shape.numSpatial);
  const bool grouped = shape.groups > 1;
  memory::dims dims = joined(
      {shape.outputChannels / shape.groups, shape.inputChannelsOfGroup()},
      spatial);
  if (grouped)
    dims.insert(dims.begin(), shape.groups);
  const int o = grouped ? 1 : 0, i = o + 1;
  std::vector<int> order, outputs, window;
  for (int dim = 0; dim <= o; ++dim)
    outputs.push_back(dim);
  for (int dim = 0; dim < shape.numSpatial; ++dim)
    window.push_back(i + 1 + dim);
  const std::vector<int> inputs{i};
  for (const std::vector<int> &part :
       channelsLast ? std::vector{window, inputs, outputs}
                    : std::vector{outputs, inputs, window})
    order.insert(order.end(), part.begin(), part.end());
  return inOrder(type, dims, order);
}

memory::desc anyForm(const memory::desc &desc) {
  return {desc.dims(), desc.data_type(), memory::format_tag::any};
}

/// While it lives, oneDNN's OpenMP (whichever library that is) uses one thread
/// for what is small, and all otherwise: waking another takes 5 to 10 us. That
/// holds for creating a primitive, which plans for as many, and for running it.
class ThreadsOf {
public:
  explicit ThreadsOf(bool isSmall) { set(isSmall ? 1 : numThreads()); }
  ~ThreadsOf() { set(numThreads()); }
  ThreadsOf(const ThreadsOf &) = delete;
  ThreadsOf &operator=(const ThreadsOf &) = delete;

private:
  static void set(int threads) {
    static const auto function = reinterpret_cast<void (*)(int)>(
        dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (function)
      function(threads);
  }
};

constexpr double kSmallFlops = 1e6;

/// Runs `create`, with what oneDNN throws as an Error.
template <typename Create> auto guarded(Create create) -> decltype(create()) {
  try {
    return create();
  } catch (const dnnl::error &error) {
    return fail("oneDNN", error.what());
  }
}

} // namespace

struct LibraryCall::Impl {
  dnnl::primitive primitive;
  memory input, output, weights;
  std::string implementation;
  bool isSmall = false;

  /// The weights in the form that the primitive wants.
  void setWeights(const Tensor &tensor, const memory::desc &have,
                  const memory::desc &want) {
    memory from(have, engine(), tensor.data());
    weights = memory(want, engine());
    dnnl::reorder(from, weights).execute(stream(), from, weights);
    stream().wait();
  }
  template <typename Desc> void setPrimitive(const Desc &desc) {
    input = memory(desc.src_desc(), engine(), nullptr);
    output = memory(desc.dst_desc(), engine(), nullptr);
    implementation = desc.impl_info_str();
  }
};

LibraryCall::LibraryCall(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
LibraryCall::LibraryCall(LibraryCall &&) noexcept = default;
LibraryCall &LibraryCall::operator=(LibraryCall &&) noexcept = default;
LibraryCall::~LibraryCall() = default;

Expected<LibraryCall> LibraryCall::conv(const ConvShape &shape,
                                        bool channelsLast, WeightsForm form,
                                        const Tensor &weights) {
  return guarded([&]() -> Expected<LibraryCall> {
    const int rank = shape.numSpatial;
    const memory::data_type type = typeOf(weights);
    const bool isSmall = shape.flops() < kSmallFlops;
    const ThreadsOf threads(isSmall);
    const memory::desc kernel = kernelDesc(type, shape, channelsLast);
    const dnnl::convolution_forward::primitive_desc desc(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            imageDesc(type, shape.batch, shape.inputChannels,
                      tail(shape.input, rank), channelsLast),
            form == WeightsForm::chosen ? anyForm(kernel) : kernel,
            imageDesc(type, shape.batch, shape.outputChannels,
                      tail(shape.output, rank), channelsLast),
            tail(shape.strides, rank), tail(shape.dilations, rank, 1),
            tail(shape.padLow, rank), tail(shape.padHigh, rank)),
        engine());
    auto impl = std::make_unique<Impl>();
    impl->primitive = dnnl::convolution_forward(desc);
    impl->setPrimitive(desc);
    impl->setWeights(weights, kernel, desc.weights_desc());
    impl->isSmall = isSmall;
    return LibraryCall(std::move(impl));
  });
}

Expected<LibraryCall> LibraryCall::matmul(const MatmulShape &shape,
                                          WeightsForm form,
                                          const Tensor &weights) {
  return guarded([&]() -> Expected<LibraryCall> {
    const bool isSmall = shape.flops() < kSmallFlops;
    const ThreadsOf threads(isSmall);
    const memory::data_type type = typeOf(weights);
    const memory::desc rhs = inOrder(type, {shape.k, shape.n}, {0, 1});
    const dnnl::matmul::primitive_desc desc(
        dnnl::matmul::desc(inOrder(type, {shape.m, shape.k}, {0, 1}),
                           form == WeightsForm::chosen ? anyForm(rhs) : rhs,
                           inOrder(type, {shape.m, shape.n}, {0, 1})),
        engine());
    auto impl = std::make_unique<Impl>();
    impl->primitive = dnnl::matmul(desc);
    impl->setPrimitive(desc);
    impl->setWeights(weights, rhs, desc.weights_desc());
    impl->isSmall = isSmall;
    return LibraryCall(std::move(impl));
  });
}

Status LibraryCall::run(const Tensor &input, Tensor &output) {
  return guarded([&]() -> Status {
    impl->input.set_data_handle(input.data());
    impl->output.set_data_handle(output.data());
    const ThreadsOf threads(impl->isSmall);
    letIdleWorkersSleep();
    impl->primitive.execute(stream(), {{DNNL_ARG_SRC, impl->input},
                                       {DNNL_ARG_WEIGHTS, impl->weights},
                                       {DNNL_ARG_DST, impl->output}});
    return {};
  });
}

const std::string &LibraryCall::implementation() const {
  return impl->implementation;
}

} // namespace tandem::bench
