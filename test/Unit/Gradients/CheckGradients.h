//===- CheckGradients.h - Gradients against differences ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_GRADIENTS_CHECKGRADIENTS_H
#define TANDEM_TEST_UNIT_GRADIENTS_CHECKGRADIENTS_H

#include "tandem/Dialect/Tandem/Transforms/Differentiate.h"
#include "tandem/Runtime/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>
#include <vector>

namespace tandem::test {

struct Case;

/// A result of the op of a case.
struct CaseResult {
  const Case &op;
  unsigned number = 0;
};

/// A module with the function `main`, which the reference tier runs.
class TestFunction {
public:
  /// A function of one op, which returns one of the op's results.
  explicit TestFunction(const CaseResult &result);
  /// Parses a function.
  explicit TestFunction(std::string_view text);

  /// False if the op or the text is not valid.
  bool isValid() const { return bool(module); }

  /// Appends an argument for the seed, and the gradients of result `loss` with
  /// respect to `wrt`.
  bool differentiate(const std::vector<int64_t> &wrt, int64_t loss);

  std::vector<Tensor> run(const std::vector<Tensor> &inputs) const;

  /// The number of ways in which `mutate` can make the ops that `differentiate`
  /// has added wrong.
  size_t countMutants();
  /// Makes one op wrong. Returns the name of the op and what was done.
  std::string mutate(size_t number);

private:
  /// Applies mutant `number`, unless there are fewer; `number` becomes what is
  /// left to count.
  std::string applyMutant(size_t &number, bool isApplied);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The ops of the function before it was differentiated.
  size_t numForward = 0;
};

/// A derivative along a direction, by gradients and by differences.
struct Comparison {
  double derivative = 0, difference = 0, tolerance = 0;
  bool agrees() const;
};

/// Fills a tensor of f64 with random numbers in random order that are further
/// apart than two steps of a difference, so that no difference goes over a tie.
void fill(Tensor &tensor, std::pair<double, double> range,
          std::mt19937_64 &rng);

/// Checks the gradients of the function's first result with respect to all
/// operands of f64 and, if `isTwice`, the derivatives of the first of these
/// gradients. `make` makes the function. Gradients are multiplied by random
/// directions and compared with central differences.
template <typename Make>
void checkFunction(const Make &make, const std::vector<Tensor> &operands,
                   bool isTwice, std::mt19937_64 &rng);

/// Compares the derivatives of result `loss` of `function`, times random
/// numbers and summed, with differences. They are taken along a random
/// direction in the operands `wrt`. The last results of `gradients` are the
/// gradients.
Comparison compareDerivatives(const TestFunction &function,
                              const TestFunction &gradients,
                              const std::vector<Tensor> &operands, size_t loss,
                              const std::vector<int64_t> &wrt,
                              std::mt19937_64 &rng);
/// Expects that they agree.
void checkDerivatives(const TestFunction &function,
                      const TestFunction &gradients,
                      const std::vector<Tensor> &operands, size_t loss,
                      const std::vector<int64_t> &wrt, std::mt19937_64 &rng);

/// The numbers of the operands of f64.
std::vector<int64_t> floatsAmong(const std::vector<Tensor> &operands);
/// An operand of the type of the function's first result, with random numbers.
Tensor randomSeed(const TestFunction &function,
                  const std::vector<Tensor> &operands, std::mt19937_64 &rng);

template <typename Make>
void checkFunction(const Make &make, const std::vector<Tensor> &operands,
                   bool isTwice, std::mt19937_64 &rng) {
  const std::vector<int64_t> wrt = floatsAmong(operands);
  TestFunction function(make), first(make), second(make);
  ASSERT_TRUE(function.isValid());
  ASSERT_TRUE(first.differentiate(wrt, 0));
  checkDerivatives(function, first, operands, 0, wrt, rng);
  if (!isTwice)
    return;
  std::vector<Tensor> more = operands;
  more.push_back(randomSeed(function, operands, rng));
  const std::vector<int64_t> all = floatsAmong(more);
  // The function's other results are before the gradients.
  const auto loss = static_cast<int64_t>(function.run(operands).size());
  ASSERT_TRUE(second.differentiate(wrt, 0));
  ASSERT_TRUE(second.differentiate(all, loss));
  checkDerivatives(first, second, more, size_t(loss), all, rng);
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_GRADIENTS_CHECKGRADIENTS_H
