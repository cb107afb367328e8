//===- FusionPlanTest.cpp - Plans of random graphs ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/DenseMap.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tandem;

namespace {

/// A function of `size` ops on matrices, rows and columns of 64 x 64: chains
/// and joins of elementwise ops, with contractions, reductions, views and
/// softmax between them.
class RandomFunction {
public:
  RandomFunction(unsigned seed, unsigned size) : random(seed) {
    while (count < size)
      addOp();
  }

  std::string str() const {
    return "func.func @main(%x: " + std::string(kMatrix) + ", %y: " + kMatrix +
           ") -> " + kMatrix + " {\n" + body + "  return " + values.back() +
           " : " + kMatrix + "\n}\n";
  }

private:
  static constexpr const char *kMatrix = "tensor<64x64xf32>";
  static constexpr const char *kColumn = "tensor<64x1xf32>";

  std::string pick() {
    size_t near = std::min<size_t>(values.size(), random() % 3 ? 4 : 30);
    return values[values.size() - 1 - random() % near];
  }
  std::string add(const std::string &op) {
    std::string name = "%" + std::to_string(count++);
    body += "  " + name + " = tandem." + op + "\n";
    return name;
  }
  void addOp() {
    std::string m = kMatrix, a = pick(), b = pick();
    unsigned kind = random() % 20;
    if (kind < 9)
      values.push_back(
          add((kind < 4 ? "add " : "mul ") + a + ", " + b + " : " + m));
    else if (kind < 15)
      values.push_back(add((kind < 12 ? "exp " : "neg ") + a + " : " + m));
    else if (kind == 15)
      values.push_back(add("softmax " + a + " axis = 1 : " + m));
    else if (kind == 16)
      values.push_back(
          add("matmul " + a + ", " + b + " : (" + m + ", " + m + ") -> " + m));
    else if (kind == 17)
      values.push_back(add("transpose " + a + " permutation = [1, 0] : (" + m +
                           ") -> " + m));
    else
      addReduction(a, b);
  }
  void addReduction(const std::string &a, const std::string &b) {
    std::string m = kMatrix, c = kColumn;
    std::string sum =
        add("reduce " + a + " kind = sum dims = [1] keep_dims : (" + m +
            ") -> " + c);
    values.push_back(
        add("div " + b + ", " + sum + " : (" + m + ", " + c + ") -> " + m));
  }

  std::mt19937 random;
  unsigned count = 0;
  std::string body;
  std::vector<std::string> values{"%x", "%y"};
};

class FusionPlan : public testing::Test {
protected:
  FusionPlan() {
    context.loadDialect<ir::TandemDialect, func::FuncDialect,
                        arith::ArithDialect, math::MathDialect>();
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  test::Kernels kernels;
};

Block &bodyOf(ModuleOp module) {
  return (*module.getOps<func::FuncOp>().begin()).getBody().front();
}

/// By value: the kernel that stores it, or its op where that is an op step.
struct Steps {
  std::vector<FusionGroup> groups;
  DenseMap<Value, const FusionGroup *> stores;
  llvm::SmallPtrSet<Operation *, 32> fused;

  explicit Steps(std::vector<FusionGroup> plan) : groups(std::move(plan)) {
    for (const FusionGroup &group : groups) {
      fused.insert(group.ops.begin(), group.ops.end());
      for (Value output : group.outputs)
        EXPECT_TRUE(stores.try_emplace(output, &group).second);
    }
  }
  bool isStored(Value value) const {
    Operation *op = value.getDefiningOp();
    return !op || matchPattern(op, m_Constant()) || !fused.contains(op) ||
           stores.contains(value);
  }
};

/// Every value that a step reads is stored by one.
void expectComplete(const Steps &steps, Block &block) {
  for (const FusionGroup &group : steps.groups)
    for (Operation *op : group.ops)
      for (Value operand : op->getOperands())
        EXPECT_TRUE(llvm::is_contained(group.ops, operand.getDefiningOp()) ||
                    steps.isStored(operand));
  for (Operation &op : block)
    if (!steps.fused.contains(&op))
      for (Value operand : op.getOperands())
        EXPECT_TRUE(steps.isStored(operand));
}

/// Runs what is ready until nothing is: with a cycle something is left.
void expectAcyclic(const Steps &steps, Block &block) {
  llvm::DenseSet<Value> ready;
  auto isReady = [&](Value value) {
    return !value.getDefiningOp() || ready.contains(value);
  };
  size_t pending = 0, before;
  do {
    before = ready.size();
    pending = 0;
    for (Operation &op : block)
      if (!steps.fused.contains(&op)) {
        if (llvm::all_of(op.getOperands(), isReady))
          ready.insert(op.result_begin(), op.result_end());
        else
          ++pending;
      }
    for (const FusionGroup &group : steps.groups) {
      bool canRun = llvm::all_of(group.ops, [&](Operation *op) {
        return llvm::all_of(op->getOperands(), [&](Value operand) {
          return isReady(operand) ||
                 llvm::is_contained(group.ops, operand.getDefiningOp());
        });
      });
      if (canRun)
        ready.insert(group.outputs.begin(), group.outputs.end());
      else
        ++pending;
    }
  } while (ready.size() != before);
  EXPECT_EQ(pending, 0u);
}

TEST_F(FusionPlan, IsCompleteAndAcyclic) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto module = parse(RandomFunction(seed, 20 + 4 * seed).str());
    ASSERT_TRUE(module);
    Block &block = bodyOf(*module);
    for (bool heroes : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      FusionOptions options;
      options.contractions = heroes ? &kernels : nullptr;
      options.reductions = heroes;
      Steps steps(planFusion(block, options));
      EXPECT_FALSE(steps.groups.empty());
      expectComplete(steps, block);
      expectAcyclic(steps, block);
    }
  }
}

TEST_F(FusionPlan, EveryRefusalHasAReason) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto module = parse(RandomFunction(seed, 100).str());
    ASSERT_TRUE(module);
    FusionOptions options;
    options.contractions = seed % 2 ? &kernels : nullptr;
    options.reductions = seed % 2;
    options.fuel = seed % 3 ? -1 : 10;
    FusionLog log;
    planFusion(bodyOf(*module), options, &log);
    for (const FusionLogEntry &entry : log) {
      EXPECT_TRUE(entry.producer);
      if (entry.decision)
        continue;
      EXPECT_FALSE(entry.decision.str().empty());
      EXPECT_NE(name(entry.decision.reason()), "None");
    }
  }
}

TEST_F(FusionPlan, FuelBoundsTheDecisionsTaken) {
  auto module = parse(RandomFunction(7, 100).str());
  for (int64_t fuel : {0, 1, 5, 20}) {
    FusionOptions options;
    options.fuel = fuel;
    FusionLog log;
    planFusion(bodyOf(*module), options, &log);
    EXPECT_EQ(
        llvm::count_if(log, [](auto &entry) { return bool(entry.decision); }),
        fuel);
  }
}

double getTotalNs(Block &block, FusionOptions options, FusionOrder order) {
  options.order = order;
  double ns = 0;
  for (const FusionGroup &group : planFusion(block, options))
    ns += group.estimatedNs;
  return ns;
}

/// Computing relu in the window saves a kernel, but does it nine times; exp is
/// too dear for that, and is left alone if relu is gone when it is looked at.
TEST_F(FusionPlan, WhatSavesMostComesFirst) {
  auto module = parse(R"(
func.func @main(%x: tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32> {
  %0 = tandem.exp %x : tensor<8x64x64x16xf32>
  %1 = tandem.relu %0 : tensor<8x64x64x16xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [3, 3]
      : (tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32>
  return %2 : tensor<8x62x62x16xf32>
})");
  ASSERT_TRUE(module);
  Block &block = bodyOf(*module);
  EXPECT_LT(getTotalNs(block, {}, FusionOrder::SavedTime),
            0.95 * getTotalNs(block, {}, FusionOrder::Block));
}

TEST_F(FusionPlan, TheBetterOfBothOrdersIsKept) {
  double ranked = 0, ordered = 0, best = 0;
  unsigned worse = 0, better = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    auto module = parse(RandomFunction(seed, 20 + 2 * seed).str());
    ASSERT_TRUE(module);
    Block &block = bodyOf(*module);
    FusionOptions options;
    options.contractions = seed % 2 ? &kernels : nullptr;
    options.reductions = seed % 2;
    double a = getTotalNs(block, options, FusionOrder::SavedTime);
    double b = getTotalNs(block, options, FusionOrder::Block);
    double kept = getTotalNs(block, options, FusionOrder::Best);
    EXPECT_DOUBLE_EQ(kept, std::min(a, b)) << "seed " << seed;
    ranked += a;
    ordered += b;
    best += kept;
    worse += a > b;
    better += a < b;
  }
  // Greedy either way: neither order is the better one everywhere.
  EXPECT_GT(worse, 0u);
  EXPECT_GT(better, worse);
  EXPECT_LE(ranked, 0.98 * ordered);
  RecordProperty("saved_percent", std::to_string(100 * (1 - best / ordered)));
}

/// With a report or without, and whatever is left of the fuel.
TEST_F(FusionPlan, AReportIsOfThePlanThatIsMade) {
  for (unsigned seed : {16, 30, 58, 74, 75}) {
    auto module = parse(RandomFunction(seed, 20 + 2 * seed).str());
    Block &block = bodyOf(*module);
    FusionOptions options;
    FusionLog log;
    std::vector<FusionGroup> plain = planFusion(block, options);
    std::vector<FusionGroup> reported = planFusion(block, options, &log);
    options.fuel = llvm::count_if(
        log, [](const FusionLogEntry &entry) { return bool(entry.decision); });
    std::vector<FusionGroup> fuelled = planFusion(block, options);
    ASSERT_EQ(plain.size(), reported.size());
    ASSERT_EQ(plain.size(), fuelled.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(plain[i].ops, reported[i].ops) << "seed " << seed;
      EXPECT_EQ(plain[i].ops, fuelled[i].ops) << "seed " << seed;
    }
  }
}

} // namespace
