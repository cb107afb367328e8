//===- eager.cpp - What one eager op costs ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time of prepared ops alone (no dispatch): the latency of tiny ones, and for
// large ones the bytes read and written per second, beside a copy of as many
// bytes in the same run.
//
//===----------------------------------------------------------------------===//

#include "../Unit/MakeOp.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Provider.h"

#include <benchmark/benchmark.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace tandem;
using test::makeOp;

namespace {

[[noreturn]] void giveUp(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  std::exit(1);
}

template <typename T> T get(Expected<T> value) {
  if (!value)
    giveUp(value.error());
  return std::move(*value);
}

void measure(benchmark::State &state, const OpDesc &op,
             const std::vector<TensorType> &types) {
  const TensorType result = get(inferType(op, types));
  const std::span<const TensorType> results(&result, 1);
  std::unique_ptr<PreparedOp> prepared;
  for (const Provider *provider : eagerProviders())
    if ((prepared = get(provider->prepare({op, types, results})))) {
      state.SetLabel(std::string(provider->name()));
      break;
    }
  std::vector<Tensor> operands;
  int64_t bytes = result.bytes();
  for (const TensorType &type : types) {
    operands.push_back(get(Tensor::allocate(type)));
    fillRandom(operands.back(), 1);
    bytes += type.bytes();
  }
  Tensor out = get(Tensor::allocate(result));
  const auto run = [&] {
    if (Status status = runOp(*prepared, operands, {&out, 1}); !status)
      giveUp(status.error());
  };
  run(); // oneDNN makes some of its code at the first run.
  for (auto _ : state)
    run();
  using benchmark::Counter;
  state.counters["bytes"] =
      Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  if (op.kind == OpKind::conv || op.kind == OpKind::matmul)
    state.counters["flops"] =
        Counter(cost(op, types, result).flops,
                Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void add(const std::string &name, OpDesc op, std::vector<TensorType> types) {
  benchmark::RegisterBenchmark(
      name.c_str(), [op = std::move(op), types = std::move(types)](
                        benchmark::State &state) { measure(state, op, types); })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

/// The measure of all: `size` bytes read and as many written, by all threads.
void copy(benchmark::State &state, int64_t size) {
  const Tensor from = get(Tensor::allocate({DType::i8, {size}}));
  const Tensor to = get(Tensor::allocate({DType::i8, {size}}));
  std::memset(from.data(), 1, size);
  std::memset(to.data(), 1, size);
  for (auto _ : state)
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, size, 1 << 18), [&](const auto &range) {
          std::memcpy(to.as<char>() + range.begin(),
                      from.as<char>() + range.begin(), range.size());
        });
  state.counters["bytes"] = benchmark::Counter(
      2 * size, benchmark::Counter::kIsIterationInvariantRate);
}

/// An op of oneDNN (OpenMP's threads) and one of Eigen (oneTBB's) by turns:
/// idle threads of the one library must not keep the other's from the cores.
void alternate(benchmark::State &state, const OpDesc &conv,
               const std::vector<TensorType> &types) {
  const TensorType middle = get(inferType(conv, types));
  const std::span<const TensorType> results(&middle, 1);
  const OpDesc relu = [] {
    OpDesc op;
    op.kind = OpKind::relu;
    return op;
  }();
  const auto first = get(oneDNNProvider().prepare({conv, types, results}));
  const auto second = get(eigenProvider().prepare({relu, results, results}));
  std::vector<Tensor> operands;
  for (const TensorType &type : types) {
    operands.push_back(get(Tensor::allocate(type)));
    fillRandom(operands.back(), 1);
  }
  Tensor between = get(Tensor::allocate(middle));
  Tensor out = get(Tensor::allocate(middle));
  const auto run = [&] {
    if (!runOp(*first, operands, {&between, 1}) ||
        !runOp(*second, {&between, 1}, {&out, 1}))
      std::exit(1);
  };
  run();
  for (auto _ : state)
    run();
}

TensorType f32(const Shape &shape) { return {DType::f32, shape}; }

fb::ReduceAttrsT reduceAttrs(fb::ReduceKind kind, std::vector<int64_t> dims) {
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.dims = std::move(dims);
  return attrs;
}

fb::TransposeAttrsT order(std::vector<int64_t> permutation) {
  fb::TransposeAttrsT attrs;
  attrs.permutation = std::move(permutation);
  return attrs;
}

fb::ConvAttrsT convAttrs(int rank, bool channelsLast, int64_t pad) {
  const std::string spatial = rank == 1 ? "W" : rank == 2 ? "HW" : "DHW";
  fb::ConvAttrsT attrs;
  attrs.strides.assign(rank, 1);
  attrs.dilations.assign(rank, 1);
  attrs.pad_low.assign(rank, pad);
  attrs.pad_high.assign(rank, pad);
  attrs.input_layout = channelsLast ? "N" + spatial + "C" : "NC" + spatial;
  attrs.kernel_layout = channelsLast ? spatial + "IO" : "OI" + spatial;
  attrs.output_layout = attrs.input_layout;
  return attrs;
}

fb::PoolAttrsT poolAttrs(const char *layout) {
  fb::PoolAttrsT attrs;
  attrs.window = attrs.strides = {2, 2};
  attrs.dilations = {1, 1};
  attrs.pad_low = attrs.pad_high = {0, 0};
  attrs.layout = layout;
  return attrs;
}

fb::AxisAttrsT axis(int64_t value) {
  fb::AxisAttrsT attrs;
  attrs.axis = value;
  return attrs;
}

void addTiny() {
  add("tiny/add", makeOp(OpKind::add), {f32({1}), f32({1})});
  add("tiny/exp", makeOp(OpKind::exp), {f32({1})});
  add("tiny/add_row", makeOp(OpKind::add), {f32({4, 8}), f32({8})});
  add("tiny/transpose", makeOp(OpKind::transpose, order({1, 0})),
      {f32({4, 8})});
  add("tiny/sum", makeOp(OpKind::reduce, reduceAttrs(fb::ReduceKind::sum, {1})),
      {f32({4, 8})});
  add("tiny/softmax", makeOp(OpKind::softmax, axis(1)), {f32({4, 8})});
  add("tiny/matmul", makeOp(OpKind::matmul, fb::MatmulAttrsT()),
      {f32({4, 8}), f32({8, 4})});
  add("tiny/conv", makeOp(OpKind::conv, convAttrs(1, true, 1)),
      {f32({1, 8, 4}), f32({3, 4, 4})});
}

void addElementwise(const TensorType &big) {
  for (OpKind kind : {OpKind::relu, OpKind::exp, OpKind::expm1, OpKind::log,
                      OpKind::log1p, OpKind::sqrt, OpKind::rsqrt, OpKind::tanh,
                      OpKind::sigmoid, OpKind::erf, OpKind::sin, OpKind::round})
    add("unary/" + std::string(name(kind)), makeOp(kind), {big});
  add("unary/gelu", makeOp(OpKind::gelu, fb::GeluAttrsT()), {big});
  for (DType to : {DType::f16, DType::bf16, DType::i32, DType::f64}) {
    fb::CastAttrsT attrs;
    attrs.dtype = to;
    add("cast/" + std::string(name(to)), makeOp(OpKind::cast, attrs), {big});
  }
  for (OpKind kind : {OpKind::add, OpKind::div, OpKind::max, OpKind::pow})
    add("binary/" + std::string(name(kind)), makeOp(kind), {big, big});
  add("binary/compare", makeOp(OpKind::compare, fb::CompareAttrsT()),
      {big, big});
  add("binary/scalar", makeOp(OpKind::add), {big, f32({})});
  add("binary/row64", makeOp(OpKind::add), {f32({65536, 64}), f32({64})});
  add("binary/row3", makeOp(OpKind::add), {f32({1400000, 3}), f32({3})});
  add("binary/column", makeOp(OpKind::add),
      {f32({2048, 2048}), f32({2048, 1})});
  for (DType dtype : {DType::f16, DType::bf16, DType::i8, DType::i32})
    add("binary/add_" + std::string(name(dtype)), makeOp(OpKind::add),
        {{dtype, big.shape}, {dtype, big.shape}});
  add("ternary/select", makeOp(OpKind::select),
      {{DType::i1, big.shape}, big, big});
  add("ternary/clamp", makeOp(OpKind::clamp), {big, f32({}), f32({})});
}

void addMoves() {
  const TensorType image = f32({8, 128, 64, 64}), last = f32({8, 64, 64, 128});
  add("move/nchw_to_nhwc", makeOp(OpKind::transpose, order({0, 2, 3, 1})),
      {image});
  add("move/nhwc_to_nchw", makeOp(OpKind::transpose, order({0, 3, 1, 2})),
      {last});
  add("move/hwc3_to_chw", makeOp(OpKind::transpose, order({2, 0, 1})),
      {f32({1024, 1024, 3})});
  add("move/matrix", makeOp(OpKind::transpose, order({1, 0})),
      {f32({2048, 2048})});
  add("move/heads", makeOp(OpKind::transpose, order({0, 2, 1, 3})),
      {f32({8, 512, 16, 64})});
  fb::SliceAttrsT slice;
  slice.starts = {0, 1};
  slice.limits = {2048, 2047};
  slice.strides = {1, 1};
  add("move/slice", makeOp(OpKind::slice, slice), {f32({2048, 2048})});
  slice.strides = {1, 2};
  add("move/slice2", makeOp(OpKind::slice, slice), {f32({2048, 2048})});
  fb::PadAttrsT pad;
  pad.low = pad.high = {0, 0, 1, 1};
  pad.interior = {0, 0, 0, 0};
  add("move/pad", makeOp(OpKind::pad, pad), {image});
  add("move/concat", makeOp(OpKind::concat, axis(1)), {image, image});
  fb::GatherAttrsT gather;
  add("move/gather", makeOp(OpKind::gather, gather),
      {f32({50000, 64}), {DType::i64, {32768}}});
  fb::BroadcastAttrsT broadcast;
  broadcast.shape = {2048, 2048};
  broadcast.dims = {1};
  add("move/broadcast", makeOp(OpKind::broadcast, broadcast), {f32({2048})});
}

void addReductions() {
  const TensorType image = f32({8, 128, 64, 64}), last = f32({8, 64, 64, 128});
  using fb::ReduceKind;
  const auto reduce = [](const char *name, ReduceKind kind,
                         std::vector<int64_t> dims, const TensorType &type) {
    add(std::string("reduce/") + name,
        makeOp(OpKind::reduce, reduceAttrs(kind, std::move(dims))), {type});
  };
  reduce("sum_all", ReduceKind::sum, {0, 1, 2, 3}, image);
  reduce("mean_hw_nchw", ReduceKind::mean, {2, 3}, image);
  reduce("mean_hw_nhwc", ReduceKind::mean, {1, 2}, last);
  reduce("max_rows", ReduceKind::max, {1}, f32({4096, 1024}));
  reduce("sum_columns", ReduceKind::sum, {0}, f32({4096, 1024}));
  reduce("sum_channels", ReduceKind::sum, {0, 2, 3}, image);
  reduce("argmax_rows", ReduceKind::argmax, {1}, f32({4096, 1024}));
  reduce("argmax_columns", ReduceKind::argmax, {0}, f32({4096, 1024}));
  fb::BatchNormAttrsT norm;
  norm.axis = 1;
  const TensorType channels = f32({128});
  add("norm/batch_nchw", makeOp(OpKind::batch_norm, norm),
      {image, channels, channels, channels, channels});
  norm.axis = 3;
  add("norm/batch_nhwc", makeOp(OpKind::batch_norm, norm),
      {last, channels, channels, channels, channels});
  add("norm/softmax_rows", makeOp(OpKind::softmax, axis(1)),
      {f32({4096, 1024})});
  add("norm/softmax_columns", makeOp(OpKind::softmax, axis(0)),
      {f32({4096, 1024})});
  add("pool/max_nchw", makeOp(OpKind::max_pool, poolAttrs("NCHW")), {image});
  add("pool/max_nhwc", makeOp(OpKind::max_pool, poolAttrs("NHWC")), {last});
  add("pool/avg_nchw", makeOp(OpKind::avg_pool, poolAttrs("NCHW")), {image});
  add("pool/avg_nhwc", makeOp(OpKind::avg_pool, poolAttrs("NHWC")), {last});
}

void addContractions() {
  const auto conv = [](const char *name, bool channelsLast, int64_t pad,
                       const Shape &input, const Shape &kernel) {
    add(std::string("conv/") + name,
        makeOp(OpKind::conv, convAttrs(input.rank() - 2, channelsLast, pad)),
        {f32(input), f32(kernel)});
  };
  conv("conv1d_relu", true, 0, {1000, 100, 1}, {3, 1, 32});
  conv("conv2d_nchw", false, 1, {1, 3, 256, 256}, {64, 3, 3, 3});
  conv("conv2d_nhwc", true, 1, {1, 256, 256, 3}, {3, 3, 3, 64});
  conv("simplecnn1", false, 1, {32, 3, 32, 32}, {32, 3, 3, 3});
  conv("simplecnn2", false, 1, {32, 32, 16, 16}, {64, 32, 3, 3});
  conv("resnet3x3_nhwc", true, 1, {1, 56, 56, 64}, {3, 3, 64, 64});
  conv("resnet3x3_nchw", false, 1, {1, 64, 56, 56}, {64, 64, 3, 3});
  conv("resnet1x1_nhwc", true, 0, {1, 56, 56, 64}, {1, 1, 64, 256});
  conv("resnet1x1_nchw", false, 0, {1, 64, 56, 56}, {256, 64, 1, 1});
  benchmark::RegisterBenchmark(
      "alternate/conv1d_relu",
      [](benchmark::State &state) {
        alternate(state, makeOp(OpKind::conv, convAttrs(1, true, 0)),
                  {f32({1000, 100, 1}), f32({3, 1, 32})});
      })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(
      "alternate/resnet3x3",
      [](benchmark::State &state) {
        alternate(state, makeOp(OpKind::conv, convAttrs(2, true, 1)),
                  {f32({1, 56, 56, 64}), f32({3, 3, 64, 64})});
      })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
  const auto matmul = [](const char *name, const Shape &lhs, const Shape &rhs,
                         bool transposeRhs, DType dtype = DType::f32) {
    fb::MatmulAttrsT attrs;
    attrs.transpose_rhs = transposeRhs;
    add(std::string("matmul/") + name, makeOp(OpKind::matmul, attrs),
        {{dtype, lhs}, {dtype, rhs}});
  };
  matmul("1024", {1024, 1024}, {1024, 1024}, false);
  matmul("linear", {32, 4096}, {4096, 512}, false);
  matmul("linear_t", {32, 4096}, {512, 4096}, true);
  matmul("vector", {1, 4096}, {4096, 1024}, false);
  matmul("batched", {64, 128, 64}, {64, 64, 128}, false);
  matmul("512_f64", {512, 512}, {512, 512}, false, DType::f64);
  matmul("512_bf16", {512, 512}, {512, 512}, false, DType::bf16);
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  for (int64_t size : {1 << 24, 1 << 26})
    benchmark::RegisterBenchmark(
        ("copy/" + std::to_string(size >> 20) + "MiB").c_str(),
        [size](benchmark::State &state) { copy(state, size); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  addTiny();
  addElementwise(f32({1 << 22}));
  addMoves();
  addReductions();
  addContractions();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
