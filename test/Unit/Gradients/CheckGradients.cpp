//===- CheckGradients.cpp - Gradients against differences -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGradients.h"

#include "../Providers/Cases.h"

#include "tandem/Dialect/Tandem/IR/BuildOp.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

using namespace tandem;
using namespace tandem::test;

static constexpr double kStep = 1e-5, kTolerance = 1e-6;

TestFunction::TestFunction(const CaseResult &wanted) {
  const Case &c = wanted.op;
  context.loadDialect<ir::TandemDialect, mlir::func::FuncDialect>();
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  mlir::OwningOpRef<mlir::ModuleOp> made = mlir::ModuleOp::create(loc);
  mlir::OpBuilder builder(&context);
  builder.setInsertionPointToStart(made->getBody());
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
  mlir::Value result = (*op)->getResult(wanted.number);
  mlir::func::ReturnOp::create(builder, loc, result);
  function.setFunctionType(builder.getFunctionType(types, result.getType()));
  module = std::move(made);
}

TestFunction::TestFunction(std::string_view text) {
  context.loadDialect<ir::TandemDialect, mlir::func::FuncDialect>();
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

bool TestFunction::differentiate(const std::vector<int64_t> &wrt,
                                 int64_t loss) {
  DifferentiateOptions options;
  options.wrt.assign(wrt.begin(), wrt.end());
  options.loss = loss;
  options.hasSeed = true;
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  if (numForward == 0)
    numForward = function.getBody().front().getOperations().size() - 1;
  return succeeded(tandem::differentiate(function, options));
}

std::vector<Tensor> TestFunction::run(const std::vector<Tensor> &inputs) const {
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

void test::fill(Tensor &tensor, std::pair<double, double> range,
                std::mt19937_64 &rng) {
  const int64_t count = tensor.type().shape.numElements();
  const double gap = (range.second - range.first) / double(count);
  std::uniform_real_distribution<double> jitter(0.25, 0.75);
  double *values = tensor.as<double>();
  for (int64_t i = 0; i < count; ++i)
    values[i] = range.first + gap * (double(i) + jitter(rng));
  std::shuffle(values, values + count, rng);
}

static double dot(const Tensor &a, const Tensor &b,
                  double *magnitude = nullptr) {
  double sum = 0;
  for (int64_t i = 0; i < a.type().shape.numElements(); ++i) {
    const double product = a.as<double>()[i] * b.as<double>()[i];
    sum += product;
    if (magnitude)
      *magnitude += std::fabs(product);
  }
  return sum;
}

static Tensor moved(const Tensor &x, const Tensor &direction, double step) {
  Tensor result = emptyTensor(x.type());
  for (int64_t i = 0; i < x.type().shape.numElements(); ++i)
    result.as<double>()[i] =
        x.as<double>()[i] + step * direction.as<double>()[i];
  return result;
}

std::vector<int64_t> test::floatsAmong(const std::vector<Tensor> &operands) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].dtype() == DType::f64)
      numbers.push_back(int64_t(i));
  return numbers;
}

Tensor test::randomSeed(const TestFunction &function,
                        const std::vector<Tensor> &operands,
                        std::mt19937_64 &rng) {
  Tensor seed = emptyTensor(function.run(operands)[0].type());
  fill(seed, {-1, 1}, rng);
  return seed;
}

bool Comparison::agrees() const {
  return std::fabs(difference - derivative) <= tolerance;
}

Comparison test::compareDerivatives(const TestFunction &function,
                                    const TestFunction &gradients,
                                    const std::vector<Tensor> &operands,
                                    size_t loss,
                                    const std::vector<int64_t> &wrt,
                                    std::mt19937_64 &rng) {
  Tensor seed = emptyTensor(function.run(operands)[loss].type());
  fill(seed, {-1, 1}, rng);
  std::vector<Tensor> inputs = operands, above = inputs, below = inputs;
  inputs.push_back(seed);
  const std::vector<Tensor> results = gradients.run(inputs);
  Comparison comparison;
  double magnitude = 0, total = 0;
  for (size_t i = 0; i < wrt.size(); ++i) {
    const Tensor &x = operands[size_t(wrt[i])];
    const Tensor &gradient = results.at(results.size() - wrt.size() + i);
    EXPECT_EQ(gradient.type(), x.type());
    Tensor direction = emptyTensor(x.type());
    fill(direction, {-1, 1}, rng);
    comparison.derivative += dot(gradient, direction, &magnitude);
    above[size_t(wrt[i])] = moved(x, direction, kStep);
    below[size_t(wrt[i])] = moved(x, direction, -kStep);
  }
  comparison.difference = (dot(function.run(above)[loss], seed, &total) -
                           dot(function.run(below)[loss], seed)) /
                          (2 * kStep);
  comparison.tolerance = kTolerance * (magnitude + 1e-3 * total);
  return comparison;
}

void test::checkDerivatives(const TestFunction &function,
                            const TestFunction &gradients,
                            const std::vector<Tensor> &operands, size_t loss,
                            const std::vector<int64_t> &wrt,
                            std::mt19937_64 &rng) {
  const Comparison comparison =
      compareDerivatives(function, gradients, operands, loss, wrt, rng);
  EXPECT_TRUE(comparison.agrees()) << "difference " << comparison.difference
                                   << ", derivative " << comparison.derivative;
}
