//===- GradientsTest.cpp - Gradients against differences ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of every op in f64, and the derivative of this gradient, in
// random directions, against central differences on the reference tier.
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"

#include "tandem/Dialect/Tandem/IR/BuildOp.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/Transforms/Differentiate.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr int kCasesPerKind = 50, kCasesTwice = 10;
constexpr double kStep = 1e-5, kTolerance = 1e-6;

/// A function of one op, which returns the op's first result.
class OpFunction {
public:
  explicit OpFunction(const Case &c) {
    context.loadDialect<ir::TandemDialect, mlir::func::FuncDialect>();
    mlir::Location loc = mlir::UnknownLoc::get(&context);
    module = mlir::ModuleOp::create(loc);
    mlir::OpBuilder builder(&context);
    builder.setInsertionPointToStart(module->getBody());
    llvm::SmallVector<mlir::Type> types;
    for (const Tensor &operand : c.operands)
      types.push_back(ir::toMlirType(&context, operand.type()));
    auto function = mlir::func::FuncOp::create(
        builder, loc, "main", builder.getFunctionType(types, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    auto op = ir::buildOp(builder, loc, c.op, block->getArguments());
    if (failed(op))
      return;
    mlir::Value result = (*op)->getResult(0);
    mlir::func::ReturnOp::create(builder, loc, result);
    function.setFunctionType(builder.getFunctionType(types, result.getType()));
    isBuilt = true;
  }

  /// Appends an argument for the seed, and the gradients of result `loss` with
  /// respect to `wrt`.
  bool differentiate(const std::vector<int64_t> &wrt, int64_t loss) {
    DifferentiateOptions options;
    options.wrt.assign(wrt.begin(), wrt.end());
    options.loss = loss;
    options.hasSeed = true;
    auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
    return succeeded(tandem::differentiate(function, options));
  }

  std::vector<Tensor> run(const std::vector<Tensor> &inputs) const {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    auto graph = Graph::parseString(text);
    EXPECT_TRUE(graph) << graph.error().str() << text;
    if (!graph)
      return {};
    ExecutorOptions options;
    options.providers = referenceProviders();
    auto executor = Executor::create((*graph)->eagerProgram(), options);
    EXPECT_TRUE(executor) << executor.error().str();
    std::vector<Tensor> outputs;
    const Status status = (*executor)->run(inputs, outputs);
    EXPECT_TRUE(status) << status.error().str();
    return outputs;
  }

  bool isBuilt = false;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

bool isAnyOf(OpKind kind, std::initializer_list<OpKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// An interval on which the op is smooth, apart from ties between elements.
std::pair<double, double> domainOf(OpKind kind, size_t operand) {
  if (isAnyOf(kind, {OpKind::log, OpKind::log1p, OpKind::sqrt, OpKind::rsqrt,
                     OpKind::pow}) ||
      (isAnyOf(kind, {OpKind::div, OpKind::rem}) && operand == 1) ||
      (kind == OpKind::batch_norm && operand == 4))
    return {0.5, 2};
  if (isAnyOf(kind, {OpKind::asin, OpKind::acos, OpKind::erfinv}))
    return {-0.8, 0.8};
  if (isAnyOf(kind, {OpKind::floor, OpKind::ceil, OpKind::round, OpKind::sign}))
    return {0.1, 0.4};
  return {-2, 2};
}

/// Random numbers in random order that are further apart than two steps, so
/// that no difference goes over a tie.
void fill(Tensor &tensor, std::pair<double, double> range,
          std::mt19937_64 &rng) {
  const int64_t count = tensor.type().shape.numElements();
  const double gap = (range.second - range.first) / double(count);
  std::uniform_real_distribution<double> jitter(0.25, 0.75);
  double *values = tensor.as<double>();
  for (int64_t i = 0; i < count; ++i)
    values[i] = range.first + gap * (double(i) + jitter(rng));
  std::shuffle(values, values + count, rng);
}

double dot(const Tensor &a, const Tensor &b, double *magnitude = nullptr) {
  double sum = 0;
  for (int64_t i = 0; i < a.type().shape.numElements(); ++i) {
    const double product = a.as<double>()[i] * b.as<double>()[i];
    sum += product;
    if (magnitude)
      *magnitude += std::fabs(product);
  }
  return sum;
}

Tensor moved(const Tensor &x, const Tensor &direction, double step) {
  Tensor result = emptyTensor(x.type());
  for (int64_t i = 0; i < x.type().shape.numElements(); ++i)
    result.as<double>()[i] =
        x.as<double>()[i] + step * direction.as<double>()[i];
  return result;
}

std::vector<int64_t> floatsAmong(const std::vector<Tensor> &operands) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].dtype() == DType::f64)
      numbers.push_back(int64_t(i));
  return numbers;
}

/// Compares the derivatives of result `loss` of `function`, times random
/// numbers and summed, with differences. They are taken along a random
/// direction in the operands `wrt`. The last results of `gradients` are the
/// gradients.
void check(const OpFunction &function, const OpFunction &gradients,
           const std::vector<Tensor> &operands, size_t loss,
           const std::vector<int64_t> &wrt, std::mt19937_64 &rng) {
  Tensor seed = emptyTensor(function.run(operands)[loss].type());
  fill(seed, {-1, 1}, rng);
  std::vector<Tensor> inputs = operands, above = inputs, below = inputs;
  inputs.push_back(seed);
  const std::vector<Tensor> results = gradients.run(inputs);
  ASSERT_GE(results.size(), wrt.size());
  double derivative = 0, magnitude = 0;
  for (size_t i = 0; i < wrt.size(); ++i) {
    const Tensor &x = operands[size_t(wrt[i])];
    const Tensor &gradient = results[results.size() - wrt.size() + i];
    ASSERT_EQ(gradient.type(), x.type());
    Tensor direction = emptyTensor(x.type());
    fill(direction, {-1, 1}, rng);
    derivative += dot(gradient, direction, &magnitude);
    above[size_t(wrt[i])] = moved(x, direction, kStep);
    below[size_t(wrt[i])] = moved(x, direction, -kStep);
  }
  double total = 0;
  const double difference = (dot(function.run(above)[loss], seed, &total) -
                             dot(function.run(below)[loss], seed)) /
                            (2 * kStep);
  EXPECT_LE(std::fabs(difference - derivative),
            kTolerance * (magnitude + 1e-3 * total))
      << "difference " << difference << ", derivative " << derivative;
}

/// Checks the gradients of the case's op with respect to all operands of floats
/// and, if `isTwice`, the derivatives of the first of these gradients.
void checkCase(const Case &c, bool isTwice, std::mt19937_64 &rng) {
  SCOPED_TRACE(c.describe());
  const std::vector<int64_t> wrt = floatsAmong(c.operands);
  OpFunction function(c), first(c), second(c);
  ASSERT_TRUE(function.isBuilt);
  ASSERT_TRUE(first.differentiate(wrt, 0));
  check(function, first, c.operands, 0, wrt, rng);
  if (!isTwice)
    return;
  std::vector<Tensor> operands = c.operands;
  operands.push_back(emptyTensor(function.run(operands)[0].type()));
  fill(operands.back(), {-1, 1}, rng);
  const std::vector<int64_t> all = floatsAmong(operands);
  ASSERT_TRUE(second.differentiate(wrt, 0));
  ASSERT_TRUE(second.differentiate(all, 1));
  check(first, second, operands, 1, all, rng);
}

class Gradients : public testing::TestWithParam<int> {};

/// Kinds that may have a result of floats that depends on floats.
std::vector<int> differentiableKinds() {
  std::vector<int> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (!isAnyOf(kind, {OpKind::custom_call, OpKind::iota, OpKind::bitcast,
                        OpKind::compare, OpKind::cast}) &&
        getOpInfo(kind).domain != Domain::integer &&
        getOpInfo(kind).domain != Domain::boolean)
      kinds.push_back(int(kind));
  return kinds;
}

/// Cases in which the result is a number for each element, and has a gradient.
bool isDefined(const Case &c) {
  if (const auto *reduce = c.op.attrs.AsReduceAttrs())
    return reduce->kind != fb::ReduceKind::argmax;
  if (const auto *scan = c.op.attrs.AsScanAttrs())
    return scan->kind == fb::ScanKind::sum;
  if (const auto *scatter = c.op.attrs.AsScatterAttrs())
    return scatter->kind == fb::ScatterKind::add ||
           scatter->kind == fb::ScatterKind::replace;
  return true;
}

} // namespace

TEST_P(Gradients, AgreeWithDifferences) {
  const OpKind kind = OpKind(GetParam());
  int made = 0;
  for (int seed = 0; seed < 4 * kCasesPerKind && made < kCasesPerKind; ++seed) {
    std::mt19937_64 rng(uint64_t(seed) * 1000 + uint64_t(GetParam()));
    std::optional<Case> c = randomCase(kind, DType::f64, rng);
    if (!c || !isDefined(*c))
      continue;
    for (size_t i = 0; i < c->operands.size(); ++i)
      if (c->operands[i].dtype() == DType::f64)
        fill(c->operands[i], domainOf(kind, i), rng);
    SCOPED_TRACE("seed " + std::to_string(seed));
    checkCase(*c, /*isTwice=*/made < kCasesTwice, rng);
    if (HasFailure())
      return;
    ++made;
  }
  EXPECT_GT(made, kCasesPerKind / 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Gradients,
                         testing::ValuesIn(differentiableKinds()),
                         [](const testing::TestParamInfo<int> &info) {
                           return std::string(name(OpKind(info.param)));
                         });
