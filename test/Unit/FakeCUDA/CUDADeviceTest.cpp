//===- CUDADeviceTest.cpp - The CUDA device on the fake driver ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/Libraries/CUDA.h"

#include <numeric>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST_F(CUDADeviceTest, IsDescribed) {
  EXPECT_EQ(device->name(), "cuda:0");
  EXPECT_EQ(device->index(), 0);
  EXPECT_EQ(device->arch(), "sm_90");
  EXPECT_FALSE(device->isHost());
  EXPECT_EQ(*cudaDevice(0), device);
  EXPECT_FALSE(cudaDevice(7));
}

TEST_F(CUDADeviceTest, LargeTensorsAreCopied) {
  // This tensor has more bytes than all buffers of pinned memory.
  const Tensor here = makeFloats({3 << 20});
  EXPECT_EQ(read(place(here)), floats(here));
}

TEST_F(CUDADeviceTest, RunsKernels) {
  for (bool withArena : {false, true}) {
    auto executor = create(chain(10, withArena));
    Tensor inputs[] = {place(makeFloats({10})), place(makeFloats({10}, 1))};
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_THAT(read(outputs[0]),
                ElementsAre(2, 5, 8, 11, 14, 17, 20, 23, 26, 29));
  }
}

TEST_F(CUDADeviceTest, RunReturnsWhenAllIsEnqueued) {
  auto executor = create(chain(4, true));
  fake.hold(true);
  std::vector<float> x;
  {
    Tensor inputs[] = {place(makeFloats({4})), place(makeFloats({4}))};
    ASSERT_TRUE(executor->run(inputs, outputs));
  } // The inputs go, and the work has not begun.
  auto event = *stream->record();
  EXPECT_FALSE(event->isDone());
  fake.hold(false);
  event->synchronize();
  EXPECT_TRUE(event->isDone());
  EXPECT_THAT(read(outputs[0]), ElementsAre(0, 3, 6, 9));
}

TEST_F(CUDADeviceTest, EventsAreDatedByTheLastSecond) {
  auto first = *stream->record();
  ASSERT_TRUE(stream->synchronize()); // It is dated before the sleep begins.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  auto renews = *stream->record();
  ASSERT_TRUE(stream->synchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  auto second = *stream->record();
  ASSERT_TRUE(stream->synchronize());
  // Events of two epochs have one clock.
  EXPECT_GE(renews->ns() - first->ns(), 1.1e9);
  EXPECT_GE(second->ns() - renews->ns(), 1e7);
  EXPECT_LT(second->ns() - first->ns(), 5e9);
}

TEST_F(CUDADeviceTest, AnExecutorMayGoWhileItsWorkIsInFlight) {
  Tensor inputs[] = {place(makeFloats({4})), place(makeFloats({4}))};
  ASSERT_TRUE(create(chain(4, false))->run(inputs, outputs));
  EXPECT_THAT(read(outputs[0]), ElementsAre(0, 3, 6, 9));
}

TEST_F(CUDADeviceTest, ConstantsAndReshapesWork) {
  ProgramBuilder builder;
  const TensorType flat{DType::f32, {4}}, square{DType::f32, {2, 2}};
  uint32_t x = builder.input(flat);
  uint32_t c = builder.constant(flat, {1, 2, 3, 4});
  uint32_t sum = builder.launch(adder(builder, 4), {x, c}, flat, 0);
  // From one place of the arena to another.
  fb::ReshapeAttrsT shape;
  shape.shape = {2, 2};
  uint32_t transposed =
      builder.op(makeOp(OpKind::reshape, shape), {sum}, square, 64);
  builder.program.arena_bytes = 128;
  builder.program.kernels.push_back(
      std::make_unique<fb::KernelT>(*builder.program.kernels[0]));
  uint32_t out = builder.launch(0, {transposed, c}, square);
  auto executor = create(builder.finish({out}));
  Tensor inputs[] = {place(makeFloats({4}))};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_THAT(read(outputs[0]), ElementsAre(2, 5, 8, 11));
}

TEST_F(CUDADeviceTest, KernelsOfOneImageShareItsModule) {
  auto twice = [&](int64_t size) {
    ProgramBuilder builder;
    const TensorType type{DType::f32, {size}};
    uint32_t x = builder.input(type);
    uint32_t sum = builder.launch(adder(builder, size), {x, x}, type);
    builder.program.kernels.push_back(
        std::make_unique<fb::KernelT>(*builder.program.kernels[0]));
    return builder.finish({builder.launch(1, {sum, x}, type)});
  };
  fake.fail("cuModuleLoadDataEx", 209, 2);
  auto executor = create(twice(3));
  auto again = device->load(*twice(3));
  // Another image is the second.
  EXPECT_FALSE(device->load(*twice(5)));
  // Whoever is left keeps the module.
  again = LoadedKernels();
  Tensor inputs[] = {place(makeFloats({3}))};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_THAT(read(outputs[0]), ElementsAre(0, 3, 6));
  // When it has gone, it is loaded anew.
  executor.reset();
  fake.fail("cuModuleLoadDataEx", 209, 1);
  EXPECT_FALSE(device->load(*twice(3)));
  EXPECT_TRUE(device->load(*twice(3)));
}

TEST_F(CUDADeviceTest, ThreadsHaveStreamsOfTheirOwn) {
  auto program = chain(1000, true);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      auto own = *device->createStream();
      auto executor = create(program, own.get());
      std::vector<Tensor> results;
      for (int run = 0; run < 10; ++run) {
        Tensor inputs[] = {place(makeFloats({1000}, float(i)), own.get()),
                           place(makeFloats({1000}, 1), own.get())};
        if (executor->run(inputs, results))
          right += read(results[0], own.get())[999] == 999 + i + 2 * 1000;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

TEST_F(CUDADeviceTest, AStreamOfTheCallersIsInOrderWithItsWork) {
  const cuda::Driver &driver = *cuda::driver();
  cuda::StreamHandle raw = nullptr;
  ASSERT_EQ(driver.streamCreate(&raw, 1), 0);
  void *pinned = nullptr;
  ASSERT_EQ(driver.memHostAlloc(&pinned, 32, 0), 0);
  auto *numbers = static_cast<float *>(pinned), *results = numbers + 4;
  std::iota(numbers, numbers + 4, 1.0f);
  {
    auto adopted = device->adoptStream(raw);
    ASSERT_TRUE(adopted) << adopted.error().str();
    auto x = *Tensor::allocate({DType::f32, {4}}, (*adopted)->allocator());
    auto executor = create(chain(4, false), adopted->get());
    auto address = [](const Tensor &tensor) {
      return reinterpret_cast<cuda::DevicePointer>(tensor.data());
    };
    // No event, and nobody waits until all is enqueued.
    driver.memcpyHtoDAsync(address(x), numbers, 16, raw);
    Tensor inputs[] = {x, x};
    ASSERT_TRUE(executor->run(inputs, outputs));
    driver.memcpyDtoHAsync(results, address(outputs[0]), 16, raw);
    outputs.clear();
  }
  // It is still the caller's.
  EXPECT_EQ(driver.streamSynchronize(raw), 0);
  EXPECT_THAT(std::vector<float>(results, results + 4),
              ElementsAre(3, 6, 9, 12));
  driver.memFreeHost(pinned);
  EXPECT_EQ(driver.streamDestroy(raw), 0);
  EXPECT_FALSE(device->adoptStream(nullptr));
}

TEST_F(CUDADeviceTest, ThreadsShareAStream) {
  auto executor = create(chain(100, true));
  Tensor inputs[] = {place(makeFloats({100})), place(makeFloats({100}))};
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      std::vector<Tensor> results;
      for (int run = 0; run < 10; ++run)
        if (executor->run(inputs, results))
          right += read(results[0])[99] == 297;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(CUDADeviceTest, BlocksAreUsedAgain) {
  auto own = *device->createStream();
  const size_t before = fake.liveBytes();
  MemoryScope scope;
  void *first = place(makeFloats({100}), own.get()).data();
  const size_t held = fake.liveBytes();
  EXPECT_GE(held - before, 400);
  EXPECT_EQ(place(makeFloats({100}), own.get()).data(), first);
  EXPECT_EQ(fake.liveBytes(), held);
  EXPECT_EQ(own->allocator().liveBytes(), 0);
  EXPECT_EQ(scope.peakBytes(), 800); // On the device and on the host.
  own.reset();
  EXPECT_EQ(fake.liveBytes(), before);
}

TEST_F(CUDADeviceTest, ExecutorsShareConstants) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {1000}};
  uint32_t x = builder.input(type);
  uint32_t c = builder.constant(type, std::vector<float>(1000, 2));
  uint32_t sum = builder.launch(adder(builder, 1000), {x, c}, type);
  auto program = builder.finish({sum});
  const size_t before = fake.liveBytes();
  auto first = create(program);
  EXPECT_EQ(fake.liveBytes(), before + 4000);
  auto own = *device->createStream();
  auto second = create(program, own.get());
  EXPECT_EQ(fake.liveBytes(), before + 4000);
  // The one is used on when the other goes.
  first.reset();
  {
    Tensor inputs[] = {place(makeFloats({1000}), own.get())};
    ASSERT_TRUE(second->run(inputs, outputs));
    EXPECT_EQ(read(outputs[0], own.get())[999], 1001);
    outputs.clear();
  }
  second.reset();
  own.reset();
  EXPECT_EQ(fake.liveBytes(), before);
}

TEST_F(CUDADeviceTest, CachesAreFreedWhereMemoryRunsOut) {
  auto own = *device->createStream();
  place(makeFloats({1000}), own.get());
  const size_t before = fake.liveBytes();
  fake.fail("cuMemAlloc_v2", 2, 1);
  Tensor tensor = place(makeFloats({1 << 20}));
  EXPECT_EQ(read(tensor).back(), (1 << 20) - 1);
  EXPECT_LT(fake.liveBytes(), before + (4 << 20));
  // The error names the sizes if freeing the caches does not help.
  auto failed =
      Tensor::allocate({DType::f32, {int64_t(1) << 32}}, stream->allocator());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().phase, "allocate");
  EXPECT_THAT(failed.error().message,
              AllOf(HasSubstr("cannot allocate 17179869184 bytes on device "
                              "'cuda:0', of whose 2147483648 bytes "),
                    HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
  EXPECT_EQ(read(tensor).back(), (1 << 20) - 1);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(CUDADeviceTest, CodeThatCannotBeLoadedIsSaid) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4}};
  uint32_t x = builder.input(type);
  const int kernel =
      addKernelTo(builder, 4, "const float* x, float* out", "undefined();");
  builder.launch(kernel, {x}, type);
  auto loaded = device->load(builder.program);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().phase, "load");
  EXPECT_EQ(loaded.error().message,
            "kernel 'kernel_0' cannot be loaded: CUDA_ERROR_INVALID_PTX");
  EXPECT_THAT(loaded.error().hint, HasSubstr("undefined"));

  builder.program.kernels[0]->target = KernelTarget::cuda_source;
  loaded = device->load(builder.program);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("neither PTX nor cubin"));
}

TEST_F(CUDADeviceTest, ALaunchThatIsWrongNamesItsStep) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4}};
  uint32_t x = builder.input(type);
  uint32_t out = builder.launch(adder(builder, 4), {x, x}, type);
  builder.program.kernels[0]->block = std::make_unique<fb::Dim3>(2000, 1, 1);
  auto executor = create(builder.finish({out}));
  Tensor inputs[] = {place(makeFloats({4}))};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().location, "test.mlir:1:3");
  EXPECT_EQ(status.error().message,
            "kernel_0 at test.mlir:1:3: CUDA_ERROR_INVALID_VALUE");
}

TEST_F(CUDADeviceTest, OpsOfLibrariesRun) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {2, 2}};
  uint32_t x = builder.input(type);
  const OpDesc matmul = makeOp(OpKind::matmul, fb::MatmulAttrsT());
  uint32_t square = builder.op(matmul, {x, x}, type, 0);
  builder.program.arena_bytes = 64;
  auto executor =
      create(builder.finish({builder.op(matmul, {square, x}, type)}));
  Tensor inputs[] = {place(makeFloats({2, 2}))};
  ASSERT_TRUE(executor->run(inputs, outputs));
  // (0 1; 2 3)^3
  EXPECT_THAT(read(outputs[0]), ElementsAre(6, 11, 22, 39));
}

TEST_F(CUDADeviceTest, OpsThatNothingExecutesAreRefused) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4, 4}};
  uint32_t x = builder.input(type);
  uint32_t out = builder.op(makeCustomCall("nobody", {type}), {x}, type);
  builder.program.planned = true;
  ExecutorOptions options;
  options.stream = stream;
  builder.program.outputs = {out};
  auto executor = Executor::create(
      std::make_shared<const Program>(std::move(builder.program)), options);
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().location, "test.mlir:1:3");
  EXPECT_THAT(executor.error().message,
              HasSubstr("custom_call \"nobody\" is not registered for cuda"));
}

/// A function of the user's gets the device's memory and the stream.
TEST_F(CUDADeviceTest, CustomCallsEnqueueOnTheStream) {
  static std::atomic<int> numCalls = 0;
  CustomCall call;
  call.run = [](const CustomCallArgs &args) -> Status {
    ++numCalls;
    EXPECT_TRUE(args.stream.handle());
    EXPECT_TRUE(args.operands[0].device());
    return args.stream.copy(args.operands[0], args.results[0]);
  };
  ASSERT_TRUE(registerCustomCall("copy", call, stream->device()));
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4}};
  uint32_t x = builder.input(type);
  uint32_t y = builder.op(makeCustomCall("copy", {type}), {x}, type);
  builder.program.planned = true;
  builder.program.outputs = {y};
  ExecutorOptions options;
  options.stream = stream;
  options.capture = true;
  auto executor = Executor::create(
      std::make_shared<const Program>(std::move(builder.program)), options);
  ASSERT_TRUE(executor) << executor.error().str();
  EXPECT_THAT((*executor)->captureFailure()->message,
              HasSubstr("what a custom_call does"));
  Tensor inputs[] = {place(makeFloats({4}))};
  ASSERT_TRUE((*executor)->run(inputs, outputs));
  EXPECT_THAT(read(outputs[0]), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(numCalls, 1);
}

/// An error that sticks: on a device of its own process, as nothing is after.
class LostDevice : public CUDADeviceTest {
protected:
  /// The whole story, in the process of a death test: what it says of the
  /// error goes to stderr. `isLate`: no work begins before all is enqueued.
  void lose(bool isLate) {
    auto executor = create(chain(4, false));
    Tensor inputs[] = {place(makeFloats({4})), place(makeFloats({4}))};
    (void)stream->synchronize();
    fake.fail("kernel", 700, 1);
    fake.hold(isLate);
    Status status = executor->run(inputs, outputs);
    fake.hold(false);
    Status waited = stream->synchronize();
    Status later = executor->run(inputs, outputs);
    std::vector<Tensor> none;
    auto copied = copyToHost(inputs, *stream);
    std::fprintf(stderr, "run: %s\nwait: %s\nlater: %s\ncopy: %s\n",
                 status ? "fine" : status.error().str().c_str(),
                 waited ? "fine" : waited.error().str().c_str(),
                 later ? "fine" : later.error().str().c_str(),
                 copied ? "fine" : copied.error().str().c_str());
    std::fflush(stderr);
    outputs.clear();
    executor.reset();
    std::_Exit(status && waited ? 1 : 0);
  }
};

TEST_F(LostDevice, SaysWhichStepsMayBeToBlame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // One of two, and whatever is asked later says why nothing is done.
  EXPECT_EXIT(
      lose(/*isLate=*/true), testing::ExitedWithCode(0),
      "wait: .*one of kernel_0 at test.mlir:1:3, kernel_0 at test.mlir:2:3: "
      "CUDA_ERROR_ILLEGAL_ADDRESS "
      "\\(TANDEM_CUDA_SYNC=1 tells which\\)(.|\n)*later: .*device 'cuda:0' is "
      "lost: .*kernel_0 at test.mlir:1:3.*CUDA_ERROR_ILLEGAL_ADDRESS \\(only a "
      "new process can use it again\\)(.|\n)*copy: .*is lost");
}

TEST_F(LostDevice, NamesTheStepWhereEachIsWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        // The device of this process was made without.
        setenv("TANDEM_CUDA_SYNC", "1", 1);
        auto own = *device->createStream();
        stream = own.get();
        lose(/*isLate=*/false);
      },
      testing::ExitedWithCode(0),
      "run: test.mlir:1:3: error: execute: kernel_0 at test.mlir:1:3: "
      "CUDA_ERROR_ILLEGAL_ADDRESS\n");
}

} // namespace
