//===- OpKinds.h - The kinds of elementwise ops -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of elementwise ops with one operand and with two operands. Source
// files of kernels, which are compiled once for each of several x86-64 levels
// (such as x86-64-v3), include this header. The header therefore contains no
// functions: each of these compilations would emit its own copy of an inline
// function, and the linker could choose a copy that the processor cannot run.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPKINDS_H
#define TANDEM_SUPPORT_OPKINDS_H

#include "tandem/Support/Op_generated.h"

#include <cstdint>

namespace tandem {

using fb::OpKind;

/// The kinds of elementwise functions of one operand. Each enumerator has the
/// same value as the enumerator of OpKind with the same name. A separate
/// enumeration lets the compiler check that a switch covers all unary kinds.
enum class UnaryKind : uint8_t {
#define TANDEM_UNARY(kind, ...) kind = uint8_t(OpKind::kind),
#include "tandem/Support/Ops.def"
};
/// The kinds of elementwise functions of two operands that have the same type.
/// The enumerators have the same values as in OpKind.
enum class BinaryKind : uint8_t {
#define TANDEM_BINARY(kind, ...) kind = uint8_t(OpKind::kind),
#include "tandem/Support/Ops.def"
};

/// All unary kinds.
inline constexpr OpKind kUnaryKinds[] = {
#define TANDEM_UNARY(kind, ...) OpKind::kind,
#include "tandem/Support/Ops.def"
};
/// All binary kinds.
inline constexpr OpKind kBinaryKinds[] = {
#define TANDEM_BINARY(kind, ...) OpKind::kind,
#include "tandem/Support/Ops.def"
};

} // namespace tandem

#endif // TANDEM_SUPPORT_OPKINDS_H
