//===- StepOrder.h - Orders of steps that hold less memory ------*- C++ -*-===//
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

/// Orders the steps by list scheduling, respecting data dependencies. A step
/// that updates an input (Program::updates) comes after the steps that read the
/// old value, unless these depend on it. Of the steps that may come next, the
/// next step is the one that adds least to the bytes held (its results, less
/// the values that die with it), and of equal ones the first in the program.
/// All types must be static. The order is often better than that of the
/// program, and sometimes worse.
std::vector<uint32_t> orderByMemory(const Program &program);

/// Permutes the steps: step i becomes the former step order[i].
void permuteSteps(Program &program, std::span<const uint32_t> order);

} // namespace tandem

#endif // TANDEM_LIB_PROGRAMTRANSFORMS_STEPORDER_H
