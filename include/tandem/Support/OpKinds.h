//===- OpKinds.h - The kinds of elementwise ops -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of elementwise ops with one and with two operands. This header has
// no functions, because kernels that are compiled for several levels of x86-64
// include it: an inline function could be linked at the wrong level.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPKINDS_H
#define TANDEM_SUPPORT_OPKINDS_H

#include "tandem/Support/Op_generated.h"

#include <cstdint>

namespace tandem {

using fb::OpKind;

/// The elementwise functions of one operand, and those of two operands of the
/// same type. They are types of their own, so that the compiler checks that a
/// switch covers all of them. The numbers are those of OpKind.
enum class UnaryKind : uint8_t {
#define TANDEM_UNARY(kind, ...) kind = uint8_t(OpKind::kind),
#include "tandem/Support/Ops.def"
};
enum class BinaryKind : uint8_t {
#define TANDEM_BINARY(kind, ...) kind = uint8_t(OpKind::kind),
#include "tandem/Support/Ops.def"
};

inline constexpr OpKind kUnaryKinds[] = {
#define TANDEM_UNARY(kind, ...) OpKind::kind,
#include "tandem/Support/Ops.def"
};
inline constexpr OpKind kBinaryKinds[] = {
#define TANDEM_BINARY(kind, ...) OpKind::kind,
#include "tandem/Support/Ops.def"
};

} // namespace tandem

#endif // TANDEM_SUPPORT_OPKINDS_H
