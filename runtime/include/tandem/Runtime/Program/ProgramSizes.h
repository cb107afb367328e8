//===- ProgramSizes.h - Sizes that depend on the inputs ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An eager program may have dynamic dims. Most sizes follow from the shape
// rules of the ops. Sizes that do not, such as those of a reshape to (N, L,
// 64), are expressions of the sizes of the inputs (SizeExpression in
// Program.fbs).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PROGRAMSIZES_H
#define TANDEM_RUNTIME_PROGRAM_PROGRAMSIZES_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// Returns the sizes of the input dims that the expressions of a program refer
/// to (`size_symbols`). `inputs` are the types of a call. They are static and
/// fit the program (checkInputs).
std::vector<int64_t> symbolSizes(const fb::ProgramT &program,
                                 std::span<const TensorType> inputs);

/// Returns a copy of the op of a step in which every entry that has an
/// expression is replaced by its value. Fails with phase "shape" if an
/// expression divides by 0 or overflows. The step must have been verified.
Expected<OpDesc> resolveSizes(const fb::StepT &step,
                              std::span<const int64_t> symbols);

/// Checks that the expressions of a step are well formed and refer to symbols
/// of the program, that each belongs to another unknown entry of an attribute,
/// and that every unknown entry has one. Fails if a compiled program has
/// expressions.
Status verifySizes(const fb::ProgramT &program, const fb::StepT &step);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMSIZES_H
