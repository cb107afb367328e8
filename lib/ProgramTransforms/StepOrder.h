//===- StepOrder.h - Orders of steps that hold less memory -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_PROGRAMTRANSFORMS_STEPORDER_H
#define TANDEM_LIB_PROGRAMTRANSFORMS_STEPORDER_H

#include "tandem/Runtime/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// The steps in an order that respects who reads what: next comes the step that
/// adds least to the bytes held (its results, less what dies with it), and of
/// equal ones the first in the program. Types are static. A list schedule: it
/// is often better than program order, and sometimes worse.
std::vector<uint32_t> orderByMemory(const Program &program);

/// Step i becomes what step order[i] was; `order` is a permutation.
void permuteSteps(Program &program, std::span<const uint32_t> order);

} // namespace tandem

#endif // TANDEM_LIB_PROGRAMTRANSFORMS_STEPORDER_H
