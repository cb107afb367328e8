//===- ContractionsTest.cpp - conv and matmul by the fake libraries -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

#include "background/BackgroundQueue.h"

#include <chrono>
#include <latch>
#include <thread>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

class ContractionsTest : public LibraryTest,
                         public testing::WithParamInterface<DType> {
protected:
  /// The op by the provider, which must agree with the reference. False where
  /// the provider has none.
  bool check(const Provider &provider, const Case &c) {
    SCOPED_TRACE(c.describe());
    const std::vector<TensorType> types = typesOf(c.operands);
    const TensorType type = *inferType(c.op, types);
    auto op = provider.prepare({c.op, types, {&type, 1}});
    EXPECT_TRUE(op) << op.error().str();
    if (!op || !*op)
      return false;
    const BoundedTensor expected = referenceWithBounds(c);
    const Expected<Tensor> actual = run(**op, c.operands, type);
    EXPECT_TRUE(actual) << actual.error().str();
    if (actual) {
      const Difference difference =
          compare(expected.value, *actual, expected.bounds);
      EXPECT_TRUE(difference.agrees())
          << "expected " << difference.expected << ", got " << difference.actual
          << " at " << difference.worstIndex;
    }
    return true;
  }
  /// The number of `cases` random cases that the provider has.
  int checkRandom(OpKind kind, const Provider &provider, int cases) {
    std::mt19937_64 rng(int(GetParam()) + 1);
    int run = 0;
    for (int i = 0; i < cases && !HasFailure(); ++i)
      if (const auto c = randomCase(kind, GetParam(), rng))
        run += check(provider, *c);
    return run;
  }
};

TEST_P(ContractionsTest, ConvsAgreeWithTheReference) {
  EXPECT_GT(checkRandom(OpKind::conv, *libraries->providers({})[0], 150), 120);
}

/// Ops whose results end behind the last window are left to other kernels.
TEST_P(ContractionsTest, TransposedConvsAgreeWithTheReference) {
  EXPECT_GT(checkRandom(OpKind::conv_backward_data,
                        *libraries->providers({})[0], 150),
            30);
}

TEST_P(ContractionsTest, GradientsOfWeightsAgreeWithTheReference) {
  EXPECT_GT(checkRandom(OpKind::conv_backward_weights,
                        *libraries->providers({})[0], 150),
            30);
}

TEST_P(ContractionsTest, MatmulsAgreeWithTheReference) {
  // All but those of too many products.
  EXPECT_GT(checkRandom(OpKind::matmul, *libraries->providers({})[1], 150),
            130);
}

/// A convolution of 4 x 4 images without padding.
Case plainConv(DType dtype, int64_t channels, int64_t groups,
               const std::vector<double> &data,
               const std::vector<double> &weights) {
  fb::ConvAttrsT attrs;
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "OHWI";
  attrs.pad_low = attrs.pad_high = {0, 0};
  attrs.strides = attrs.dilations = {1, 1};
  attrs.groups = groups;
  return {makeOp(OpKind::conv, attrs),
          {tensorOf(dtype, {2, 4, 4, channels}, data),
           tensorOf(dtype, {6, 3, 3, channels / groups}, weights)}};
}

// The engines that are proposed first for f16 include one that makes 0 of -inf
// and one that mixes groups.

TEST_P(ContractionsTest, ConvsKeepInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(check(*libraries->providers({})[0],
                    plainConv(GetParam(), 8, 1, std::vector<double>(256, 1),
                              std::vector<double>(432, -infinity))));
}

TEST_P(ContractionsTest, ConvsKeepGroupsApart) {
  std::vector<double> data(480, 1);
  for (size_t i = 7; i < data.size(); i += 45)
    data[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      check(*libraries->providers({})[0],
            plainConv(GetParam(), 15, 3, data, std::vector<double>(270, 0.5))));
}

INSTANTIATE_TEST_SUITE_P(Floats, ContractionsTest, testing::ValuesIn(kFloats),
                         [](const testing::TestParamInfo<DType> &info) {
                           return std::string(name(info.param));
                         });

/// conv and matmul of one spatial dim or one batch, by hand.
class CasesTest : public LibraryTest {
protected:
  Case conv(Shape input, Shape kernel, fb::ConvAttrsT attrs,
            const std::string &in = "NHWC", const std::string &weights = "OHWI",
            const std::string &out = "NHWC") {
    attrs.input_layout = in;
    attrs.kernel_layout = weights;
    attrs.output_layout = out;
    const size_t spatial = in.size() - 2;
    if (attrs.pad_low.empty())
      attrs.pad_low = attrs.pad_high = std::vector<int64_t>(spatial, 0);
    attrs.strides.resize(spatial, 1);
    attrs.dilations.resize(spatial, 1);
    std::mt19937_64 rng(5);
    return {makeOp(OpKind::conv, attrs),
            {integers({DType::f32, input}, rng),
             integers({DType::f32, kernel}, rng)}};
  }
  Case matmul(Shape lhs, Shape rhs, bool transposeLhs = false,
              bool transposeRhs = false) {
    std::mt19937_64 rng(7);
    return {
        makeOp(OpKind::matmul,
               fb::MatmulAttrsT{{}, transposeLhs, transposeRhs}),
        {integers({DType::f32, lhs}, rng), integers({DType::f32, rhs}, rng)}};
  }
  /// Null where the provider has none.
  std::unique_ptr<PreparedOp> prepare(const Case &c,
                                      const LibraryOptions &options = {}) {
    const std::vector<TensorType> types = typesOf(c.operands);
    const TensorType type = *inferType(c.op, types);
    const int index = c.op.kind == OpKind::matmul;
    auto op = libraries->providers(options)[size_t(index)]->prepare(
        {c.op, types, {&type, 1}});
    EXPECT_TRUE(op) << op.error().str();
    return op ? std::move(*op) : nullptr;
  }
  void expectRight(const Case &c) {
    SCOPED_TRACE(c.describe());
    const auto op = prepare(c);
    ASSERT_TRUE(op);
    const Tensor expected = reference(c.op, c.operands);
    const auto actual = run(*op, c.operands, expected.type());
    ASSERT_TRUE(actual) << actual.error().str();
    EXPECT_EQ(valuesOf(*actual), valuesOf(expected));
  }
};

TEST_F(CasesTest, LayoutsOfCUDNNTakeNoConversion) {
  for (const char *kernel : {"OHWI", "OIHW"})
    for (const char *image : {"NHWC", "NCHW"}) {
      const Shape in = image[1] == 'H' ? Shape{2, 6, 5, 4} : Shape{2, 4, 6, 5};
      const Shape weights =
          kernel[1] == 'H' ? Shape{3, 3, 2, 4} : Shape{3, 4, 3, 2};
      const Case c = conv(in, weights, {}, image, kernel, image);
      EXPECT_EQ(prepare(c)->workspaceBytes(), 4096);
      expectRight(c);
    }
  // Weights in any other order are transposed in the workspace.
  const Case c = conv({2, 6, 5, 4}, {3, 2, 4, 3}, {}, "NHWC", "HWIO");
  EXPECT_EQ(prepare(c)->workspaceBytes(), 4096 + 320);
  expectRight(c);
  // But those of one channel are in no order.
  EXPECT_EQ(prepare(conv({2, 6, 5, 1}, {3, 1, 1, 1}, {}, "NHWC", "HWIO"))
                ->workspaceBytes(),
            4096);
}

/// The kernels that come with the runtime do what HostKernels does here.
TEST_F(CasesTest, TheDevicesOwnKernelsTranspose) {
  for (const char *out : {"NHWC", "HNWC"}) {
    const Case c = conv({2, 6, 5, 4}, {3, 2, 4, 3}, {}, "NHWC", "HWIO", out);
    const std::vector<TensorType> types = typesOf(c.operands);
    const Tensor expected = reference(c.op, c.operands);
    const auto op =
        device->providers()[0]->prepare({c.op, types, {&expected.type(), 1}});
    ASSERT_TRUE(op && *op) << c.describe();
    EXPECT_GT((*op)->workspaceBytes(), 4096);
    const auto actual = run(**op, c.operands, expected.type());
    ASSERT_TRUE(actual) << actual.error().str();
    EXPECT_EQ(valuesOf(*actual), valuesOf(expected));
  }
}

TEST_F(CasesTest, WeightsThatAreConstantsAreTransposedOnce) {
  const Case c = conv({2, 6, 5, 4}, {3, 2, 4, 3}, {}, "NHWC", "HWIO");
  const std::vector<TensorType> types = typesOf(c.operands);
  const Tensor expected = reference(c.op, c.operands);
  std::vector<Tensor> constants(2);
  constants[1] = copyToDevice({&c.operands[1], 1}, *stream)->front();
  ASSERT_TRUE(prepare(c)); // With its engine's trial.
  ASSERT_TRUE(stream->synchronize());
  constexpr size_t kWeightBytes = 3 * 2 * 4 * 3 * 4;
  const size_t before = fake.liveBytes();
  size_t held = 0;
  {
    auto op = libraries->providers({})[0]->prepare(
        {c.op, types, {&expected.type(), 1}, constants});
    ASSERT_TRUE(op && *op);
    EXPECT_EQ((*op)->workspaceBytes(), 4096);
    EXPECT_EQ(fake.liveBytes(), before + kWeightBytes);
    // It has what it needs of them.
    std::vector<Tensor> operands = c.operands;
    operands[1] = tensorOf(DType::f32, {3, 2, 4, 3},
                           std::vector<double>(72, std::nan("")));
    const auto actual = run(**op, operands, expected.type());
    ASSERT_TRUE(actual) << actual.error().str();
    EXPECT_EQ(valuesOf(*actual), valuesOf(expected));
    held = fake.liveBytes();
  }
  EXPECT_EQ(fake.liveBytes(), held - kWeightBytes);
}

TEST_F(CasesTest, PaddingIsMadeEvenWhereThatMakesNoDifference) {
  fb::ConvAttrsT attrs;
  attrs.strides = {2, 2};
  attrs.pad_low = {1, 1};
  attrs.pad_high = {0, 0};
  // The last window of an image of size 7 ends at the second padding; that of
  // size 6 does not reach it, so that more engines have the case: the fake's
  // other engine has workspace.
  const Case uneven = conv({1, 7, 7, 2}, {2, 3, 3, 2}, attrs),
             even = conv({1, 6, 6, 2}, {2, 3, 3, 2}, attrs);
  EXPECT_EQ(prepare(uneven)->workspaceBytes(), 0);
  EXPECT_EQ(prepare(even)->workspaceBytes(), 4096);
  expectRight(uneven);
  expectRight(even);
}

TEST_F(CasesTest, OtherTypesAndEmptyTensorsAreLeftToOthers) {
  Case c = conv({1, 4, 4, 2}, {2, 3, 3, 2}, {});
  c.operands[0] = emptyTensor({DType::f32, {0, 4, 4, 2}});
  EXPECT_EQ(prepare(c), nullptr);
  c = matmul({3, 4}, {4, 5});
  for (Tensor &operand : c.operands)
    operand = emptyTensor({DType::i32, operand.shape()});
  EXPECT_EQ(prepare(c), nullptr);
  EXPECT_EQ(prepare(matmul({0, 4}, {4, 5})), nullptr);
  // By each provider: neither takes the other's op.
  const std::vector<TensorType> types =
      typesOf(matmul({3, 4}, {4, 5}).operands);
  const TensorType type{DType::f32, {3, 5}};
  EXPECT_EQ(*libraries->providers({})[0]->prepare({c.op, types, {&type, 1}}),
            nullptr);
}

TEST_F(CasesTest, BatchesAreOneCallWhereTheyCan) {
  // The batches are computed as rows, by stride, over all matrices of one side,
  // and by a call for each.
  expectRight(matmul({3, 4, 5}, {5, 6}));
  expectRight(matmul({3, 4, 5}, {3, 5, 6}));
  expectRight(matmul({4, 5}, {3, 5, 6}));
  expectRight(matmul({3, 5, 4}, {5, 6}, true));
  expectRight(matmul({2, 1, 4, 5}, {1, 3, 5, 6}, false));
  expectRight(matmul({2, 1, 5, 4}, {1, 3, 6, 5}, true, true));
  // Calls whose matrices are not aligned have other algorithms.
  EXPECT_EQ(prepare(matmul({2, 1, 4, 4}, {1, 3, 4, 4}))->workspaceBytes(),
            1024);
  EXPECT_EQ(prepare(matmul({2, 1, 3, 5}, {1, 3, 5, 3}))->workspaceBytes(), 0);
  // Too many calls.
  EXPECT_EQ(prepare(matmul({65, 1, 2, 2}, {1, 2, 2, 2})), nullptr);
}

/// A product of matrices of i8, every third element of which is the least one.
Case byteMatmul(const Shape &lhs, const Shape &rhs, bool transposeLhs = false,
                bool transposeRhs = true, DType data = DType::i8) {
  fb::MatmulAttrsT attrs{{}, transposeLhs, transposeRhs};
  attrs.widen = true;
  Case c{makeOp(OpKind::matmul, attrs),
         {emptyTensor({data, lhs}), emptyTensor({DType::i8, rhs})}};
  std::mt19937_64 rng(11);
  for (const Tensor &operand : c.operands)
    for (int64_t i = 0; i < operand.bytes(); ++i)
      operand.as<uint8_t>()[i] = i % 3 == 0 ? 128 : uint8_t(rng());
  return c;
}

TEST_F(CasesTest, ProductsOfBytes) {
  expectRight(byteMatmul({3, 8}, {4, 8}));
  expectRight(byteMatmul({2, 5, 64}, {12, 64}));
  expectRight(byteMatmul({2, 3, 8}, {2, 4, 8}));
  expectRight(byteMatmul({2, 1, 5, 4}, {1, 3, 8, 4}));
  // Rows of 4 bytes are aligned to less than a vector.
  EXPECT_EQ(prepare(byteMatmul({2, 1, 5, 4}, {1, 3, 4, 4}))->workspaceBytes(),
            0);
}

/// What cuBLASLt does not document, or does not have.
TEST_F(CasesTest, OtherProductsOfBytesAreLeftToOthers) {
  EXPECT_EQ(prepare(byteMatmul({3, 8}, {8, 4}, false, false)), nullptr);
  EXPECT_EQ(prepare(byteMatmul({8, 3}, {4, 8}, true)), nullptr);
  EXPECT_EQ(prepare(byteMatmul({3, 6}, {4, 6})), nullptr);
  EXPECT_EQ(prepare(byteMatmul({3, 8}, {5, 8})), nullptr);
  EXPECT_EQ(prepare(byteMatmul({3, 8}, {4, 8}, false, true, DType::ui8)),
            nullptr);
  EXPECT_EQ(prepare(byteMatmul({3, 0}, {4, 0})), nullptr);
  // 2^17 products of -128 and -128 do not fit in 31 bits.
  EXPECT_EQ(prepare(byteMatmul({1, 1 << 17}, {4, 1 << 17})), nullptr);
  EXPECT_NE(prepare(byteMatmul({1, (1 << 17) - 4}, {4, (1 << 17) - 4})),
            nullptr);
}

/// A convolution of i8 over all values, with more products of each sum than f32
/// represents exactly.
Case byteConv(const Shape &input, const Shape &kernel,
              const std::string &in = "NHWC",
              const std::string &weights = "OHWI", int64_t groups = 1) {
  fb::ConvAttrsT attrs;
  attrs.input_layout = attrs.output_layout = in;
  attrs.kernel_layout = weights;
  attrs.pad_low = attrs.pad_high = {1, 1};
  attrs.strides = attrs.dilations = {1, 1};
  attrs.groups = groups;
  Case c{makeOp(OpKind::conv, attrs),
         {emptyTensor({DType::i8, input}), emptyTensor({DType::i8, kernel})}};
  std::mt19937_64 rng(13);
  for (const Tensor &operand : c.operands)
    for (int64_t i = 0; i < operand.bytes(); ++i)
      operand.as<uint8_t>()[i] = i % 3 == 0 ? uint8_t(rng()) : 128 + i % 2;
  return c;
}

/// The first engine that is proposed rounds sums to f32, the second saturates.
TEST_F(CasesTest, ConvsOfBytes) {
  constexpr int64_t kRounding = 1024, kExact = 2048;
  const std::pair<Case, int64_t> cases[] = {
      // f32 represents sums of few products exactly.
      {byteConv({2, 5, 6, 8}, {4, 3, 3, 8}), kRounding},
      {byteConv({1, 3, 3, 3}, {2, 1, 1, 3}), kRounding},
      {byteConv({1, 4, 4, 12}, {6, 3, 3, 4}, "NHWC", "OHWI", 3), kRounding},
      {byteConv({1, 4, 4, 130}, {6, 3, 3, 130}), kExact},
      // The sums of few more than 1024 products barely exceed 2^24.
      {byteConv({1, 4, 4, 1056}, {4, 1, 1, 1056}), kExact},
      {byteConv({1, 4, 4, 120}, {4, 3, 3, 120}), kExact},
      {byteConv({1, 2, 2, 1100}, {70, 1, 1, 1100}), kExact}};
  for (const auto &[c, workspaceBytes] : cases) {
    EXPECT_EQ(prepare(c)->workspaceBytes(), workspaceBytes);
    expectRight(c);
  }
  // Other layouts are transposed.
  const Case first = byteConv({1, 130, 4, 5}, {4, 130, 3, 3}, "NCHW", "OIHW");
  EXPECT_GT(prepare(first)->workspaceBytes(), kExact);
  expectRight(first);
}

/// Sums of 2^17 products of -128 and -128 do not fit in 31 bits.
TEST_F(CasesTest, OtherConvsOfBytesAreLeftToOthers) {
  Case c = byteConv({1, 3, 3, 8}, {4, 3, 3, 8});
  c.operands[0] = emptyTensor({DType::ui8, c.operands[0].shape()});
  EXPECT_EQ(prepare(c), nullptr);
  EXPECT_EQ(prepare(byteConv({1, 2, 2, 1 << 17}, {1, 1, 1, 1 << 17})), nullptr);
}

/// Kernels that compute no convolution, but take this time for one.
class TimedKernels final : public Provider {
public:
  TimedKernels(const Provider &others, std::chrono::milliseconds time)
      : others(others), time(time) {}
  std::string_view name() const override { return "timed"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    if (signature.op.kind != OpKind::conv)
      return others.prepare(signature);
    return std::make_unique<Conv>(time, runs);
  }

  mutable std::atomic<int> runs = 0;

private:
  struct Conv final : PreparedOp {
    Conv(std::chrono::milliseconds time, std::atomic<int> &runs)
        : time(time), runs(runs) {}
    Status run(const StepContext &context, std::span<const Tensor>,
               std::span<Tensor>) const override {
      ++runs;
      std::this_thread::sleep_for(time);
      return {};
    }
    const std::chrono::milliseconds time;
    std::atomic<int> &runs;
  };
  const Provider &others;
  const std::chrono::milliseconds time;
};

TEST_F(CasesTest, ConvsOfBytesAreTakenWhereTheyAreFaster) {
  using namespace std::chrono_literals;
  const Case c = byteConv({1, 4, 4, 8}, {4, 3, 3, 8});
  const TimedKernels slow(kernels, 50ms), fast(kernels, 0ms);
  libraries = cuda::DeviceLibraries::create(*context, *device, &slow);
  EXPECT_NE(prepare(c), nullptr);
  // What is known is not measured again.
  const int runs = slow.runs;
  EXPECT_GT(runs, 0);
  expectRight(c);
  EXPECT_EQ(slow.runs, runs);
  libraries = cuda::DeviceLibraries::create(*context, *device, &fast);
  EXPECT_EQ(prepare(c), nullptr);
}

/// Strict f32 is never computed with operands of 10 bits.
TEST_F(CasesTest, PrecisionIsAsAsked) {
  const LibraryOptions tf32{Precision::tf32, false};
  Case c = conv({1, 3, 3, 4}, {1, 1, 1, 4}, {});
  Case product = matmul({3, 4}, {4, 5});
  const float odd = 1 + 0x1p-20f;
  for (Case *each : {&c, &product})
    for (Tensor &operand : each->operands)
      std::fill_n(operand.as<float>(), operand.shape().numElements(), odd);
  for (const Case *each : {&c, &product}) {
    const Tensor exact = reference(each->op, each->operands);
    const auto strict = run(*prepare(*each), each->operands, exact.type());
    const auto rounded =
        run(*prepare(*each, tf32), each->operands, exact.type());
    ASSERT_TRUE(strict && rounded);
    EXPECT_EQ(valuesOf(*strict), valuesOf(exact));
    EXPECT_EQ(rounded->as<float>()[0], 4);
  }
}

TEST_F(CasesTest, PlansAreKept) {
  cudnn::Session session(*context, *device);
  ASSERT_TRUE(session.open());
  const Case c = conv({1, 4, 4, 2}, {2, 3, 3, 2}, {});
  const std::vector<TensorType> types = typesOf(c.operands);
  const TensorType type = *inferType(c.op, types);
  auto problem = cudnn::ConvProblem::of({{c.op, types, {&type, 1}}});
  ASSERT_TRUE(problem && problem->packLayouts());
  const auto first = session.planner().plan(*problem, {});
  ASSERT_TRUE(first && *first);
  // Nothing is asked for twice.
  fake.fail("cudnnBackendCreateDescriptor", 4000, 1);
  EXPECT_EQ(*session.planner().plan(*problem, {}), *first);
  problem->alignment = 4;
  EXPECT_FALSE(session.planner().plan(*problem, {}));
  EXPECT_NE(*session.planner().plan(*problem, {}), *first);
}

/// Keeps the background thread while it lives.
class BackgroundPause {
public:
  BackgroundPause() {
    EXPECT_TRUE(queue.add(std::make_shared<Job>(*this)));
    begun.wait();
  }
  ~BackgroundPause() {
    over.count_down();
    queue.wait(this);
  }

private:
  struct Job final : tiering::BackgroundJob {
    explicit Job(BackgroundPause &pause) : BackgroundJob(&pause), pause(pause) {
      setUrgent();
    }
    void run() override {
      pause.begun.count_down();
      pause.over.wait();
    }
    void cancel() override {}
    BackgroundPause &pause;
  };
  tiering::BackgroundQueue &queue = tiering::BackgroundQueue::process();
  std::latch begun{1}, over{1};
};

/// A planner that counts how often it asks the heuristics.
class CountingPlanner {
public:
  CountingPlanner() {
    asked = 0;
    library.createDescriptor = [](int kind, void **descriptor) {
      asked += kind == cudnn::Kind::heuristics;
      return cuda::cudnn()->createDescriptor(kind, descriptor);
    };
    EXPECT_EQ(library.create(&own), cuda::kSuccess);
    EXPECT_EQ(library.create(&background), cuda::kSuccess);
    planner.emplace(library, own, [this] { return background; });
  }
  ~CountingPlanner() {
    planner.reset();
    library.destroy(own);
    library.destroy(background);
  }
  std::shared_ptr<const cudnn::PlanChoice> choose(const Case &c) {
    const std::vector<TensorType> types = typesOf(c.operands);
    const TensorType type = *inferType(c.op, types);
    auto problem = cudnn::ConvProblem::of({{c.op, types, {&type, 1}}});
    cudnn::PlanOptions options;
    options.nearestFirst = true;
    EXPECT_TRUE(problem && problem->packLayouts());
    auto chosen = planner->choose(*problem, options);
    EXPECT_TRUE(chosen && *chosen);
    return *chosen;
  }

  static inline std::atomic<int> asked = 0;
  std::optional<cudnn::Planner> planner;

private:
  cuda::CUDNN library = *cuda::cudnn();
  cudnnContext *own = nullptr, *background = nullptr;
};

TEST_F(CasesTest, OtherSizesBeginOnTheNearestOnesEngine) {
  CountingPlanner counting;
  const Case eight = conv({1, 8, 4, 4}, {4, 3, 3, 4}, {});
  const Case nine = conv({1, 9, 4, 4}, {4, 3, 3, 4}, {});
  const auto known = counting.choose(eight);
  const int before = counting.asked;
  EXPECT_GT(before, 0);
  std::shared_ptr<const cudnn::PlanChoice> other;
  {
    const BackgroundPause pause;
    other = counting.choose(nine);
    EXPECT_EQ(counting.asked, before);
    EXPECT_EQ(other->first->engine, known->first->engine);
    EXPECT_EQ(other->first->choice.knobs, known->first->choice.knobs);
    EXPECT_FALSE(known->first->choice.knobs.empty());
    EXPECT_EQ(&other->now(), other->first.get());
    EXPECT_EQ(counting.choose(nine), other);
  }
  counting.planner->wait();
  EXPECT_GT(counting.asked, before);
  EXPECT_NE(&other->now(), other->first.get());
  EXPECT_EQ(&other->now(), counting.choose(nine)->first.get());
}

/// The first plan is the best one if nothing may be done in the background.
TEST_F(CasesTest, WithoutBackgroundWorkOtherSizesAreAskedForAtOnce) {
  CountingPlanner counting;
  const Case eight = conv({1, 8, 4, 4}, {4, 3, 3, 4}, {});
  const Case nine = conv({1, 9, 4, 4}, {4, 3, 3, 4}, {});
  counting.choose(eight);
  const int before = counting.asked;
  const BackgroundPause pause;
  allowBackgroundWork(false);
  const auto other = counting.choose(nine);
  allowBackgroundWork(true);
  EXPECT_GT(counting.asked, before);
  EXPECT_EQ(&other->now(), other->first.get());
}

TEST_F(CasesTest, WhatTheNearestOnesEngineRefusesIsPlannedAtOnce) {
  CountingPlanner counting;
  const Case eight = conv({1, 8, 4, 4}, {4, 3, 3, 4}, {});
  const Case nine = conv({1, 9, 4, 4}, {4, 3, 3, 4}, {});
  counting.choose(eight);
  const int before = counting.asked;
  const BackgroundPause pause;
  fake.fail("cudnnBackendFinalize", 3000, 1);
  const auto other = counting.choose(nine);
  EXPECT_GT(counting.asked, before);
  EXPECT_EQ(&other->now(), other->first.get());
}

/// While it runs, a convolution's plan is replaced.
TEST_F(CasesTest, APlanMayBecomeBetterBetweenRuns) {
  EXPECT_NE(prepare(conv({1, 8, 4, 4}, {4, 3, 3, 4}, {})), nullptr);
  const Case c = conv({1, 9, 4, 4}, {4, 3, 3, 4}, {});
  const auto op = prepare(c);
  ASSERT_NE(op, nullptr);
  const Tensor expected = reference(c.op, c.operands);
  for (int i = 0; i < 20; ++i) {
    const auto result = run(*op, c.operands, expected.type());
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(valuesOf(*result), valuesOf(expected));
  }
}

/// The fake reports a handle that two threads use at a time.
TEST_F(CasesTest, ManyThreadsPrepare) {
  std::vector<std::thread> threads;
  std::atomic<int> prepared{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int64_t size = 4; size < 24; ++size)
        prepared +=
            prepare(conv({1, size, 4 + i % 2, 2}, {2, 3, 3, 2}, {})) != nullptr;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(prepared, 80);
}

/// An op is prepared once and runs on many streams at a time.
TEST_F(CasesTest, PreparedOpsAreReentrant) {
  for (const Case &c : {conv({2, 6, 5, 4}, {3, 2, 4, 3}, {}, "NHWC", "HWIO"),
                        matmul({8, 16}, {16, 8})}) {
    const auto op = prepare(c);
    const Tensor expected = reference(c.op, c.operands);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const auto own = *device->createStream();
        for (int repeat = 0; repeat < 5; ++repeat) {
          const auto there = *copyToDevice(c.operands, *own);
          Tensor result = *Tensor::allocate(expected.type(), own->allocator());
          if (runOp(*op, there, {&result, 1}, *own))
            right += valuesOf(copyToHost({&result, 1}, *own)->front()) ==
                     valuesOf(expected);
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(right, 20);
  }
}

} // namespace
