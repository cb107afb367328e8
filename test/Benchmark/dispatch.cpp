//===- dispatch.cpp - What dispatch costs ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time per call of what every eager op and every compiled call pays beside its
// arithmetic. `bench-dispatch` runs all of it.
//
//===----------------------------------------------------------------------===//

#include "../Unit/Runtime/TestPrograms.h"

#include <benchmark/benchmark.h>

using namespace tandem;
using namespace tandem::test;

static TensorType vec(int64_t size) { return {DType::f32, {size}}; }

static void inferAdd(benchmark::State &state) {
  OpDesc op = makeOp(OpKind::add);
  TensorType operands[] = {{DType::f32, {8, 4}}, {DType::f32, {4}}};
  for (auto _ : state)
    benchmark::DoNotOptimize(inferType(op, operands));
}
BENCHMARK(inferAdd);

static void inferConv(benchmark::State &state) {
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = {1, 1};
  attrs.pad_low = attrs.pad_high = {1, 1};
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  OpDesc op = makeOp(OpKind::conv, std::move(attrs));
  TensorType operands[] = {{DType::f32, {1, 56, 56, 64}},
                           {DType::f32, {3, 3, 64, 64}}};
  for (auto _ : state)
    benchmark::DoNotOptimize(inferType(op, operands));
}
BENCHMARK(inferConv);

static void allocateAndFree(benchmark::State &state) {
  Allocator &allocator = cachingAllocator();
  for (auto _ : state) {
    void *memory = *allocator.allocate(state.range(0));
    benchmark::DoNotOptimize(memory);
    allocator.deallocate(memory, state.range(0));
  }
}
BENCHMARK(allocateAndFree)->Arg(64)->Arg(1 << 20)->ThreadRange(1, 2);

static void allocateTensor(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(Tensor::allocate(vec(1)));
}
BENCHMARK(allocateTensor);

static void runProgram(benchmark::State &state, Executor &executor,
                       std::span<const Tensor> inputs) {
  std::vector<Tensor> outputs;
  for (auto _ : state)
    if (Status status = executor.run(inputs, outputs); !status)
      return state.SkipWithError(status.error().str().c_str());
}

/// One eager add of one element: the figure that is to stay below 500 ns.
static void eagerAdd(benchmark::State &state, ProviderList providers,
                     bool dispatchOnly) {
  ProgramBuilder builder;
  TensorType type = vec(kDynamic);
  uint32_t x = builder.input(type), y = builder.input(type);
  auto program =
      builder.finish({builder.op(makeOp(OpKind::add), {x, y}, type)});
  ExecutorOptions options;
  options.providers = providers;
  options.dispatchOnly = dispatchOnly;
  auto executor = *Executor::create(program, options);
  Tensor inputs[] = {makeFloats({1}), makeFloats({1}, 1)};
  runProgram(state, *executor, inputs);
}
BENCHMARK_CAPTURE(eagerAdd, eager, eagerProviders(), false);
BENCHMARK_CAPTURE(eagerAdd, reference, referenceProviders(), false);
BENCHMARK_CAPTURE(eagerAdd, dispatch_only, eagerProviders(), true);

/// Eight eager adds in a chain: time per call.
static void eagerChain(benchmark::State &state) {
  ProgramBuilder builder;
  TensorType type = vec(kDynamic);
  uint32_t x = builder.input(type), value = x;
  for (int i = 0; i < 8; ++i)
    value = builder.op(makeOp(OpKind::add), {value, x}, type);
  auto executor = *Executor::create(builder.finish({value}));
  Tensor inputs[] = {makeFloats({1})};
  runProgram(state, *executor, inputs);
}
BENCHMARK(eagerChain);

/// A compiled program of one kernel over `extent` iterations.
static void oneKernel(benchmark::State &state) {
  ProgramBuilder builder;
  TensorType type = vec(state.range(0));
  uint32_t x = builder.input(type), y = builder.input(type);
  int kernel = builder.kernel(state.range(0), state.range(0));
  auto program = builder.finish({builder.launch(kernel, {x, y}, type)});
  ExecutorOptions options;
  options.kernels = fakeKernels({addKernel});
  auto executor = *Executor::create(program, options);
  Tensor inputs[] = {makeFloats(type.shape), makeFloats(type.shape, 1)};
  runProgram(state, *executor, inputs);
}
BENCHMARK(oneKernel)->Arg(1);

/// The cost of sharing a kernel of no work out to oneTBB's threads.
static void oneParallelKernel(benchmark::State &state) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(1));
  int kernel = builder.kernel(64, 1);
  auto program = builder.finish({builder.launch(kernel, {x}, vec(1))});
  ExecutorOptions options;
  options.kernels = fakeKernels(
      {[](void *const *, const int64_t *, void *, int64_t, int64_t) {}});
  auto executor = *Executor::create(program, options);
  Tensor inputs[] = {makeFloats({1})};
  runProgram(state, *executor, inputs);
}
BENCHMARK(oneParallelKernel)->UseRealTime();

/// A oneDNN matmul and then a kernel, both on all threads: idle OpenMP workers
/// must not hold a core that oneTBB wants.
static void opThenKernel(benchmark::State &state) {
  ProgramBuilder builder;
  TensorType matrix{DType::f32, {256, 256}}, large = vec(1 << 20);
  uint32_t x = builder.input(matrix), y = builder.input(large);
  uint32_t product =
      builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, x}, matrix);
  int kernel = builder.kernel(1 << 20, 1 << 14);
  uint32_t sum = builder.launch(kernel, {y, y}, large);
  ExecutorOptions options;
  options.kernels = fakeKernels({addKernel});
  auto executor = *Executor::create(builder.finish({product, sum}), options);
  Tensor inputs[] = {makeFloats(matrix.shape), makeFloats(large.shape)};
  runProgram(state, *executor, inputs);
}
BENCHMARK(opThenKernel)->UseRealTime();

/// A small oneDNN matmul alone, whose workers must be quick to start.
static void smallMatmul(benchmark::State &state) {
  ProgramBuilder builder;
  TensorType matrix{DType::f32, {state.range(0), state.range(0)}};
  uint32_t x = builder.input(matrix);
  auto executor = *Executor::create(builder.finish({builder.op(
      makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, x}, matrix)}));
  Tensor inputs[] = {makeFloats(matrix.shape)};
  runProgram(state, *executor, inputs);
}
BENCHMARK(smallMatmul)->Arg(32)->Arg(256)->UseRealTime();

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
