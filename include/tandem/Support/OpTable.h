//===- OpTable.h - The table of all ops -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of each op, from the table in Ops.def. An op without a row
// there does not compile, nor does a switch over a family that lacks one of its
// ops: -Wswitch is an error, and such switches have no `default`.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPTABLE_H
#define TANDEM_SUPPORT_OPTABLE_H

#include "tandem/Support/OpKinds.h"

namespace tandem {

/// The number of operations that a transcendental function counts as.
inline constexpr int kTranscendentalFlops = 20;

/// What an op does, as far as most passes distinguish.
enum class OpFamily : uint8_t {
  elementwise,   ///< Operands broadcast as in NumPy.
  shape,         ///< Elements are moved, not computed.
  contraction,   ///< Sums of products.
  window,        ///< Pooling.
  reduction,     ///< Over whole dims.
  normalization, ///< As many elements as the operand has, scaled and moved.
  indexing,      ///< Elements are put at, or ordered into, computed places.
  structure,     ///< Unknown semantics (custom_call).
};

/// The element types that an elementwise op accepts.
enum class Domain : uint8_t { any, number, floating, integer, boolean };

/// How the elements of a float result are rounded.
enum class Rounding : uint8_t {
  exact,    ///< Not at all: the result is exact.
  once,     ///< As IEEE 754 rounds an operation.
  function, ///< Within a few units in the last place (docs/Eager.md).
  own,      ///< By a rule of the op's own (ErrorBounds.h).
};

/// The results of floats that an op can have, besides NaN, from -inf to inf. A
/// result that underflows to a zero keeps its sign.
enum class Range : uint8_t {
  any,           ///< Every number.
  nonNegative,   ///< From +0 on: no sign bit is set.
  unit,          ///< From +0 to 1.
  signedUnit,    ///< From -1 to 1.
  keepsSign,     ///< From +0 on if all of its operands of floats are, of which
                 ///< there is at least one; otherwise every number.
  keepsSignUnit, ///< Both of these: from +0 to 1 if its operands are from +0
                 ///< on.
};

/// How many elements of its first operand one element of the result reads.
enum class Reads : uint8_t {
  one,     ///< Elements are mapped or moved.
  taps,    ///< Taps of a convolution times input channels of a group.
  columns, ///< The columns of the left matrix.
  window,  ///< All of a pooling window.
  reduced, ///< The sizes of the reduced dims, multiplied.
  shared,  ///< Not defined: elements cannot be computed one at a time.
};

/// A row of the table: what is known of one op.
struct OpInfo {
  OpFamily family;
  /// The least and the most operands; -1 for any number.
  int8_t minOperands, maxOperands;
  /// The type of its attributes in Op.fbs.
  fb::OpAttrs attrs;
  /// For ops that are not elementwise it is `any`, and their shape rules check
  /// the types.
  Domain domain;
  Rounding rounding;
  Range range;
  Reads reads;
  /// Operations per element that is read for an element of the result; where
  /// reads are shared, operations per element of the result. A multiply-add
  /// counts as two.
  int16_t flops;

  constexpr bool isElementwise() const {
    return family == OpFamily::elementwise;
  }
  /// Whether it is elementwise and costs as much as a transcendental function.
  constexpr bool isTranscendental() const {
    return isElementwise() && flops >= kTranscendentalFlops;
  }
  /// Whether no result of floats has its sign bit set, NaN aside.
  constexpr bool isNonNegative() const {
    return range == Range::nonNegative || range == Range::unit;
  }
  /// The same where no operand of floats has it set.
  constexpr bool keepsSign() const {
    return range == Range::keepsSign || range == Range::keepsSignUnit;
  }
  /// Whether no result of floats is larger in magnitude than 1.
  constexpr bool isInUnit() const {
    return range == Range::unit || range == Range::signedUnit ||
           range == Range::keepsSignUnit;
  }
};

/// The row of an op.
constexpr OpInfo getOpInfo(OpKind kind) {
  switch (kind) {
#define TANDEM_ELEMENTWISE(kind, operands, attrs, domain, rounding, range,     \
                           flops)                                              \
  case OpKind::kind:                                                           \
    return {OpFamily::elementwise, operands,       operands,                   \
            fb::OpAttrs::attrs,    Domain::domain, Rounding::rounding,         \
            Range::range,          Reads::one,     int16_t(flops)};
#define TANDEM_UNARY(kind, attrs, domain, rounding, range, flops)              \
  TANDEM_ELEMENTWISE(kind, 1, attrs, domain, rounding, range, flops)
#define TANDEM_BINARY(kind, attrs, domain, rounding, range, flops)             \
  TANDEM_ELEMENTWISE(kind, 2, attrs, domain, rounding, range, flops)
#define TANDEM_OP(kind, family, least, most, attrs, rule, rounding, range,     \
                  reads, flops)                                                \
  case OpKind::kind:                                                           \
    return {OpFamily::family,   least,        most,                            \
            fb::OpAttrs::attrs, Domain::any,  Rounding::rounding,              \
            Range::range,       Reads::reads, int16_t(flops)};
#include "tandem/Support/Ops.def"
  }
  __builtin_unreachable();
}

} // namespace tandem

#endif // TANDEM_SUPPORT_OPTABLE_H
