//===- DifferentialTest.cpp - Every provider against reference --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Memory/AlignedBytes.h"

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace tandem;
using namespace tandem::test;

namespace {
/// TANDEM_TEST_SEED=N repeats one run.
uint64_t firstSeed() {
  const char *text = std::getenv("TANDEM_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 0) : 1;
}

constexpr int kCasesPerKind = 60;

/// All kinds that have an evaluation by the reference.
std::vector<int> evaluatedKinds() {
  std::vector<int> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (kind != OpKind::custom_call)
      kinds.push_back(int(kind));
  return kinds;
}

class Differential : public testing::TestWithParam<int> {};
} // namespace

TEST_P(Differential, AgreesWithReference) {
  const OpKind kind = OpKind(GetParam());
  int made = 0;
  for (int i = 0; i < kCasesPerKind; ++i) {
    const uint64_t seed = firstSeed() + i;
    SCOPED_TRACE("TANDEM_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 rng(seed * 1000 + GetParam());
    const DType dtype =
        i % 3 == 0 ? DType::f32 : kDTypes[i % std::size(kDTypes)];
    const std::optional<Case> c = randomCase(kind, dtype, rng);
    if (!c)
      continue;
    ++made;
    for (const Provider *provider : eagerProviders())
      if (provider != &referenceProvider())
        checkAgainstReference(*provider, *c);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(made, 0) << "no random case is well formed";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Differential,
                         testing::ValuesIn(evaluatedKinds()),
                         [](const testing::TestParamInfo<int> &info) {
                           return std::string(name(OpKind(info.param)));
                         });

/// Large enough to be shared out over threads, and for the loops' main bodies.
TEST(Differential, LargeTensors) {
  const Provider *const libraries[] = {&eigenProvider()};
  const auto throughFloat = createThroughFloatProvider(libraries);
  const auto random = [](DType dtype, const Shape &shape) {
    Tensor tensor = emptyTensor({dtype, shape});
    fillRandom(tensor, 7);
    return tensor;
  };
  const Shape matrix{700, 500};
  const std::vector<Tensor> pairs[] = {
      {random(DType::f32, matrix), random(DType::f32, matrix)},
      {random(DType::f32, matrix), random(DType::f32, {500})},
      {random(DType::f32, matrix), random(DType::f32, {700, 1})},
      {random(DType::f32, {40000, 3}), random(DType::f32, {3})},
      {random(DType::f32, {}), random(DType::f32, matrix)},
      {random(DType::f16, matrix), random(DType::f16, {500})},
      {random(DType::bf16, {40000, 3}), random(DType::bf16, {3})}};
  for (const auto &pair : pairs)
    for (OpKind kind : {OpKind::add, OpKind::sub, OpKind::max})
      checkAgainstReference(eigenProvider(), {makeOp(kind), pair});
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8}) {
    const Tensor x = random(dtype, {3, 150, 17, 40});
    for (std::vector<int64_t> order :
         {std::vector<int64_t>{0, 3, 1, 2}, {0, 2, 3, 1}, {3, 2, 1, 0}})
      checkAgainstReference(
          eigenProvider(),
          {makeOp(OpKind::transpose, fb::TransposeAttrsT{{}, order}), {x}});
    for (std::vector<int64_t> dims :
         {std::vector<int64_t>{0, 1, 2, 3}, {0, 2}, {1, 3}, {0, 1, 2}, {3}})
      for (fb::ReduceKind kind : {fb::ReduceKind::sum, fb::ReduceKind::max})
        checkAgainstReference(
            dtype == DType::bf16 ? *throughFloat : eigenProvider(),
            {makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, dims}), {x}});
  }
}

/// Lines of several blocks, with equal elements in each, and numbers of
/// elements that are selected several times or not at all.
TEST(Differential, FirstOfLongLines) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8}) {
    Tensor x = emptyTensor({dtype, {2, 1000, 3}});
    fillRandom(x, 11);
    for (int64_t k : {0, 1, 7, 63, 64, 65, 400, 999, 1000})
      for (bool isAscending : {false, true}) {
        fb::TopKAttrsT attrs;
        attrs.axis = 1;
        attrs.k = k;
        attrs.ascending = isAscending;
        checkAgainstReference(eigenProvider(),
                              {makeOp(OpKind::topk, attrs), {x}});
      }
  }
}

/// Transposed convolutions whose products are larger than all their tensors
/// compute these in blocks: one group, several groups, several images, two
/// dims, and a block that ends within a channel's window.
TEST(Differential, WideWindowsOfTransposedConvolutions) {
  struct {
    Shape input, kernel;
    std::string spatial;
    int64_t groups, stride;
  } cases[] = {{{1, 1, 5000}, {1, 1, 512}, "W", 1, 1},
               {{2, 8, 3000}, {8, 3, 100}, "W", 2, 1},
               {{1, 6, 4000}, {6, 1, 300}, "W", 6, 2},
               {{2, 2, 60, 70}, {2, 2, 15, 11}, "HW", 1, 1}};
  for (const auto &c : cases) {
    const std::vector<int64_t> strides(c.spatial.size(), c.stride),
        zeros(c.spatial.size(), 0), ones(c.spatial.size(), 1);
    fb::ConvAttrsT attrs;
    attrs.strides = strides;
    attrs.pad_low = attrs.pad_high = attrs.output_padding = zeros;
    attrs.dilations = ones;
    attrs.groups = c.groups;
    attrs.input_layout = attrs.output_layout = "NC" + c.spatial;
    attrs.kernel_layout = "OI" + c.spatial;
    const OpDesc op = makeOp(OpKind::conv_backward_data, attrs);
    std::vector<Tensor> operands = {
        emptyTensor({DType::f32, c.input}), emptyTensor({DType::f32, c.kernel}),
        emptyTensor({DType::f32, {c.groups * c.kernel[1]}})};
    for (Tensor &operand : operands)
      fillRandom(operand, 5);
    const auto [expected, bounds] = referenceWithBounds({op, operands});
    const TensorType type = expected.type();
    const std::vector<TensorType> types = typesOf(operands);
    auto prepared = prepareOp(eagerProviders(), {op, types, {&type, 1}});
    ASSERT_TRUE(prepared);
    int64_t tensors = type.bytes();
    for (const TensorType &operand : types)
      tensors += operand.bytes();
    // The kernel is copied into another layout. Small ops may take more, so
    // that a block is worth the call.
    EXPECT_LE((*prepared)->workspaceBytes(),
              std::max<int64_t>(tensors, 1 << 18) +
                  alignedBytes(types[1].bytes()) + Allocator::kAlignment)
        << c.kernel.str();
    Tensor result = emptyTensor(type);
    ASSERT_TRUE(runOp(**prepared, operands, {&result, 1}));
    EXPECT_TRUE(compare(expected, result, bounds).agrees()) << c.kernel.str();
  }
}

/// Gradients of weights whose columns are larger than all their tensors compute
/// these in blocks: one group, several groups, one image, and one dim.
TEST(Differential, ManyTapsOfGradientsOfWeights) {
  struct {
    Shape input;
    int64_t outputs, groups, window;
  } cases[] = {{{2, 20, 40, 40}, 8, 1, 9},
               {{1, 20, 40, 40}, 8, 1, 9},
               {{2, 12, 30, 30}, 6, 3, 7},
               {{1, 1, 5000}, 3, 1, 512}};
  for (const auto &c : cases) {
    const auto rank = static_cast<size_t>(c.input.rank() - 2);
    const std::string spatial = std::string("DHW").substr(3 - rank);
    fb::ConvAttrsT attrs;
    attrs.strides = attrs.dilations = std::vector<int64_t>(rank, 1);
    attrs.pad_low = attrs.pad_high = std::vector<int64_t>(rank, 2);
    attrs.window = std::vector<int64_t>(rank, c.window);
    attrs.groups = c.groups;
    attrs.input_layout = attrs.output_layout = "NC" + spatial;
    attrs.kernel_layout = "OI" + spatial;
    Shape positions = c.input;
    positions[1] = c.outputs;
    for (size_t i = 0; i < rank; ++i)
      positions[static_cast<int>(2 + i)] += 4 - c.window + 1;
    const OpDesc op = makeOp(OpKind::conv_backward_weights, attrs);
    // oneDNN has no f64.
    std::vector<Tensor> operands = {emptyTensor({DType::f64, c.input}),
                                    emptyTensor({DType::f64, positions})};
    for (Tensor &operand : operands)
      fillRandom(operand, 5);
    const auto [expected, bounds] = referenceWithBounds({op, operands});
    const TensorType type = expected.type();
    const std::vector<TensorType> types = typesOf(operands);
    auto prepared = prepareOp(eagerProviders(), {op, types, {&type, 1}});
    ASSERT_TRUE(prepared);
    const int64_t tensors = type.bytes() + types[0].bytes() + types[1].bytes();
    // The tensors are copied into other layouts, too. Small ops may take more,
    // so that a block is worth the call.
    EXPECT_LE((*prepared)->workspaceBytes(),
              tensors + std::max<int64_t>(tensors, 3 << 17) +
                  4 * Allocator::kAlignment)
        << c.input.str();
    Tensor result = emptyTensor(type);
    ASSERT_TRUE(runOp(**prepared, operands, {&result, 1}));
    EXPECT_TRUE(compare(expected, result, bounds).agrees()) << c.input.str();
  }
}

/// A prepared op is run by many threads at a time.
TEST(Differential, PreparedOpsAreReentrant) {
  std::mt19937_64 rng(firstSeed());
  for (OpKind kind :
       {OpKind::conv, OpKind::conv_backward_data, OpKind::conv_backward_weights,
        OpKind::matmul, OpKind::softmax, OpKind::add, OpKind::batch_norm,
        OpKind::avg_pool, OpKind::resize, OpKind::scan, OpKind::fft}) {
    const std::optional<Case> c = randomCase(kind, DType::f32, rng);
    ASSERT_TRUE(c);
    const auto [expected, bounds] = referenceWithBounds(*c);
    const std::vector<TensorType> types = typesOf(c->operands);
    const std::span<const TensorType> results(&expected.type(), 1);
    auto prepared = prepareOp(eagerProviders(), {c->op, types, results});
    ASSERT_TRUE(prepared);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          Tensor result = *Tensor::allocate(expected.type());
          const bool ran =
              runOp(**prepared, c->operands, {&result, 1}).has_value();
          wrong += !ran || !compare(expected, result, bounds).agrees();
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0) << c->describe();
  }
}

/// Weights that are constants are converted once, ahead, and not read again
/// where they have been.
TEST(Differential, ConstantWeightsAreConvertedAhead) {
  std::mt19937_64 rng(firstSeed());
  int converted = 0;
  for (int i = 0; i < 200; ++i) {
    const OpKind kind = i % 2 ? OpKind::conv : OpKind::matmul;
    const std::optional<Case> c = randomCase(kind, DType::f32, rng);
    if (!c || !supports(oneDNNProvider(), c->op, c->operands))
      continue;
    const auto [expected, bounds] = referenceWithBounds(*c);
    const std::vector<TensorType> types = typesOf(c->operands);
    const std::span<const TensorType> results(&expected.type(), 1);
    std::vector<Tensor> constants(c->operands.size());
    constants[1] = c->operands[1];
    auto plain = oneDNNProvider().prepare({c->op, types, results});
    auto ahead = oneDNNProvider().prepare({c->op, types, results, constants});
    ASSERT_TRUE(plain && *plain && ahead && *ahead) << c->describe();
    if (kind == OpKind::conv)
      EXPECT_LE((*ahead)->workspaceBytes(), (*plain)->workspaceBytes());
    std::vector<Tensor> operands = c->operands;
    if ((*ahead)->workspaceBytes() < (*plain)->workspaceBytes()) {
      ++converted;
      operands[1] = emptyTensor(types[1]);
      std::memset(operands[1].data(), 0xFF, operands[1].bytes());
    }
    Tensor result = emptyTensor(expected.type());
    ASSERT_TRUE(runOp(**ahead, operands, {&result, 1}));
    EXPECT_TRUE(compare(expected, result, bounds).agrees()) << c->describe();
  }
  EXPECT_GT(converted, 10);
}

/// Rows of one element, of each width, and of more blocks than a task takes.
TEST(Differential, GathersSingleElements) {
  const Tensor indices =
      tensorOf(DType::i64, {11}, {6, -3, 0, 1, 5, 5, 9, 2, 3, 4, 6});
  for (DType dtype : {DType::i8, DType::f16, DType::f32, DType::f64}) {
    std::vector<double> values;
    for (int i = 0; i < 5000 * 7; ++i)
      values.push_back(i % 101 - 50);
    checkAgainstReference(eigenProvider(),
                          {makeOp(OpKind::gather, fb::GatherAttrsT{{}, 1}),
                           {tensorOf(dtype, {5000, 7}, values), indices}});
  }
}

/// Ops are prepared by many threads at a time.
TEST(Differential, PreparesOnManyThreads) {
  std::atomic<int> wrong = 0, compared = 0;
  const auto work = [&](int thread) {
    std::mt19937_64 rng(firstSeed() * 100 + thread);
    for (int i = 0; i < 200; ++i) {
      const OpKind kind = i % 4 ? OpKind::conv : OpKind::matmul;
      const std::optional<Case> c = randomCase(kind, DType::f32, rng);
      if (!c || !supports(oneDNNProvider(), c->op, c->operands))
        continue;
      const auto expected = evaluateWithBounds(c->op, c->operands);
      const Expected<Tensor> actual = run(oneDNNProvider(), c->op, c->operands);
      wrong += !expected || !actual ||
               !compare((*expected)[0].value, *actual, (*expected)[0].bounds)
                    .agrees();
      ++compared;
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(compared, 100);
}

TEST(PrepareOp, NamesWhatNobodyExecutes) {
  OpDesc op = makeOp(OpKind::custom_call);
  const TensorType type{DType::f32, {2, 3}};
  auto prepared = prepareOp(eagerProviders(), {op, {&type, 1}, {&type, 1}});
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message.find(
                "custom_call on (tensor<2x3xf32>) -> (tensor<2x3xf32>)"),
            std::string::npos)
      << prepared.error().str();
  EXPECT_NE(prepared.error().hint.find(
                "onednn, through f32, eigen, columns, custom calls, "
                "reference"),
            std::string::npos);
}

TEST(PrepareOp, PrefersLibraries) {
  std::mt19937_64 rng(3);
  const auto chosen = [&](OpKind kind, DType dtype) -> std::string_view {
    const std::optional<Case> c = randomCase(kind, dtype, rng);
    const std::vector<TensorType> types = typesOf(c->operands);
    const TensorType result = *inferType(c->op, types);
    for (const Provider *provider : eagerProviders())
      if (*provider->prepare({c->op, types, {&result, 1}}))
        return provider->name();
    return "";
  };
  EXPECT_EQ(chosen(OpKind::conv, DType::f32), "onednn");
  EXPECT_EQ(chosen(OpKind::matmul, DType::f32), "onednn");
  EXPECT_EQ(chosen(OpKind::add, DType::f32), "eigen");
  EXPECT_EQ(chosen(OpKind::matmul, DType::f64), "eigen");
  EXPECT_EQ(chosen(OpKind::conv, DType::f64), "reference");
}
