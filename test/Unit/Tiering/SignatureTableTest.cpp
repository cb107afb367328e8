//===- SignatureTableTest.cpp - From types to signatures ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineFixture.h"
#include "engine/signatures/PromotedCalls.h"

using namespace tandem;
using namespace tandem::test;
using namespace tandem::tiering;
using testing::ElementsAre;

namespace {

Types typesFor(int64_t length) {
  const TensorType type{DType::f32, {length}};
  return {type, type};
}

SignaturePtr makeSignature(int64_t length) {
  return std::make_shared<Signature>(typesFor(length), 0);
}

/// A record with nothing but its types.
struct Plain {
  Types types;
};
using PlainTable = exec::TypesTable<const Plain>;

std::shared_ptr<const Plain> makePlain(int64_t length) {
  return std::make_shared<const Plain>(typesFor(length));
}

std::shared_ptr<const Plain> find(PlainTable &table, int64_t length) {
  return table.find(std::span<const TensorType>(typesFor(length)));
}

TEST(TypesTable, FindsByTypesAndByTensors) {
  PlainTable table;
  const auto three = table.add(makePlain(3)), four = table.add(makePlain(4));
  EXPECT_EQ(find(table, 3), three);
  EXPECT_EQ(find(table, 4), four);
  EXPECT_EQ(find(table, 5), nullptr);
  const std::vector<Tensor> tensors = {makeFloats({4}), makeFloats({4})};
  EXPECT_EQ(table.find(std::span(tensors)), four);
  EXPECT_EQ(table.find(std::span(tensors).first(1)), nullptr);
}

TEST(TypesTable, TellsShapesAndElementTypesApart) {
  PlainTable table;
  const Types wide = {{DType::f32, {2, 3}}}, tall = {{DType::f32, {3, 2}}},
              integers = {{DType::i32, {2, 3}}};
  for (const Types *types : {&wide, &tall, &integers})
    table.add(std::make_shared<const Plain>(*types));
  for (const Types *types : {&wide, &tall, &integers})
    EXPECT_EQ(table.find(std::span<const TensorType>(*types))->types, *types);
}

TEST(TypesTable, KeepsTheFirstRecordOfTheSameTypes) {
  PlainTable table;
  const auto first = makePlain(3), second = makePlain(3);
  EXPECT_EQ(table.add(first), first);
  EXPECT_EQ(table.add(second), first);
  // Only the record itself can be erased, not another one of its types.
  EXPECT_FALSE(table.erase(second));
  EXPECT_EQ(find(table, 3), first);
  EXPECT_TRUE(table.erase(first));
  EXPECT_FALSE(table.erase(first));
  EXPECT_EQ(find(table, 3), nullptr);
}

TEST(TypesTable, DropsTheLeastRecentlyLookedUp) {
  PlainTable table(3);
  for (int64_t length : {1, 2, 3})
    table.add(makePlain(length));
  EXPECT_NE(find(table, 1), nullptr);
  table.add(makePlain(4)); // In the place of 2.
  EXPECT_EQ(find(table, 2), nullptr);
  for (int64_t length : {1, 3, 4})
    EXPECT_NE(find(table, length), nullptr);
}

TEST(TypesTable, DropsASixteenthAtOnce) {
  PlainTable table(64);
  for (int64_t length = 1; length <= 65; ++length)
    table.add(makePlain(length));
  std::vector<std::shared_ptr<const Plain>> all;
  table.appendTo(all);
  EXPECT_EQ(all.size(), 60u);
  EXPECT_EQ(find(table, 5), nullptr);
  EXPECT_NE(find(table, 6), nullptr);
}

TEST(SignatureTable, ManyThreadsGetOneSignature) {
  constexpr int kThreads = 8, kLengths = 100;
  SignatureTable table;
  std::latch start(kThreads);
  std::array<std::vector<SignaturePtr>, kThreads> found;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < kLengths; ++i)
        found[t].push_back(table.add(makeSignature(i)));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(table.size(), size_t(kLengths));
  EXPECT_EQ(table.all().size(), size_t(kLengths));
  for (int t = 1; t < kThreads; ++t)
    EXPECT_EQ(found[t], found[0]);
}

/// A thread that evicts a signature must not remove a later one.
TEST(SignatureTable, ErasesOnlyTheSignatureItself) {
  SignatureTable table;
  const SignaturePtr old = table.add(makeSignature(3));
  table.erase(old);
  const SignaturePtr later = table.add(makeSignature(3));
  table.erase(old);
  EXPECT_EQ(table.find(std::span<const TensorType>(later->types)), later);
  EXPECT_EQ(table.size(), 1u);
}

TEST(PromotedCalls, FindTheSignatureOfTheTable) {
  SignatureTable table;
  PromotedCalls calls;
  const auto program = std::make_shared<const PreparedTier>();
  const SignaturePtr three = table.add(makeSignature(3));
  calls.add(three, program, calls.generation());
  const auto inputs = makeInputs(3), others = makeInputs(4);
  {
    PromotedCalls::Call call(calls, inputs, 1);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->signature, three);
    EXPECT_EQ(call->prepared, program);
  }
  EXPECT_FALSE(PromotedCalls::Call(calls, others, 2));
  calls.flushAll();
  EXPECT_EQ(three->record.calls, 1u);
  EXPECT_FALSE(PromotedCalls::Call(calls, inputs, 3));
}

//===----------------------------------------------------------------------===//
// One record for the engine and for explicit tiers
//===----------------------------------------------------------------------===//

struct OneTable : EngineTest {
  void callIn(Tier tier, int64_t length) {
    auto outputs = function->call(makeInputs(length), tier);
    ASSERT_TRUE(outputs) << outputs.error().str();
    ASSERT_EQ(outputs->at(0).as<float>()[0], 10);
  }
  std::vector<int64_t> reportedLengths() {
    std::vector<int64_t> lengths;
    for (const SignatureReport &signature : function->report().signatures)
      lengths.push_back(signature.inputs[0].shape[0]);
    std::ranges::sort(lengths);
    return lengths;
  }
};

TEST_F(OneTable, ExplicitTiersAndTheEngineShareAProgram) {
  create(Mode::compileNow);
  callIn(Tier::compiled, 3);
  call(3);
  call(4);
  callIn(Tier::compiled, 4);
  EXPECT_EQ(compiler->compilations, 2);
}

TEST_F(OneTable, ReportsOmitExplicitTiers) {
  create(Mode::compileNow);
  callIn(Tier::compiled, 3);
  callIn(Tier::eager, 5);
  EXPECT_THAT(reportedLengths(), ElementsAre());
  EXPECT_THAT(log, ElementsAre());
  call(3);
  EXPECT_THAT(reportedLengths(), ElementsAre(3));
  EXPECT_EQ(only().calls, 1u);
  EXPECT_EQ(log.at(0), "seen");
}

TEST_F(OneTable, OneLimitCountsAllSignatures) {
  tiering.maxSignatures = 2;
  create(Mode::compileNow);
  callIn(Tier::compiled, 3);
  call(4);
  callIn(Tier::compiled, 3); // The latest now.
  callIn(Tier::compiled, 5); // In the place of 4.
  EXPECT_THAT(reportedLengths(), ElementsAre());
  EXPECT_EQ(function->report().evicted, 1u);
  EXPECT_EQ(compiler->compilations, 3);
  callIn(Tier::compiled, 3);
  EXPECT_EQ(compiler->compilations, 3);
  call(6); // In the place of 5, of which no report knows.
  EXPECT_EQ(function->report().evicted, 1u);
  callIn(Tier::compiled, 3);
  EXPECT_EQ(compiler->compilations, 4);
  callIn(Tier::compiled, 5);
  EXPECT_EQ(compiler->compilations, 5);
}

/// Tiers that take any types need no signature.
TEST_F(OneTable, InterpretedTiersEvictNothing) {
  tiering.maxSignatures = 1;
  create(Mode::compileNow);
  call(3);
  for (Tier tier : {Tier::eager, Tier::reference})
    for (int64_t length : {4, 5, 6})
      callIn(tier, length);
  call(3);
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_EQ(function->report().evicted, 0u);
}

TEST_F(OneTable, ThreadsEvictWhileOthersCall) {
  tiering.maxSignatures = 4;
  slow.time = std::chrono::microseconds(0);
  create(Mode::compileNow);
  constexpr int kThreads = 4, kCalls = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        const int64_t length = 1 + (i / 40 + t * i) % 9;
        if (i % 5 == t)
          callIn(Tier::compiled, length);
        else
          call(length);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  function->wait();
  const FunctionReport report = function->report();
  EXPECT_LE(report.signatures.size(), 4u);
  EXPECT_GT(report.evicted, 0u);
  int64_t bytes = 0;
  for (const SignatureReport &signature : report.signatures)
    bytes += signature.residentBytes;
  EXPECT_EQ(report.residentBytes, bytes);
}

} // namespace
