//===- OneDNNPrimitive.cpp - A contraction by oneDNN alone ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/OneDNNPrimitive.h"

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

memory::data_type typeOf(DType dtype) {
  constexpr std::pair<DType, memory::data_type> kTypes[] = {
      {DType::bf16, memory::data_type::bf16},
      {DType::ui8, memory::data_type::u8},
      {DType::i8, memory::data_type::s8},
      {DType::i32, memory::data_type::s32}};
  for (auto [tandem, library] : kTypes)
    if (tandem == dtype)
      return library;
  return memory::data_type::f32;
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

/// `desc`, or a format of the library's choice.
memory::desc choose(const memory::desc &desc, bool isOwn) {
  return isOwn ? memory::desc(desc.dims(), desc.data_type(),
                              memory::format_tag::any)
               : desc;
}

Expected<Tensor> allocate(const memory::desc &desc) {
  return Tensor::allocate(
      {DType::i8, Shape{static_cast<int64_t>(desc.get_size())}});
}

/// The primitive works in memory that the caller gives it.
dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void reorder(memory from, memory to) {
  dnnl::reorder(from, to).execute(stream(), from, to);
  stream().wait();
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

/// Operands and result as the graph has them.
struct OneDNNPrimitive::Plain {
  memory::desc input, weights, output;
};

struct OneDNNPrimitive::Impl {
  dnnl::primitive primitive;
  Plain plain;
  memory input, output, weights, scratchpad;
  /// What the last two lie in.
  Tensor weightsBytes, scratchpadBytes;
  std::string implementation;
  bool isSmall = false;
};

/// The weights in the format that the primitive wants, and its memory.
template <typename Desc>
Expected<OneDNNPrimitive>
OneDNNPrimitive::create(const Desc &desc, const Plain &plain, bool isSmall,
                        const Tensor &weights) {
  auto impl = std::make_unique<Impl>();
  impl->primitive = dnnl::primitive(desc.get());
  impl->plain = plain;
  impl->input = memory(desc.src_desc(), engine(), nullptr);
  impl->output = memory(desc.dst_desc(), engine(), nullptr);
  TANDEM_ASSIGN_OR_RETURN(impl->weightsBytes, allocate(desc.weights_desc()));
  impl->weights =
      memory(desc.weights_desc(), engine(), impl->weightsBytes.data());
  reorder(memory(plain.weights, engine(), weights.data()), impl->weights);
  TANDEM_ASSIGN_OR_RETURN(impl->scratchpadBytes,
                          allocate(desc.scratchpad_desc()));
  impl->scratchpad =
      memory(desc.scratchpad_desc(), engine(), impl->scratchpadBytes.data());
  impl->implementation = desc.impl_info_str();
  impl->isSmall = isSmall;
  return OneDNNPrimitive(std::move(impl));
}

OneDNNPrimitive::OneDNNPrimitive(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
OneDNNPrimitive::OneDNNPrimitive(OneDNNPrimitive &&) noexcept = default;
OneDNNPrimitive &
OneDNNPrimitive::operator=(OneDNNPrimitive &&) noexcept = default;
OneDNNPrimitive::~OneDNNPrimitive() = default;

Expected<OneDNNPrimitive> OneDNNPrimitive::conv(const ConvShape &shape,
                                                DType dtype, bool channelsLast,
                                                Formats formats,
                                                const Tensor &weights) {
  return guarded([&]() -> Expected<OneDNNPrimitive> {
    const int rank = shape.numSpatial;
    const bool isSmall = shape.flops() < kSmallFlops;
    const ThreadsOf threads(isSmall);
    const Plain plain{
        imageDesc(typeOf(dtype), shape.batch, shape.inputChannels,
                  tail(shape.input, rank), channelsLast),
        kernelDesc(typeOf(measure::weightsTypeFor(dtype)), shape, channelsLast),
        imageDesc(typeOf(measure::resultTypeFor(dtype)), shape.batch,
                  shape.outputChannels, tail(shape.output, rank),
                  channelsLast)};
    const dnnl::convolution_forward::primitive_desc desc(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            choose(plain.input, formats == Formats::own),
            choose(plain.weights, formats != Formats::plain),
            choose(plain.output, formats == Formats::own),
            tail(shape.strides, rank), tail(shape.dilations, rank, 1),
            tail(shape.padLow, rank), tail(shape.padHigh, rank)),
        attributes(), engine());
    return create(desc, plain, isSmall, weights);
  });
}

Expected<OneDNNPrimitive> OneDNNPrimitive::matmul(const MatmulShape &shape,
                                                  Formats formats,
                                                  const Tensor &weights) {
  return guarded([&]() -> Expected<OneDNNPrimitive> {
    const bool isSmall = shape.flops() < kSmallFlops;
    const ThreadsOf threads(isSmall);
    const memory::data_type weightsType =
                                typeOf(measure::weightsTypeFor(shape.dtype)),
                            resultType =
                                typeOf(measure::resultTypeFor(shape.dtype));
    const Plain plain{inOrder(typeOf(shape.dtype), {shape.m, shape.k}, {0, 1}),
                      inOrder(weightsType, {shape.k, shape.n}, {0, 1}),
                      inOrder(resultType, {shape.m, shape.n}, {0, 1})};
    const dnnl::matmul::primitive_desc desc(
        dnnl::matmul::desc(choose(plain.input, formats == Formats::own),
                           choose(plain.weights, formats != Formats::plain),
                           choose(plain.output, formats == Formats::own)),
        attributes(), engine());
    return create(desc, plain, isSmall, weights);
  });
}

Expected<Tensor> OneDNNPrimitive::toOwn(const Tensor &input) {
  return guarded([&]() -> Expected<Tensor> {
    const memory::desc own = impl->input.get_desc();
    if (own == impl->plain.input)
      return input;
    TANDEM_ASSIGN_OR_RETURN(Tensor result, allocate(own));
    reorder(memory(impl->plain.input, engine(), input.data()),
            memory(own, engine(), result.data()));
    return result;
  });
}

Expected<Tensor> OneDNNPrimitive::roomFor(const Tensor &output) {
  const memory::desc own = impl->output.get_desc();
  if (own == impl->plain.output)
    return output;
  return allocate(own);
}

Status OneDNNPrimitive::fromOwn(const Tensor &result, Tensor &output) {
  return guarded([&]() -> Status {
    if (result.data() != output.data())
      reorder(memory(impl->output.get_desc(), engine(), result.data()),
              memory(impl->plain.output, engine(), output.data()));
    return {};
  });
}

Status OneDNNPrimitive::run(const Tensor &input, Tensor &output) {
  return guarded([&]() -> Status {
    impl->input.set_data_handle(input.data());
    impl->output.set_data_handle(output.data());
    const ThreadsOf threads(impl->isSmall);
    letIdleWorkersSleep();
    impl->primitive.execute(stream(),
                            {{DNNL_ARG_SRC, impl->input},
                             {DNNL_ARG_WEIGHTS, impl->weights},
                             {DNNL_ARG_DST, impl->output},
                             {DNNL_ARG_SCRATCHPAD, impl->scratchpad}});
    return {};
  });
}

const std::string &OneDNNPrimitive::implementation() const {
  return impl->implementation;
}

} // namespace tandem::bench
