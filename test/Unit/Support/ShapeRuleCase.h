//===- ShapeRuleCase.h - One row of a table of shape rules ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_SUPPORT_SHAPERULECASE_H
#define TANDEM_TEST_UNIT_SUPPORT_SHAPERULECASE_H

#include "../MakeOp.h"

#include "tandem/Support/ShapeRules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::test {

inline void expectType(const OpDesc &op, std::vector<TensorType> operands,
                       const TensorType &expected) {
  Expected<TensorType> type = inferType(op, operands);
  ASSERT_TRUE(type) << type.error().str();
  EXPECT_EQ(*type, expected) << type->str() << " for " << name(op.kind);
}

inline void expectError(const OpDesc &op, std::vector<TensorType> operands,
                        const std::string &message) {
  Expected<TensorType> type = inferType(op, operands);
  ASSERT_FALSE(type) << type->str() << " for " << name(op.kind);
  EXPECT_EQ(type.error().phase, "shape");
  EXPECT_THAT(type.error().message, testing::HasSubstr(message));
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_SUPPORT_SHAPERULECASE_H
