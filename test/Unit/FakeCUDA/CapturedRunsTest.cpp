//===- CapturedRunsTest.cpp - Programs as captured work -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "tandem/Runtime/Function.h"
#include "tandem/Runtime/PhaseTimes.h"

#include <algorithm>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr size_t kMax = Executor::kMaxCaptured;

class CapturedRunsTest : public CUDADeviceTest {
protected:
  ~CapturedRunsTest() override {
    executor.reset();
    EXPECT_EQ(fake.liveGraphs(), 0);
  }

  void createCaptured(std::shared_ptr<const Program> program) {
    executor = create(std::move(program), nullptr, /*capture=*/true);
  }
  /// Runs it on tensors from `x` and `y` on, of which the outputs are new.
  std::vector<float> run(const Tensor &x, const Tensor &y) {
    outputs.clear();
    return runBeside(x, y, outputs);
  }
  /// The same while `results` holds those of an earlier run.
  std::vector<float> runBeside(const Tensor &x, const Tensor &y,
                               std::vector<Tensor> &results) {
    Tensor inputs[] = {x, y};
    Status status = executor->run(inputs, results);
    EXPECT_TRUE(status) << status.error().str();
    return status ? read(results[0]) : std::vector<float>();
  }
  Tensor placeFrom(float start, int64_t size = 4) {
    return place(makeFloats({size}, start));
  }
  /// x + 2y of floats that count up from there.
  static std::vector<float> expected(float x, float y, int64_t size = 4) {
    std::vector<float> sum;
    for (int64_t i = 0; i < size; ++i)
      sum.push_back(x + 2 * y + 3 * float(i));
    return sum;
  }

  /// (x + y) + y by kernels, then the product with a 1x1 matrix of 2, which
  /// sees the output.
  std::shared_ptr<const Program> kernelsAndLibrary() {
    ProgramBuilder builder;
    const TensorType type{DType::f32, {4, 1}}, one{DType::f32, {1, 1}};
    uint32_t x = builder.input(type), y = builder.input(type);
    uint32_t two = builder.constant(one, {2});
    const int add = adder(builder, 4);
    builder.program.arena_bytes = 128;
    uint32_t sum = builder.launch(add, {x, y}, type, 0);
    sum = builder.launch(add, {sum, y}, type, 64);
    return builder.finish({builder.op(
        makeOp(OpKind::matmul, fb::MatmulAttrsT()), {sum, two}, type)});
  }

  std::unique_ptr<Executor> executor;
};

TEST_F(CapturedRunsTest, TheFirstRunIsNotCaptured) {
  createCaptured(chain(4, true));
  Tensor x = placeFrom(0), y = placeFrom(1);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(run(x, y), expected(0, 1));
  const CaptureCounts counts = executor->captureCounts();
  EXPECT_EQ(counts.stepByStep, 1);
  EXPECT_EQ(counts.captures, 1);
  EXPECT_EQ(counts.launches, 3);
  EXPECT_EQ(executor->captureFailure(), std::nullopt);
}

TEST_F(CapturedRunsTest, ValuesChangeUnderTheSameAddresses) {
  for (bool withArena : {false, true}) {
    createCaptured(chain(4, withArena));
    Tensor x = placeFrom(0), y = placeFrom(1);
    for (float start : {0.f, 1.f, 2.f, 3.f}) {
      const Tensor value = makeFloats({4}, start);
      ASSERT_TRUE(stream->copy(value, x));
      EXPECT_EQ(run(x, y), expected(start, 1));
    }
    EXPECT_EQ(executor->captureCounts().captures, 1);
    EXPECT_EQ(executor->captureCounts().launches, 3);
  }
}

/// x becomes x + y, by a kernel that writes over x, and then by one that may
/// not, so that the sum is copied.
TEST_F(CapturedRunsTest, OutputsUpdateInputs) {
  for (bool isInPlace : {true, false}) {
    ProgramBuilder builder;
    const TensorType type{DType::f32, {4}};
    uint32_t x = builder.input(type), y = builder.input(type);
    const int add = adder(builder, 4);
    if (isInPlace)
      builder.program.kernels[add]->in_place = {{0, 0}};
    const uint32_t sum = builder.launch(add, {x, y}, type);
    builder.program.updates = {{0, 0}};
    createCaptured(builder.finish({sum}));
    const Tensor inputs[] = {placeFrom(0), placeFrom(1)};
    for (float i = 1; i <= 5; ++i) {
      const Status status = executor->runInto(inputs, {inputs, 1}, outputs);
      ASSERT_TRUE(status) << status.error().str();
      EXPECT_EQ(outputs[0].data(), inputs[0].data());
      EXPECT_THAT(read(inputs[0]),
                  ElementsAre(i, 1 + 2 * i, 2 + 3 * i, 3 + 4 * i));
    }
    EXPECT_EQ(executor->captureCounts().launches, 4);
    EXPECT_EQ(executor->plannedPeakBytes(), isInPlace ? 0 : 16);
  }
}

TEST_F(CapturedRunsTest, AddressesAlternate) {
  createCaptured(chain(4, true));
  Tensor first[] = {placeFrom(0), placeFrom(1)};
  Tensor second[] = {placeFrom(10), placeFrom(2)};
  std::vector<Tensor> results;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(runBeside(first[0], first[1], results), expected(0, 1));
    EXPECT_EQ(runBeside(second[0], second[1], results), expected(10, 2));
  }
  // Two inputs, with two outputs in turn, at the most.
  EXPECT_LE(executor->captureCounts().captures, 4);
  EXPECT_EQ(executor->captureCounts().launches, 11);
}

TEST_F(CapturedRunsTest, KernelsGetOtherAddressesWhereThereAreTooMany) {
  createCaptured(chain(4, true));
  std::vector<Tensor> xs;
  Tensor y = placeFrom(1);
  for (size_t i = 0; i < kMax + 3; ++i)
    xs.push_back(placeFrom(float(i)));
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(run(xs[i], y), expected(float(i), 1));
  const CaptureCounts counts = executor->captureCounts();
  EXPECT_EQ(counts.captures, kMax);
  EXPECT_EQ(counts.stepByStep, 1);
  EXPECT_GE(counts.patches, 3 + kMax);
  EXPECT_EQ(counts.recaptures, 0);
}

TEST_F(CapturedRunsTest, ALibrarysAddressIsCapturedAgain) {
  createCaptured(kernelsAndLibrary());
  auto placeColumn = [&](float start) {
    return place(makeFloats({4, 1}, start));
  };
  Tensor x = placeColumn(1), y = placeColumn(0);
  auto twice = [](std::vector<float> values) {
    for (float &value : values)
      value *= 2;
    return values;
  };
  // Each has an output of its own, which the library sees.
  std::vector<std::vector<Tensor>> results(kMax + 2);
  std::vector<void *> addresses;
  for (int round = 0; round < 4; ++round)
    for (std::vector<Tensor> &result : results) {
      result.clear();
      EXPECT_EQ(runBeside(x, y, result), twice(expected(1, 0)));
    }
  const CaptureCounts counts = executor->captureCounts();
  EXPECT_EQ(counts.captures, kMax);
  EXPECT_GT(counts.recaptures, 0);
  EXPECT_EQ(counts.patches, 0);
  // An address that is met for the first time is not worth it.
  EXPECT_GE(counts.stepByStep, 1 + 2);
  // The kernels' alone, on the other hand, is patched: those of the inputs.
  Tensor other = placeColumn(5);
  EXPECT_EQ(runBeside(other, y, results[0]), twice(expected(5, 0)));
}

TEST_F(CapturedRunsTest, OutputsMayBeViewsAndInputs) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4}}, square{DType::f32, {2, 2}};
  uint32_t x = builder.input(type), y = builder.input(type);
  uint32_t sum = builder.launch(adder(builder, 4), {x, y}, type);
  fb::ReshapeAttrsT shape;
  shape.shape = {2, 2};
  uint32_t view = builder.op(makeOp(OpKind::reshape, shape), {sum}, square);
  createCaptured(builder.finish({view, x}));
  Tensor inputs[] = {placeFrom(0), placeFrom(1)};
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_EQ(outputs[0].type(), square);
    EXPECT_THAT(read(outputs[0]), ElementsAre(1, 3, 5, 7));
    EXPECT_EQ(outputs[1].data(), inputs[0].data());
  }
  EXPECT_GE(executor->captureCounts().launches, 3);
}

TEST_F(CapturedRunsTest, AValueMayLiveInAnOutput) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {16}}, large{DType::f32, {32}};
  uint32_t x = builder.input(type);
  const int add = adder(builder, 16);
  uint32_t sum = builder.launch(add, {x, x}, type, 64);
  const int spread = addKernelTo(builder, 16, "const float* x, float* out",
                                 "{ out[i] = x[i]; out[i + 16] = x[i]; }");
  uint32_t out = builder.launch(spread, {sum}, large);
  builder.program.slots[sum]->host = int32_t(out);
  createCaptured(builder.finish({out}));
  for (int i = 0; i < 4; ++i) {
    Tensor inputs[] = {place(makeFloats({16}, float(i)))};
    std::vector<Tensor> before = outputs;
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_EQ(read(outputs[0])[15], 2 * (15 + i));
    EXPECT_EQ(read(outputs[0])[31], 2 * (15 + i));
  }
}

/// A kernel reads a slice of an input, and kernels compute the two operands of
/// a concat in its memory, which is that of the output.
TEST_F(CapturedRunsTest, SlicesAreViewsAndConcatsAreInPlace) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {16}}, large{DType::f32, {32}};
  const auto placeIn = [&](uint32_t slot, uint32_t host, int64_t offset) {
    builder.program.slots[slot]->host = int32_t(host);
    builder.program.slots[slot]->arena_offset = offset;
  };
  uint32_t x = builder.input(large);
  const int add = adder(builder, 16);
  fb::SliceAttrsT attrs;
  attrs.starts = {16};
  attrs.limits = {32};
  attrs.strides = {1};
  uint32_t part = builder.op(makeOp(OpKind::slice, attrs), {x}, type);
  placeIn(part, x, 64);
  uint32_t twice = builder.launch(add, {part, part}, type);
  uint32_t thrice = builder.launch(add, {twice, part}, type);
  uint32_t all = builder.op(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 0}),
                            {twice, thrice}, large);
  placeIn(twice, all, 0);
  placeIn(thrice, all, 64);
  createCaptured(builder.finish({all}));
  std::vector<Tensor> before;
  for (int i = 0; i < int(kMax) + 4; ++i) {
    Tensor inputs[] = {place(makeFloats({32}, float(i)))};
    outputs.clear();
    int64_t peak = 0;
    ASSERT_TRUE(executor->run(inputs, outputs, &peak));
    EXPECT_EQ(peak, 128);
    EXPECT_EQ(read(outputs[0])[0], 2 * (16 + i));
    EXPECT_EQ(read(outputs[0])[15], 2 * (31 + i));
    EXPECT_EQ(read(outputs[0])[16], 3 * (16 + i));
    EXPECT_EQ(read(outputs[0])[31], 3 * (31 + i));
    before.push_back(outputs[0]);
    before.push_back(inputs[0]); // So that all addresses are new.
  }
  // The concat does nothing, so the kernels' addresses are patched.
  EXPECT_GT(executor->captureCounts().patches, 0);
}

TEST_F(CapturedRunsTest, ThePeakIsAsPlanned) {
  for (auto program : {chain(100, true), chain(100, false)}) {
    createCaptured(program);
    Tensor inputs[] = {placeFrom(0, 100), placeFrom(1, 100)};
    for (int i = 0; i < 4; ++i) {
      int64_t peak = 0;
      outputs.clear();
      ASSERT_TRUE(executor->run(inputs, outputs, &peak));
      EXPECT_EQ(peak, executor->plannedPeakBytes());
    }
  }
}

TEST_F(CapturedRunsTest, ThreadsShareAnExecutor) {
  createCaptured(chain(100, true));
  const Tensor y = placeFrom(0, 100);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::vector<Tensor> results;
      Tensor inputs[] = {placeFrom(float(i), 100), y};
      for (int run = 0; run < 20; ++run)
        if (executor->run(inputs, results))
          right += read(results[0])[99] == 99 + i + 2 * 99;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 80);
  EXPECT_GT(executor->captureCounts().launches, 0);
}

/// Threads allocate, copy, wait and load kernels while another captures.
TEST_F(CapturedRunsTest, CapturesWhileOtherStreamsWork) {
  std::atomic<bool> isOver{false};
  std::atomic<int> wrong{0};
  auto program = chain(1000, true);
  std::thread other([&] {
    while (!isOver) {
      auto own = *device->createStream();
      auto plain = create(program, own.get());
      Tensor inputs[] = {place(makeFloats({1000}), own.get()),
                         place(makeFloats({1000}), own.get())};
      std::vector<Tensor> results;
      wrong += !plain->run(inputs, results) ||
               read(results[0], own.get())[999] != 2997;
    }
  });
  for (int i = 0; i < 10; ++i) {
    createCaptured(program);
    Tensor x = placeFrom(0, 1000), y = placeFrom(1, 1000);
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(run(x, y), expected(0, 1, 1000));
    EXPECT_EQ(executor->captureFailure(), std::nullopt);
  }
  isOver = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

/// Has one program, of which it counts the compilations.
struct OneProgram : Compiler {
  Expected<Compiled> compile(std::span<const TensorType>) override {
    ++compilations;
    Compiled compiled;
    compiled.program = program;
    TANDEM_ASSIGN_OR_RETURN(compiled.kernels, on->load(*program));
    return compiled;
  }
  Prediction predict(std::span<const TensorType>) const override {
    return {1, 1};
  }
  Device &device() const override { return *on; }

  std::shared_ptr<const Program> program;
  Device *on = nullptr;
  int compilations = 0;
};

TEST_F(CapturedRunsTest, AFunctionCompilesOnceForBothTiers) {
  auto compiler = std::make_shared<OneProgram>();
  compiler->program = chain(4, true);
  compiler->on = device;
  Function function(compiler->program, compiler);
  Tensor inputs[] = {placeFrom(0), placeFrom(1)};
  for (Tier tier :
       {Tier::captured, Tier::compiled, Tier::captured, Tier::captured}) {
    auto results = function.call(inputs, tier);
    ASSERT_TRUE(results) << results.error().str();
    EXPECT_EQ(read(results->front()), expected(0, 1));
  }
  EXPECT_EQ(compiler->compilations, 1);
  const TensorType type{DType::f32, {4}};
  auto prepared = function.prepare(std::vector{type, type}, Tier::captured);
  ASSERT_TRUE(prepared);
  EXPECT_EQ((*prepared)->executor->captureCounts().launches, 2);
}

/// The ops of the device, each so slow that compiling pays.
struct SlowOps final : Provider {
  explicit SlowOps(ProviderList inner) : inner(std::move(inner)) {}
  std::string_view name() const override { return "slow"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    TANDEM_ASSIGN_OR_RETURN(auto op, prepareOp(inner, signature));
    return std::make_unique<Op>(std::move(op));
  }
  struct Op final : PreparedOp {
    explicit Op(std::unique_ptr<PreparedOp> op) : op(std::move(op)) {}
    Status run(const StepContext &context, std::span<const Tensor> operands,
               std::span<Tensor> results) const override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return op->run(context, operands, results);
    }
    int64_t workspaceBytes() const override { return op->workspaceBytes(); }
    std::unique_ptr<PreparedOp> op;
  };
  ProviderList inner;
};

const TensorType kRow{DType::f32, {4, 1}};

/// 2 * x, by an op that takes long, and by the program that is compiled for it.
struct SlowDoubling {
  SlowDoubling(Device *device, std::shared_ptr<const Program> compiled)
      : ops(device->providers()),
        function(eager(), compilerOf(device, std::move(compiled)), options()) {}

  SlowOps ops;
  const Provider *const providers[1] = {&ops};
  Function function;

private:
  static std::shared_ptr<const Program> eager() {
    ProgramBuilder builder;
    uint32_t x = builder.input(kRow);
    uint32_t w = builder.constant({DType::f32, {1, 1}}, {2});
    return builder.finish(
        {builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, w}, kRow)});
  }
  static std::shared_ptr<Compiler>
  compilerOf(Device *device, std::shared_ptr<const Program> compiled) {
    auto compiler = std::make_shared<OneProgram>();
    compiler->program = std::move(compiled);
    compiler->on = device;
    return compiler;
  }
  ExecutorOptions options() const {
    ExecutorOptions options;
    options.providers = providers;
    return options;
  }
};

/// It is not known which of the two is faster here: one is chosen, and results
/// are right all the while.
TEST_F(CapturedRunsTest, TheEngineChoosesBetweenCapturedAndCompiled) {
  ProgramBuilder compiled;
  uint32_t x = compiled.input(kRow);
  const int add = adder(compiled, 4);
  SlowDoubling slow(device,
                    compiled.finish({compiled.launch(add, {x, x}, kRow)}));
  Function &function = slow.function;
  auto isDecided = [&] {
    const FunctionReport report = function.report();
    return std::ranges::any_of(report.events, [](const TieringEvent &event) {
      return event.kind == EventKind::captured ||
             event.kind == EventKind::uncaptured;
    });
  };
  for (int i = 0; i < 500 && !isDecided(); ++i) {
    Tensor inputs[] = {place(makeFloats({4, 1}, float(i)))};
    auto results = function.call(inputs);
    ASSERT_TRUE(results) << results.error().str();
    ASSERT_EQ(read(results->front())[3], 2 * float(i + 3));
    function.wait();
  }
  const SignatureReport report = function.report().signatures.at(0);
  EXPECT_TRUE(isDecided()) << function.report().str();
  EXPECT_EQ(report.state, SignatureState::promoted);
  EXPECT_GE(report.captured.samples, 32u);
  EXPECT_GT(report.captureNs, 0);
}

/// Calls are enqueued faster than they are done. One in 16 is timed, and does
/// not look slow for the sake of the 15 before it, which may be under way.
TEST_F(CapturedRunsTest, WorkUnderWayIsNoPartOfATimedCall) {
  ProgramBuilder compiled;
  uint32_t x = compiled.input(kRow);
  const int slowly = addKernelTo(
      compiled, 4, "const float* x, float* out",
      "{ for (volatile int k = 0; k < 200000; ++k); out[i] = 2 * x[i]; }");
  SlowDoubling slow(device,
                    compiled.finish({compiled.launch(slowly, {x}, kRow)}));
  Function &function = slow.function;
  Tensor inputs[] = {place(makeFloats({4, 1}))};
  for (int i = 0; i < 900; ++i) {
    ASSERT_TRUE(function.call(inputs));
    if (i < 100)
      function.wait();
  }
  const SignatureReport report = function.report().signatures.at(0);
  ASSERT_EQ(report.state, SignatureState::promoted) << function.report().str();
  EXPECT_TRUE(stream->synchronize());
  // What a call takes that is alone.
  std::vector<double> alone;
  for (int i = 0; i < 9; ++i) {
    const Stopwatch watch;
    ASSERT_TRUE(function.call(inputs));
    EXPECT_TRUE(stream->synchronize());
    alone.push_back(watch.ns());
  }
  std::ranges::sort(alone);
  const CallTime &timed =
      report.tier == Tier::captured ? report.captured : report.compiled;
  EXPECT_LT(timed.ns, 5 * alone[4]) << function.report().str();
}

//===----------------------------------------------------------------------===//
// What cannot be captured
//===----------------------------------------------------------------------===//

/// A kernel that waits for its stream.
class WaitingKernel final : public LoadedKernel {
public:
  explicit WaitingKernel(std::shared_ptr<const LoadedKernel> inner)
      : inner(std::move(inner)) {}
  int64_t workspaceBytes(const fb::KernelT &) const override { return 0; }
  Status launch(const fb::KernelT &kernel, const StepContext &context,
                std::span<void *const> args) const override {
    if (Status status = inner->launch(kernel, context, args); !status)
      return status;
    return context.stream.synchronize();
  }

private:
  const std::shared_ptr<const LoadedKernel> inner;
};

TEST_F(CapturedRunsTest, AStepThatWaitsIsRunStepByStep) {
  auto program = chain(4, true);
  ExecutorOptions options;
  options.stream = stream;
  options.capture = true;
  const LoadedKernels kernels = *device->load(*program);
  for (const auto &kernel : kernels)
    options.kernels.push_back(std::make_shared<WaitingKernel>(kernel));
  executor = *Executor::create(program, options);
  Tensor x = placeFrom(0), y = placeFrom(1);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(run(x, y), expected(0, 1));
  EXPECT_EQ(executor->captureCounts().stepByStep, 4);
  ASSERT_TRUE(executor->captureFailure());
  EXPECT_EQ(executor->captureFailure()->str(),
            "test.mlir:1:3: error: execute: kernel: waiting for the stream "
            "cannot be captured");
}

/// Whatever call of the driver's fails, the program runs, and nothing is left.
TEST_F(CapturedRunsTest, ADriverThatRefusesIsNoError) {
  for (const char *function :
       {"cuStreamBeginCapture_v2", "cuStreamEndCapture",
        "cuStreamGetCaptureInfo_v3", "cuGraphInstantiateWithFlags"}) {
    createCaptured(chain(4, true));
    Tensor x = placeFrom(0), y = placeFrom(1);
    EXPECT_EQ(run(x, y), expected(0, 1));
    fake.fail(function, 801, 1);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(run(x, y), expected(0, 1)) << function;
    EXPECT_EQ(executor->captureCounts().stepByStep, 4);
    ASSERT_TRUE(executor->captureFailure()) << function;
    EXPECT_THAT(executor->captureFailure()->message, HasSubstr("801"));
  }
}

/// A graph in which some kernels have other addresses and some do not is a run
/// of neither.
TEST_F(CapturedRunsTest, APatchThatFailsHalfWayIsNotLaunched) {
  createCaptured(chain(4, true));
  std::vector<Tensor> xs, ys;
  for (size_t i = 0; i < kMax + 1; ++i) {
    xs.push_back(placeFrom(float(i)));
    ys.push_back(placeFrom(10 * float(i)));
  }
  auto runNumber = [&](size_t i) {
    EXPECT_EQ(run(xs[i], ys[i]), expected(float(i), 10 * float(i))) << i;
  };
  runNumber(0);
  for (size_t i = 0; i < kMax; ++i)
    runNumber(i);
  EXPECT_EQ(executor->captureCounts().captures, kMax);
  // The second kernel's, of the run that was launched longest ago.
  fake.fail("cuGraphExecKernelNodeSetParams_v2", 1, 2);
  runNumber(kMax);
  EXPECT_EQ(executor->captureCounts().stepByStep, 2);
  // The next result is at the address of those before.
  const std::vector<Tensor> held = outputs;
  runNumber(0);
  runNumber(kMax);
  EXPECT_GE(executor->captureCounts().patches, 1);
  EXPECT_EQ(executor->captureFailure(), std::nullopt);
}

TEST_F(CapturedRunsTest, AnUpdateThatFailsIsInstantiated) {
  createCaptured(kernelsAndLibrary());
  Tensor x = place(makeFloats({4, 1})), y = place(makeFloats({4, 1}));
  std::vector<std::vector<Tensor>> results(kMax + 2);
  for (int round = 0; round < 3; ++round)
    for (std::vector<Tensor> &result : results) {
      fake.fail("cuGraphExecUpdate_v2", 910, 1);
      result.clear();
      EXPECT_THAT(runBeside(x, y, result), ElementsAre(0, 6, 12, 18));
    }
  EXPECT_GT(executor->captureCounts().recaptures, 0);
  EXPECT_EQ(executor->captureFailure(), std::nullopt);
  fake.reset();
}

TEST_F(CapturedRunsTest, DevicesThatCannotSaySo) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {4}};
  uint32_t x = builder.input(type);
  const int add = builder.kernel(4, 4);
  auto program = builder.finish({builder.launch(add, {x, x}, type)});
  ExecutorOptions options;
  options.kernels = fakeKernels({addKernel});
  options.capture = true;
  auto failed = Executor::create(program, options);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message,
              HasSubstr("device 'cpu' captures no work"));
  Status status = checkTier(Tier::captured, hostDevice());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "device 'cpu' has no tier 'captured'");
  EXPECT_EQ(status.error().hint, "its tiers are reference, eager, compiled");
  EXPECT_TRUE(checkTier(Tier::captured, *device));
}

TEST_F(CapturedRunsTest, EagerProgramsAreNotCaptured) {
  ProgramBuilder builder;
  const TensorType type{DType::f32, {2, 2}};
  uint32_t x = builder.input(type);
  uint32_t out =
      builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, x}, type);
  ExecutorOptions options;
  options.stream = stream;
  options.capture = true;
  auto failed = Executor::create(builder.finish({out}), options);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("only compiled programs"));
}

/// In the process of a death test, as nothing is after.
class LostCapture : public CapturedRunsTest {
protected:
  void lose() {
    createCaptured(chain(4, false));
    Tensor x = placeFrom(0), y = placeFrom(1);
    run(x, y);
    run(x, y);
    outputs.clear();
    Tensor inputs[] = {x, y};
    fake.fail("kernel", 700, 2);
    fake.hold(true);
    Status status = executor->run(inputs, outputs);
    fake.hold(false);
    Status waited = stream->synchronize();
    std::fprintf(stderr, "run: %s\nwait: %s\n",
                 status ? "fine" : status.error().str().c_str(),
                 waited ? "fine" : waited.error().str().c_str());
    std::fflush(stderr);
    outputs.clear();
    executor.reset();
    std::_Exit(status && !waited ? 0 : 1);
  }
  /// The device of this process was made without.
  void runWaiting() {
    setenv("TANDEM_CUDA_SYNC", "1", 1);
    auto own = *device->createStream();
    stream = own.get();
    createCaptured(chain(4, true));
    Tensor x = placeFrom(0), y = placeFrom(1);
    run(x, y);
    const bool isRight = run(x, y) == expected(0, 1);
    std::fprintf(stderr, "%s\n", executor->captureFailure()->str().c_str());
    std::fflush(stderr);
    std::_Exit(isRight ? 0 : 1);
  }
};

TEST_F(LostCapture, NamesTheStepsOfTheRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      lose(), testing::ExitedWithCode(0),
      "wait: .*captured work \\(one of kernel_0 at test.mlir:1:3, kernel_0 at "
      "test.mlir:2:3\\): CUDA_ERROR_ILLEGAL_ADDRESS \\(TANDEM_CUDA_SYNC=1 "
      "tells which\\)");
}

TEST_F(LostCapture, StepsAreWaitedForWhereThatIsAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runWaiting(), testing::ExitedWithCode(0),
              "TANDEM_CUDA_SYNC has every step waited for");
}

} // namespace
