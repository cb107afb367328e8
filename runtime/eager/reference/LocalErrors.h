//===- LocalErrors.h - The rounding errors of one op ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H

#include "Evaluate.h"

#include "tandem/Support/Choices.h"

#include <vector>

namespace tandem::reference {

/// Bounds the rounding errors of one op's own arithmetic. For each element of
/// `result`, which the reference has computed from `operands`, returns how far
/// the result of another tier on the same operands may be from it. A bound is
/// infinite where an intermediate result may overflow in one order of
/// evaluation and not in another. An empty vector means zero for all elements.
/// `termsBefore` is the largest sumTerms of the ops that made the operands: it
/// matters because a kernel may begin a sum with a term that the graph adds to
/// it afterwards.
std::vector<double> localErrors(const OpDesc &op, Operands operands,
                                const Tensor &result, Precision precision,
                                double termsBefore = 1);

/// The number of products that a contraction adds up for each element; 1 for
/// other ops.
double sumTerms(const OpDesc &op, Operands operands, const Tensor &result);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
