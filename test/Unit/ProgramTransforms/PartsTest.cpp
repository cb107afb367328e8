//===- PartsTest.cpp - Slices that are views, concats in place ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <gmock/gmock.h>
#include <random>

using namespace tandem;
using namespace tandem::test;
using ::testing::HasSubstr;

namespace {

using Steps = std::vector<std::optional<size_t>>;

uint32_t addConstant(Builder &b, int64_t size) {
  const uint32_t slot = b.slot({size});
  b.program.constants.push_back(
      {slot, *Tensor::allocate({DType::f32, {size}})});
  return slot;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

TEST(Views, SlicesOfInputsAreViews) {
  Builder b;
  b.kernel({});
  const uint32_t w = b.input({128});
  const uint32_t slice = b.slice(w, 32, 96);
  const uint32_t matrix = b.step(OpKind::reshape, slice, {8, 8});
  const uint32_t inner = b.slice(slice, 16, 48);
  b.plan({b.launch(0, {matrix, inner}, {16})});
  for (uint32_t view : {slice, matrix, inner}) {
    EXPECT_TRUE(b.isView(view));
    EXPECT_EQ(b.host(view), w);
  }
  EXPECT_EQ(b.offset(slice), 128);
  EXPECT_EQ(b.offset(matrix), 128);
  EXPECT_EQ(b.offset(inner), 192);
  EXPECT_EQ(plannedPeakBytes(b.program), 64);
}

TEST(Views, SlicesOfReshapesAndOfConstants) {
  Builder b;
  b.kernel({});
  const uint32_t w = b.input({8, 16}), c = addConstant(b, 64);
  const uint32_t flat = b.step(OpKind::reshape, w, {128});
  const uint32_t slice = b.slice(flat, 112, 128), other = b.slice(c, 0, 16);
  b.plan({b.launch(0, {slice, other}, {16})});
  EXPECT_TRUE(b.isView(flat));
  EXPECT_TRUE(b.isView(slice));
  EXPECT_TRUE(b.isView(other));
  EXPECT_EQ(b.offset(slice), 448);
  EXPECT_EQ(findViewRoots(b.program)[slice], w);
}

TEST(Views, OtherSlicesCopy) {
  Builder b;
  b.kernel({});
  const uint32_t w = b.input({128});
  const uint32_t unaligned = b.slice(w, 8, 40), strided = b.slice(w, 0, 64);
  b.program.steps.back()->op->attrs.AsSliceAttrs()->strides = {2};
  b.program.slots[strided]->type->dims = {32};
  const uint32_t empty = b.slice(w, 16, 16);
  b.plan({b.launch(0, {unaligned, strided, empty}, {16})});
  for (uint32_t copy : {unaligned, strided, empty})
    EXPECT_FALSE(b.isView(copy));
}

/// A caller who keeps an output would otherwise keep all of the operand.
TEST(Views, OutputsAreNoSlices) {
  Builder b;
  b.kernel({});
  const uint32_t w = b.input({128});
  const uint32_t slice = b.slice(w, 0, 16), inner = b.slice(w, 64, 80);
  const uint32_t matrix = b.step(OpKind::reshape, inner, {4, 4});
  b.plan({slice, matrix, matrix});
  EXPECT_FALSE(b.isView(slice));
  EXPECT_FALSE(b.isView(inner));
  EXPECT_TRUE(b.isView(matrix)); // Of the copy.
  EXPECT_TRUE(verify(b.program));
}

TEST(Views, SlicesOfComputedValues) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), y = b.launch(0, {x}, {128});
  const uint32_t first = b.slice(y, 0, 64), second = b.slice(y, 64, 128);
  const uint32_t a = b.launch(0, {first}, {16});
  b.plan({b.launch(0, {a, second}, {16})});
  EXPECT_TRUE(b.isView(first));
  EXPECT_TRUE(b.isView(second));
  EXPECT_EQ(b.offset(second), b.offset(y) + 256);
  EXPECT_NE(b.offset(a), b.offset(y)); // Which `second` still needs.
}

/// The slice is small and read late: as a view it would hold all of `large`.
TEST(Views, SlicesThatWouldRaiseThePeakCopy) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), large = b.launch(0, {x}, {4096});
  const uint32_t slice = b.slice(large, 0, 16);
  const uint32_t small = b.launch(0, {large}, {16});
  const uint32_t other = b.launch(0, {small}, {4096});
  b.plan({b.launch(0, {other, slice}, {16})});
  EXPECT_FALSE(b.isView(slice));
  EXPECT_LT(plannedPeakBytes(b.program), 2 * 4096 * 4);
}

TEST(Views, SlicesOfOutputs) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), y = b.launch(0, {x}, {128});
  const uint32_t slice = b.slice(y, 64, 128);
  const uint32_t z = b.launch(0, {slice}, {16});
  b.plan({y, z});
  EXPECT_TRUE(b.isView(slice));
  EXPECT_EQ(b.host(slice), y);
  EXPECT_TRUE(checkMemoryPlan(b.program));
}

//===----------------------------------------------------------------------===//
// Concats
//===----------------------------------------------------------------------===//

struct Halves : Builder {
  uint32_t x, a, b, all;
  Halves() {
    kernel({});
    x = input({16});
    a = launch(0, {x}, {64});
    b = launch(0, {x}, {32});
    all = concat({a, b});
  }
  /// By operand of the step that computes `all`.
  std::vector<bool> inPlace() const {
    for (const auto &step : program.steps)
      if (step->results[0] == all)
        return findOperandsInPlace(program, *step);
    return {};
  }
};
using Bools = std::vector<bool>;

TEST(Concats, OperandsAreComputedInTheResult) {
  Halves b;
  b.plan({b.launch(0, {b.all}, {16})});
  EXPECT_EQ(b.inPlace(), (Bools{true, true}));
  EXPECT_EQ(b.offset(b.b), b.offset(b.all) + 256);
  EXPECT_EQ(b.program.arena_bytes, 384);
}

TEST(Concats, OfOutputs) {
  Halves b;
  const uint32_t late = b.launch(0, {b.a}, {16}); // Reads `a` afterwards.
  b.plan({b.all, late});
  EXPECT_EQ(b.inPlace(), (Bools{true, true}));
  EXPECT_EQ(b.host(b.a), b.all);
  EXPECT_EQ(b.host(b.b), b.all);
  EXPECT_EQ(b.program.arena_bytes, 0);
  EXPECT_EQ(plannedPeakBytes(b.program), 384 + 64);
  // The verifier knows that the concat leaves `a` where it is.
  Program &program = b.program;
  EXPECT_TRUE(checkMemoryPlan(program));
  std::erase_if(program.steps,
                [&](const auto &step) { return step->results[0] == b.all; });
  EXPECT_FALSE(checkMemoryPlan(program));
}

TEST(Concats, InputsConstantsAndOutputsAreCopied) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), c = addConstant(b, 16);
  const uint32_t y = b.launch(0, {x}, {16}), z = b.launch(0, {x}, {16});
  const uint32_t all = b.concat({x, y, c, z, y});
  b.plan({z, b.launch(0, {all}, {16})});
  const auto inPlace = findOperandsInPlace(b.program, *b.program.steps[2]);
  EXPECT_EQ(inPlace, (Bools{false, true, false, false, false}));
}

TEST(Concats, OffsetsMustBeAligned) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16});
  const uint32_t p = b.launch(0, {x}, {8}), q = b.launch(0, {x}, {8}),
                 r = b.launch(0, {x}, {16});
  const uint32_t all = b.concat({p, q, r});
  b.plan({b.launch(0, {all}, {16})});
  EXPECT_EQ(findOperandsInPlace(b.program, *b.program.steps[3]),
            (Bools{true, false, true}));
}

TEST(Concats, OfConcats) {
  Halves b;
  const uint32_t c = b.launch(0, {b.all}, {32});
  const uint32_t most = b.concat({b.all, c});
  const uint32_t d = b.launch(0, {most, b.a}, {32});
  b.plan({b.concat({most, d})});
  for (const auto &step : b.program.steps)
    if (step->op)
      EXPECT_EQ(findOperandsInPlace(b.program, *step), (Bools{true, true}));
  EXPECT_EQ(b.program.arena_bytes, 0);
}

TEST(Concats, ReshapesOfOperands) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), y = b.launch(0, {x}, {8, 8});
  const uint32_t flat = b.step(OpKind::reshape, y, {64});
  const uint32_t all = b.concat({b.launch(0, {x}, {16}), flat});
  b.plan({b.launch(0, {all}, {16})});
  EXPECT_EQ(b.offset(y), b.offset(all) + 64);
  EXPECT_EQ(b.offset(flat), b.offset(all) + 64);
}

/// A kernel overwrites the concat while a part of it is still needed.
TEST(Concats, PartsThatAreReadAfterTheWholeIsOverwritten) {
  Halves b;
  b.kernel({{0, 0}});
  const uint32_t next = b.launch(1, {b.all}, {96});
  b.plan({b.launch(0, {next, b.a}, {16})});
  EXPECT_EQ(b.inPlace(), (Bools{false, true}));
  EXPECT_EQ(b.offset(next), b.offset(b.all));
}

/// A kernel overwrites an operand after the concat.
TEST(Concats, PartsThatAreOverwritten) {
  Halves b;
  b.kernel({{0, 0}});
  const uint32_t next = b.launch(1, {b.a}, {64});
  b.plan({b.launch(0, {b.all, next}, {16})});
  EXPECT_EQ(b.inPlace(), (Bools{false, true}));
}

/// `a` is there long before the concat, and much is held meanwhile.
TEST(Concats, ThatWouldRaiseThePeakCopy) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), a = b.launch(0, {x}, {16});
  const uint32_t big = b.launch(0, {a}, {4096});
  const uint32_t small = b.launch(0, {big}, {16});
  const uint32_t wide = b.launch(0, {small}, {4096 - 64});
  const uint32_t all = b.concat({a, wide});
  b.plan({b.launch(0, {all}, {16})});
  EXPECT_LT(plannedPeakBytes(b.program), (2 * 4096 + 256) * 4);
}

/// The first operand would be held anyway, as gradients are.
TEST(Concats, MayRaiseThePeakALittle) {
  Builder b;
  b.kernel({});
  const uint32_t x = b.input({16}), first = b.launch(0, {x}, {4096});
  const uint32_t big = b.launch(0, {first}, {100'000});
  const uint32_t small = b.launch(0, {big}, {16});
  const uint32_t last = b.launch(0, {small}, {16});
  const uint32_t all = b.concat({first, last});
  b.plan({b.launch(0, {all}, {16})});
  EXPECT_EQ(b.offset(first), b.offset(all));
  EXPECT_EQ(b.offset(last), b.offset(all) + 4 * 4096);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

TEST(PartsOfUpdates, LaterReadersOfPartsNeedTheOldValue) {
  Builder b;
  const uint32_t w = b.input({64});
  const uint32_t part = b.slice(w, 16, 32);
  const uint32_t next = b.step(OpKind::neg, w, {64});
  b.program.outputs = {next, b.step(OpKind::exp, part, {16})};
  b.program.updates = {{0, 0}};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_TRUE(b.isView(part));
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
  orderUpdatesLast(b.program);
  EXPECT_EQ(findOverwrites(b.program), Steps{2});
}

/// The step reads elements of the old value that lie elsewhere.
TEST(PartsOfUpdates, StepsThatReadPartsDoNotOverwrite) {
  Builder b;
  b.kernel({{0, 0}, {1, 0}});
  const uint32_t w = b.input({64});
  const uint32_t part = b.slice(w, 16, 32);
  b.program.outputs = {b.launch(0, {w, part}, {64})};
  b.program.updates = {{0, 0}};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
}

TEST(PartsOfUpdates, ViewsOfTheNewValueDoNotHinder) {
  Builder b;
  const uint32_t w = b.input({64});
  const uint32_t next = b.step(OpKind::neg, w, {64});
  b.program.outputs = {next, b.step(OpKind::exp, b.slice(next, 16, 32), {16})};
  b.program.updates = {{0, 0}};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_EQ(findOverwrites(b.program), Steps{0});
  ASSERT_TRUE(planMemory(b.program));
  EXPECT_EQ(findOverwrites(b.program), Steps{0});
  EXPECT_TRUE(checkMemoryPlan(b.program));
}

/// The old value is in the memory until the concat, which is not in place.
TEST(PartsOfUpdates, ConcatsThatUpdateCopy) {
  Halves b;
  const uint32_t w = b.input({96});
  const uint32_t use = b.launch(0, {w}, {16});
  b.program.updates = {{1, 0}};
  b.plan({b.all, use});
  EXPECT_EQ(b.inPlace(), (Bools{false, false}));
}

//===----------------------------------------------------------------------===//
// Programs without a plan; random programs
//===----------------------------------------------------------------------===//

TEST(PlaceParts, OfEagerPrograms) {
  Halves b;
  const uint32_t w = b.input({64}), part = b.slice(w, 16, 32);
  b.program.outputs = {b.launch(0, {b.all, part}, {16})};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_FALSE(b.program.planned);
  EXPECT_TRUE(b.isView(part));
  EXPECT_EQ(b.inPlace(), (Bools{true, true}));
  EXPECT_EQ(b.host(b.b), b.all);
  EXPECT_EQ(b.offset(b.all), -1);
  EXPECT_TRUE(checkMemoryPlan(b.program));
}

/// Values of constants are computed once, in memory that lasts.
TEST(PlaceParts, LeavesConstantsAlone) {
  Builder b;
  const uint32_t x = b.input({16}), c = addConstant(b, 16);
  const uint32_t y = b.step(OpKind::exp, x, {16}),
                 d = b.step(OpKind::exp, c, {16});
  b.program.outputs = {b.step(OpKind::exp, b.concat({y, d}), {32})};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_GE(b.host(y), 0);
  EXPECT_LT(b.host(d), 0);
}

TEST(PlaceParts, OfDynamicPrograms) {
  Builder b;
  const uint32_t x = b.input({kDynamic}), w = b.input({64});
  const uint32_t part = b.slice(w, 16, 32);
  const uint32_t y = b.step(OpKind::exp, x, {kDynamic});
  b.program.outputs = {y, b.step(OpKind::exp, part, {16})};
  ASSERT_TRUE(placeParts(b.program));
  EXPECT_TRUE(b.isView(part));
}

class RandomPrograms {
public:
  explicit RandomPrograms(unsigned seed) : random(seed) {}
  Builder make();

private:
  uint32_t below(size_t n) { return static_cast<uint32_t>(random() % n); }
  int64_t sizeOf(const Builder &b, uint32_t slot) const {
    return fromFlat(*b.program.slots[slot]->type).shape.numElements();
  }
  uint32_t addStep(Builder &b, const std::vector<uint32_t> &values);
  std::mt19937 random;
};

uint32_t RandomPrograms::addStep(Builder &b,
                                 const std::vector<uint32_t> &values) {
  const auto pick = [&] { return values[below(values.size())]; };
  const uint32_t value = pick();
  const int64_t size = sizeOf(b, value);
  switch (below(6)) {
  case 0:
    return b.step(OpKind::reshape, value, {size});
  case 1: {
    const int64_t start = 8 * below(size / 8),
                  length = 8 * (1 + below((size - start) / 8));
    return b.slice(value, start, start + length);
  }
  case 2: {
    std::vector<uint32_t> operands = {value};
    for (uint32_t more = below(4); more > 0; --more)
      operands.push_back(pick());
    return b.concat(std::move(operands));
  }
  default:
    break;
  }
  std::vector<uint32_t> operands = {value};
  std::vector<fb::InPlace> inPlace;
  for (uint32_t more = below(3); more > 0; --more)
    operands.push_back(pick());
  for (uint32_t k = 0; k < operands.size(); ++k)
    if (sizeOf(b, operands[k]) == size && below(2))
      inPlace.push_back({k, 0});
  b.kernel(std::move(inPlace));
  return b.launch(static_cast<int>(b.program.kernels.size() - 1), operands,
                  {size});
}

Builder RandomPrograms::make() {
  Builder b;
  std::vector<uint32_t> values = {b.input({16}), b.input({64}),
                                  addConstant(b, 32)};
  for (uint32_t steps = 1 + below(16); steps > 0; --steps)
    values.push_back(addStep(b, values));
  b.program.outputs = {values.back()};
  for (uint32_t more = below(3); more > 0; --more)
    b.program.outputs.push_back(values[below(values.size())]);
  return b;
}

/// Every plan holds, and sharing parts never takes more memory.
TEST(Parts, RandomPlansKeepTheirValues) {
  RandomPrograms random(5);
  int views = 0, inPlace = 0;
  for (int round = 0; round < 3000; ++round) {
    Builder b = random.make();
    const std::vector<uint32_t> outputs = b.program.outputs;
    ASSERT_TRUE(placeParts(b.program));
    Status status = checkMemoryPlan(b.program);
    ASSERT_TRUE(status) << round << ": " << status.error().message;
    status = verify(b.program);
    ASSERT_TRUE(status) << round << ": " << status.error().message;
    b.plan(outputs);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    status = verify(b.program);
    ASSERT_TRUE(status) << round << ": " << status.error().message;
    for (const auto &step : b.program.steps) {
      views += step->op && step->op->kind == OpKind::slice &&
               isView(b.program, *step);
      const auto areInPlace = findOperandsInPlace(b.program, *step);
      inPlace += static_cast<int>(
          std::count(areInPlace.begin(), areInPlace.end(), true));
    }
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(inPlace, 1000);
}

/// The checker finds operands and slices that have moved.
TEST(Parts, MovedPartsAreErrors) {
  Halves b;
  const uint32_t part = b.slice(b.all, 0, 64);
  const uint32_t use = b.launch(0, {part, b.b}, {16});
  b.plan({use});
  const auto message = [&] {
    Status status = checkMemoryPlan(b.program);
    return status ? "valid" : status.error().message;
  };
  ASSERT_EQ(message(), "valid");
  const auto move = [&](uint32_t slot, int64_t bytes) {
    b.program.slots[slot]->arena_offset += bytes;
  };
  move(b.b, -64); // Over `a`.
  EXPECT_THAT(message(), HasSubstr("is overwritten before it is read"));
  move(b.b, 64);
  move(b.a, 64); // Over `b`, and not where it belongs.
  EXPECT_THAT(message(), HasSubstr("slot"));
  move(b.a, -64);
  move(part, 64); // A copy over its operand.
  EXPECT_THAT(message(), HasSubstr("is written where slot"));
  move(part, -64);
  EXPECT_EQ(message(), "valid");
}

} // namespace
