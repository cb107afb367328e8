//===- LocalErrors.h - What one op may add to an error ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H

#include "Evaluate.h"

#include <vector>

namespace tandem::reference {

/// For each element of `result`, which reference has computed of `operands`,
/// how far from it the same op of another tier may be on the same operands:
/// the roundings of the op's own arithmetic. Infinite where an intermediate
/// result may overflow in one order of evaluation and not in another. Empty:
/// zero for all elements. `termsBefore`: of what sumTerms said for any operand,
/// the largest: a kernel may begin a sum with what is added to it afterwards.
std::vector<double> localErrors(const OpDesc &op, Operands operands,
                                const Tensor &result, double termsBefore = 1);

/// The number of products that a contraction adds up for an element; 1 for
/// other ops.
double sumTerms(const OpDesc &op, Operands operands, const Tensor &result);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
