//===- OpKinds.h - The ops of each family -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No functions here: kernels that are compiled for several levels of x86-64
// include it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPKINDS_H
#define TANDEM_SUPPORT_OPKINDS_H

#include "tandem/Support/Op_generated.h"

#include <cstdint>

namespace tandem {

using fb::OpKind;

/// The functions of one operand, and those of two of the same type, as types of
/// their own, so that a switch can be over all of them. The numbers are those
/// of OpKind.
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
