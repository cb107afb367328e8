//===- DeviceTest.cpp - Devices, streams, and tensors on them -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutorFixture.h"

#include "FakeCUDA/FakeCUDA.h"

#include "tandem/Runtime/CUDADevice.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <future>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct DeviceCase {
  const char *name;
  Device &(*device)();
};

Device &cudaOnFakeDriver() {
  fakeCUDA();
  return **cudaDevice();
}

/// On all devices, each with a stream of its own.
class Devices : public testing::TestWithParam<DeviceCase> {
protected:
  Devices()
      : device(GetParam().device()), owner(*device.createStream()),
        stream(*owner) {}

  Tensor place(const Tensor &tensor) {
    return copyToDevice({&tensor, 1}, stream)->front();
  }
  std::vector<float> read(const Tensor &tensor) {
    return floats(copyToHost({&tensor, 1}, stream)->front());
  }

  Device &device;
  std::unique_ptr<Stream> owner;
  Stream &stream;
};

/// On those that execute ops.
class EagerDevices : public Devices {};

std::string nameOf(const testing::TestParamInfo<DeviceCase> &info) {
  return info.param.name;
}
const DeviceCase kHost = {"host", hostDevice},
                 kGuarded = {"guarded",
                             []() -> Device & { return guardedDevice(); }},
                 kCUDA = {"cuda", cudaOnFakeDriver};
INSTANTIATE_TEST_SUITE_P(All, Devices, testing::Values(kHost, kGuarded, kCUDA),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(All, EagerDevices, testing::Values(kHost, kGuarded),
                         nameOf);

TEST_P(Devices, CopiesThereAndBack) {
  const Tensor there = place(makeFloats({3}));
  EXPECT_EQ(there.device(), device.memory());
  EXPECT_THAT(read(there), ElementsAre(0, 1, 2));
  // What is there is not copied again.
  EXPECT_EQ(place(there).data(), there.data());
}

/// At an odd address, as a weight in a file has it.
TEST(HostDevice, AlignsAConstantOnceForAllWhoUseIt) {
  auto bytes = std::make_shared<std::array<char, 128>>();
  const float elements[] = {1, 2, 3};
  char *odd = bytes->data() + 1;
  std::memcpy(odd, elements, sizeof elements);
  const Tensor given = Tensor::share(vec(3), {bytes, odd});
  Stream &stream = hostDevice().defaultStream();
  const Tensor first =
      hostDevice().placeConstants({&given, 1}, stream)->front();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data()) % Allocator::kAlignment,
            0u);
  EXPECT_THAT(floats(first), ElementsAre(1, 2, 3));
  const Tensor pair[] = {given, first};
  auto again = *hostDevice().placeConstants(pair, stream);
  EXPECT_EQ(again[0].data(), first.data());
  EXPECT_EQ(again[1].data(), first.data()); // Is there already.
}

TEST_P(Devices, EmptyTensorsAreCopied) {
  EXPECT_THAT(read(place(makeFloats({0}))), ElementsAre());
}

TEST_P(Devices, CopiesWithinTheDevice) {
  const Tensor from = place(makeFloats({4}));
  const Tensor to = *Tensor::allocate(from.type(), stream.allocator());
  ASSERT_TRUE(stream.copy(from, to));
  EXPECT_THAT(read(to), ElementsAre(0, 1, 2, 3));
}

TEST_P(Devices, EventsAreInOrder) {
  auto first = *stream.record();
  place(makeFloats({1 << 20}));
  auto second = *stream.record();
  second->synchronize();
  EXPECT_TRUE(first->isDone() && second->isDone());
  EXPECT_LE(first->ns(), second->ns());
}

TEST_P(Devices, AStreamWaitsForAnothers) {
  auto other = *device.createStream();
  const Tensor from = place(makeFloats({1 << 20}));
  const Tensor to = *Tensor::allocate(from.type(), stream.allocator());
  ASSERT_TRUE(stream.copy(from, to));
  ASSERT_TRUE(other->wait(**stream.record()));
  EXPECT_EQ(floats(copyToHost({&to, 1}, *other)->front()).back(), 0xfffff);
}

TEST_P(Devices, CountMemory) {
  Allocator &allocator = stream.allocator();
  const int64_t before = allocator.liveBytes();
  Tensor tensor = place(makeFloats({100}));
  ASSERT_TRUE(stream.synchronize()); // The copy holds it.
  EXPECT_EQ(allocator.liveBytes() - before, 400);
  tensor.reset();
  EXPECT_EQ(allocator.liveBytes(), before);
}

/// A chain of libraries' ops, as eager runs it.
TEST_P(EagerDevices, RunWhatTheirProvidersExecute) {
  ProgramBuilder builder;
  const TensorType matrix{DType::f32, {8, 8}}, half{DType::f16, {8, 8}};
  uint32_t x = builder.input(matrix), c = builder.constant(vec(1), {0.5F});
  uint32_t product =
      builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, x}, matrix);
  fb::CastAttrsT narrow, wide;
  narrow.dtype = DType::f16;
  wide.dtype = DType::f32;
  uint32_t h = builder.op(makeOp(OpKind::cast, narrow), {product}, half);
  // Needs a workspace, of f32.
  uint32_t hh =
      builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {h, h}, half);
  uint32_t out = builder.op(makeOp(OpKind::cast, wide), {hh}, matrix);
  auto program = builder.finish({out, c});
  const Tensor input = makeFloats({8, 8}, -0.5F);
  auto outputsOn = [&](Stream &where) {
    ExecutorOptions options;
    options.stream = &where;
    auto executor = Executor::create(program, options);
    EXPECT_TRUE(executor) << executor.error().str();
    std::vector<Tensor> outputs;
    EXPECT_TRUE((*executor)->run(*copyToDevice({&input, 1}, where), outputs));
    return *copyToHost(outputs, where);
  };
  const auto expected = outputsOn(hostDevice().defaultStream());
  const auto actual = outputsOn(stream);
  EXPECT_EQ(floats(actual[0]), floats(expected[0]));
  EXPECT_THAT(floats(actual[1]), ElementsAre(0.5F));
}

TEST(GuardedDevice, WorkIsDoneLater) {
  auto stream = *guardedDevice().createStream();
  struct Gated final : PreparedOp {
    std::shared_future<void> gate;
    explicit Gated(std::shared_future<void> gate) : gate(std::move(gate)) {}
    Status run(const StepContext &, std::span<const Tensor>,
               std::span<Tensor>) const override {
      gate.wait();
      return fail("execute", "it came to nothing");
    }
  };
  struct Gates final : Provider {
    std::promise<void> gate;
    std::string_view name() const override { return "gates"; }
    Expected<std::unique_ptr<PreparedOp>>
    prepare(const OpSignature &) const override {
      return std::make_unique<Gated>(
          const_cast<std::promise<void> &>(gate).get_future().share());
    }
  } gates;
  const OpDesc op = makeOp(OpKind::add);
  const TensorType type = vec(1);
  auto prepared =
      *guardedDevice().wrap(gates)->prepare({op, {&type, 1}, {&type, 1}});
  ASSERT_TRUE(runOp(*prepared, {}, {}, *stream));
  auto event = *stream->record();
  EXPECT_FALSE(event->isDone());
  gates.gate.set_value();
  event->synchronize();
  // What failed is told once.
  Status status = stream->synchronize();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(), HasSubstr("it came to nothing"));
  EXPECT_TRUE(stream->synchronize());
}

TEST(GuardedDevice, ItsMemoryIsNotForTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Tensor here = makeFloats({3});
  Stream &stream = guardedDevice().defaultStream();
  const Tensor there = copyToDevice({&here, 1}, stream)->front();
  ASSERT_TRUE(stream.synchronize());
  EXPECT_DEATH(
      {
        volatile float first = *there.as<float>();
        (void)first;
      },
      "");
}

TEST_F(ExecutorTest, TensorsOfAnotherDeviceAreRefused) {
  auto executor = create(chain());
  const bool isHost = !guarded;
  Tensor inputs[] = {test::makeFloats({3}), test::makeFloats({3})};
  if (isHost)
    inputs[1] =
        copyToDevice({&inputs[1], 1}, guardedDevice().defaultStream())->front();
  // The copy holds memory that a later test may count.
  ASSERT_TRUE(guardedDevice().defaultStream().synchronize());
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(),
              HasSubstr(isHost ? "input 1 is on device 'guarded', and the "
                                 "program takes tensors in the host's memory"
                               : "input 0 is in the host's memory, and the "
                                 "program takes tensors on device 'guarded'"));
}

TEST(HostDevice, KernelsNeedALoader) {
  Program program;
  program.kernels.push_back(std::make_unique<fb::KernelT>());
  program.kernels[0]->name = "k";
  auto loaded = hostDevice().load(program);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().phase, "load");
  EXPECT_THAT(loaded.error().str(), HasSubstr("kernel 'k' (cpu_object)"));
}

} // namespace
