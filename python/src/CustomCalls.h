//===- CustomCalls.h - Python functions that graphs call --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_CUSTOMCALLS_H
#define TANDEM_PYTHON_CUSTOMCALLS_H

#include "Errors.h"

#include <string>

namespace tandem::python {

/// Registers a Python function for custom_call ops on the CPU, for the rest of
/// the process. The function takes copies of the operands as arrays of numpy,
/// and `config` if the op has one, and returns an array for each result.
/// `gradient` is the target of its gradient (CustomCall::gradient), or empty.
void addCustomCall(const std::string &target, nb::object function,
                   double relativeError, const std::string &gradient);
/// Whether any function was registered. The GIL must be held.
bool areCustomCallsKnown();

} // namespace tandem::python

#endif // TANDEM_PYTHON_CUSTOMCALLS_H
