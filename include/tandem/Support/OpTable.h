//===- OpTable.h - The table of all ops -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of each op, from the table in Ops.def. Because -Wswitch is an
// error and switches over op kinds have no `default`, the code does not compile
// if an op has no row in the table or if a switch over a family misses an op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPTABLE_H
#define TANDEM_SUPPORT_OPTABLE_H

#include "tandem/Support/OpKinds.h"

namespace tandem {

/// The number of operations that one transcendental function counts as.
inline constexpr int kTranscendentalFlops = 20;

/// The family of an op, as far as most passes distinguish ops.
enum class OpFamily : uint8_t {
  elementwise,   ///< Functions of elements; operands broadcast as in NumPy.
  shape,         ///< Ops that move elements and do not compute any.
  contraction,   ///< Sums of products.
  window,        ///< Pooling.
  reduction,     ///< Reductions over whole dims.
  normalization, ///< Ops that scale and shift the elements of an operand.
  indexing,      ///< Ops that place or order elements by computed indices.
  structure,     ///< Ops with unknown semantics (custom_call).
};

/// The element types that an elementwise op accepts.
enum class Domain : uint8_t { any, number, floating, integer, boolean };

/// The rounding of the elements of a float result.
enum class Rounding : uint8_t {
  exact,    ///< The result is exact; nothing is rounded.
  once,     ///< The exact result is rounded once, as in IEEE 754.
  function, ///< The error is a few units in the last place (docs/Eager.md).
  own,      ///< The op has its own rule (ErrorBounds.h).
};

/// The range of an op's float results, apart from NaN. Ranges include
/// infinities. A result that underflows to zero keeps its sign.
enum class Range : uint8_t {
  any,           ///< All numbers.
  nonNegative,   ///< +0 and above; the sign bit is never set.
  unit,          ///< From +0 to 1.
  signedUnit,    ///< From -1 to 1.
  keepsSign,     ///< +0 and above if there are float operands and all of them
                 ///< are +0 or above; otherwise all numbers.
  keepsSignUnit, ///< From +0 to 1 if all float operands are +0 or above;
                 ///< otherwise from -1 to 1.
};

/// The number of elements of the first operand that are read to compute one
/// element of the result.
enum class Reads : uint8_t {
  one,     ///< One element, because elements are mapped or moved.
  taps,    ///< The taps of a convolution times the input channels of a group.
  columns, ///< The number of columns of the left matrix.
  window,  ///< The number of elements of a pooling window.
  reduced, ///< The product of the sizes of the reduced dims.
  shared,  ///< Not defined: elements cannot be computed one at a time.
};

/// A row of the table: the properties of one op.
struct OpInfo {
  OpFamily family;
  /// The minimum and the maximum number of operands. -1 means no maximum.
  int8_t minOperands, maxOperands;
  /// The type of the op's attributes in Op.fbs.
  fb::OpAttrs attrs;
  /// The accepted element types. For ops that are not elementwise, the domain
  /// is `any`, and the shape rule checks the types.
  Domain domain;
  Rounding rounding;
  Range range;
  Reads reads;
  /// The number of operations per element that is read (Reads) for an element
  /// of the result. If `reads` is Reads::shared, the number of operations per
  /// element of the result. A multiply-add counts as two operations.
  int16_t flops;

  constexpr bool isElementwise() const {
    return family == OpFamily::elementwise;
  }
  /// Returns true if the op is elementwise and costs at least as much as a
  /// transcendental function.
  constexpr bool isTranscendental() const {
    return isElementwise() && flops >= kTranscendentalFlops;
  }
  /// Returns true if no float result has the sign bit set, apart from NaN.
  constexpr bool isNonNegative() const {
    return range == Range::nonNegative || range == Range::unit;
  }
  /// Returns true if no float result has the sign bit set (apart from NaN) when
  /// no float operand has the sign bit set.
  constexpr bool keepsSign() const {
    return range == Range::keepsSign || range == Range::keepsSignUnit;
  }
  /// Returns true if the magnitude of every float result is at most 1.
  constexpr bool isInUnit() const {
    return range == Range::unit || range == Range::signedUnit ||
           range == Range::keepsSignUnit;
  }
};

/// Returns the table row of an op.
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
