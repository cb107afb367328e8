//===- UpdatesTest.cpp - Outputs in the place of inputs -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <gmock/gmock.h>

using namespace tandem;
using tandem::test::Builder;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Steps = std::vector<std::optional<size_t>>;

/// The operands of each step, in order.
std::vector<std::vector<uint32_t>> readsOf(const Program &program) {
  std::vector<std::vector<uint32_t>> reads;
  for (const auto &step : program.steps)
    reads.push_back(step->operands);
  return reads;
}

TEST(FindOverwrites, ElementwiseOpsComputeInPlace) {
  Builder b;
  const uint32_t w = b.input({16});
  b.program.outputs = {b.step(OpKind::neg, w, {16})};
  b.program.updates = {{0, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{0});
}

TEST(FindOverwrites, OpsThatReadOtherElementsDoNot) {
  Builder b;
  const uint32_t w = b.input({4, 4});
  b.program.outputs = {b.step(OpKind::softmax, w, {4, 4})};
  b.program.updates = {{0, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
}

TEST(FindOverwrites, KernelsSayWhetherTheyMay) {
  Builder b;
  b.kernel({{1, 0}});
  const uint32_t v = b.input({16}), w = b.input({16});
  b.program.outputs = {b.launch(0, {v, w}, {16})};
  b.program.updates = {{1, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{0});
  b.program.updates = {{0, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
  // The old value is an operand twice, and only one may be overwritten.
  b.program.steps[0]->operands = {w, w};
  b.program.updates = {{1, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
}

TEST(FindOverwrites, LaterReadersNeedTheOldValue) {
  Builder b;
  const uint32_t w = b.input({16});
  const uint32_t view = b.step(OpKind::reshape, w, {4, 4});
  const uint32_t next = b.step(OpKind::neg, w, {16});
  b.program.outputs = {next, b.step(OpKind::exp, view, {4, 4})};
  b.program.updates = {{0, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
  orderUpdatesLast(b.program);
  EXPECT_EQ(findOverwrites(b.program), Steps{2});
}

TEST(FindOverwrites, OutputsMayBeTheOldValue) {
  Builder b;
  const uint32_t w = b.input({16});
  const uint32_t next = b.step(OpKind::neg, w, {16});
  b.program.outputs = {next, b.step(OpKind::reshape, w, {4, 4})};
  b.program.updates = {{0, 0}};
  EXPECT_EQ(findOverwrites(b.program), Steps{std::nullopt});
}

/// Two updates that wait for each other: the first one is not in place.
TEST(OrderUpdatesLast, BreaksCycles) {
  Builder b;
  const uint32_t v = b.input({16}), w = b.input({16});
  const uint32_t a = b.step(OpKind::neg, w, {16}),
                 c = b.step(OpKind::exp, v, {16});
  b.program.outputs = {a, c};
  b.program.updates = {{0, 0}, {1, 1}};
  orderUpdatesLast(b.program);
  EXPECT_THAT(readsOf(b.program), ElementsAre(ElementsAre(w), ElementsAre(v)));
  EXPECT_EQ(findOverwrites(b.program), (Steps{std::nullopt, 1}));
}

TEST(OrderUpdatesLast, KeepsTheOrderOfAllElse) {
  Builder b;
  const uint32_t x = b.input({16}), w = b.input({16});
  const uint32_t next = b.step(OpKind::neg, w, {16});
  const uint32_t first = b.step(OpKind::exp, x, {16});
  const uint32_t second = b.step(OpKind::abs, w, {16});
  const uint32_t third = b.step(OpKind::sqrt, first, {16});
  b.program.outputs = {next, second, third};
  b.program.updates = {{1, 0}};
  orderUpdatesLast(b.program);
  EXPECT_THAT(readsOf(b.program),
              ElementsAre(ElementsAre(x), ElementsAre(w), ElementsAre(w),
                          ElementsAre(first)));
}

/// Kernels that may compute in place leave the input's memory alone until the
/// update.
TEST(PlanMemory, KeepsTheOldValue) {
  Builder b;
  b.kernel({{0, 0}, {1, 0}});
  b.kernel({});
  b.kernel({{0, 0}});
  const uint32_t x = b.input({1024}), w = b.input({1024});
  const uint32_t a = b.launch(1, {x, w}, {1024});
  const uint32_t c = b.launch(2, {a}, {1024});
  const uint32_t next = b.launch(0, {c, w}, {1024});
  b.program.updates = {{1, 0}};
  b.plan({next});
  EXPECT_EQ(findOverwrites(b.program), Steps{2});
  EXPECT_EQ(b.host(a), -1);
  EXPECT_EQ(b.host(c), -1);
  const uint32_t given[] = {next};
  EXPECT_EQ(plannedPeakBytes(b.program, {}, given), 4096);
}

TEST(VerifyUpdates, NamesWhatIsWrong) {
  Builder b;
  const uint32_t w = b.input({16}), x = b.input({8});
  b.program.outputs = {b.step(OpKind::neg, w, {16}),
                       b.step(OpKind::neg, x, {8})};
  const auto errorOf = [&](std::vector<fb::Update> updates) {
    b.program.updates = std::move(updates);
    const Status status = verifyUpdates(b.program);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(errorOf({{0, 0}, {1, 1}}), "");
  EXPECT_THAT(errorOf({{0, 2}}), HasSubstr("there is no such"));
  EXPECT_THAT(errorOf({{7, 0}}), HasSubstr("there is no such"));
  EXPECT_THAT(errorOf({{0, 0}, {0, 1}}), HasSubstr("in another update"));
  EXPECT_THAT(errorOf({{0, 0}, {1, 0}}), HasSubstr("in another update"));
  EXPECT_THAT(errorOf({{0, 1}}), HasSubstr("the output is tensor<8xf32>"));
}

} // namespace
