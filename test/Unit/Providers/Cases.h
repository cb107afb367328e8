//===- Cases.h - Making and running ops in tests ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_PROVIDERS_CASES_H
#define TANDEM_TEST_UNIT_PROVIDERS_CASES_H

#include "../MakeOp.h"

#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Provider.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace tandem::test {

inline const auto &kDTypes = fb::EnumValuesDType();

/// A tensor of these values, rounded to the type.
Tensor tensorOf(DType dtype, const Shape &shape,
                const std::vector<double> &values);
Tensor emptyTensor(const TensorType &type);
/// The elements of any type as doubles.
std::vector<double> valuesOf(const Tensor &tensor);

/// Runs one op with one provider; the result type comes from the shape rule.
Expected<Tensor> run(const Provider &provider, const OpDesc &op,
                     const std::vector<Tensor> &operands);
/// The same with all results.
Expected<std::vector<Tensor>> runAll(const Provider &provider, const OpDesc &op,
                                     const std::vector<Tensor> &operands);
/// The same with the reference; a failure fails the test.
Tensor reference(const OpDesc &op, const std::vector<Tensor> &operands);
std::vector<double> referenceValues(const OpDesc &op,
                                    const std::vector<Tensor> &operands);

bool supports(const Provider &provider, const OpDesc &op,
              const std::vector<Tensor> &operands);

struct Case {
  OpDesc op;
  std::vector<Tensor> operands;

  std::string describe() const;
};

/// A random op of a kind on operands of an element type; every attribute and
/// shape is random. None where the kind does not take the type.
std::optional<Case> randomCase(OpKind kind, DType dtype, std::mt19937_64 &rng);

/// The case by the reference, and how far a correct result may be from it.
BoundedTensor referenceWithBounds(const Case &c);
std::vector<BoundedTensor> allReferencesWithBounds(const Case &c);

/// Compares a provider with the reference on a case, if it supports it; fails
/// the test with the case's text. A test whose cases were all left out fails,
/// too: the number of those that were compared is its property "compared".
void checkAgainstReference(const Provider &provider, const Case &c);

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_PROVIDERS_CASES_H
