//===- OpTable.h - What is known of each op ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of Ops.def. An op that has no row there, or no case where a
// family is switched over, does not compile: -Wswitch is an error, and such
// switches have no `default`.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPTABLE_H
#define TANDEM_SUPPORT_OPTABLE_H

#include "tandem/Support/OpKinds.h"

namespace tandem {

/// What a transcendental function counts in operations.
inline constexpr int kTranscendentalFlops = 20;

enum class OpFamily : uint8_t {
  elementwise,   ///< Operands broadcast as in NumPy.
  shape,         ///< Elements are moved, none is computed.
  contraction,   ///< Sums of products.
  window,        ///< Pooling.
  reduction,     ///< Over whole dims.
  normalization, ///< As many elements as the operand has, scaled and moved.
  structure,     ///< Says itself what it is.
};

/// The element types that an elementwise op works on.
enum class Domain : uint8_t { any, number, floating, boolean };

/// How the elements of a float result are rounded.
enum class Rounding : uint8_t {
  exact,    ///< Not at all.
  once,     ///< As IEEE 754 rounds an operation.
  function, ///< By a few units in the last place (docs/Eager.md).
  own,      ///< By a rule of the op's own (ErrorBounds.h).
};

/// How many elements of its first operand one element of the result reads.
enum class Reads : uint8_t {
  one,     ///< Elements are mapped or moved.
  taps,    ///< Of a convolution's kernel, for each input channel of a group.
  columns, ///< Of the left matrix.
  window,  ///< All of a pooling window.
  reduced, ///< The sizes of the reduced dims, multiplied.
  shared,  ///< Elements cannot be computed one at a time.
};

/// A row of the table.
struct OpInfo {
  OpFamily family;
  /// Operands; -1: any number.
  int8_t minOperands, maxOperands;
  fb::OpAttrs attrs;
  /// `any` of ops that are not elementwise: their shape rules check types.
  Domain domain;
  Rounding rounding;
  Reads reads;
  /// Operations for each element that is read to make an element of the result;
  /// per element of the result where those are shared. A multiply-add is two.
  int16_t flops;

  constexpr bool isElementwise() const {
    return family == OpFamily::elementwise;
  }
  /// Whether it costs as much as a transcendental function.
  constexpr bool isTranscendental() const {
    return isElementwise() && flops >= kTranscendentalFlops;
  }
};

/// The row of an op.
constexpr OpInfo getOpInfo(OpKind kind) {
  switch (kind) {
#define TANDEM_ELEMENTWISE(kind, operands, attrs, domain, rounding, flops)     \
  case OpKind::kind:                                                           \
    return {OpFamily::elementwise,                                             \
            operands,                                                          \
            operands,                                                          \
            fb::OpAttrs::attrs,                                                \
            Domain::domain,                                                    \
            Rounding::rounding,                                                \
            Reads::one,                                                        \
            int16_t(flops)};
#define TANDEM_UNARY(kind, attrs, domain, rounding, flops)                     \
  TANDEM_ELEMENTWISE(kind, 1, attrs, domain, rounding, flops)
#define TANDEM_BINARY(kind, attrs, domain, rounding, flops)                    \
  TANDEM_ELEMENTWISE(kind, 2, attrs, domain, rounding, flops)
#define TANDEM_OP(kind, family, least, most, attrs, rule, rounding, reads,     \
                  flops)                                                       \
  case OpKind::kind:                                                           \
    return {OpFamily::family,   least,         most,                           \
            fb::OpAttrs::attrs, Domain::any,   Rounding::rounding,             \
            Reads::reads,       int16_t(flops)};
#include "tandem/Support/Ops.def"
  }
  __builtin_unreachable();
}

} // namespace tandem

#endif // TANDEM_SUPPORT_OPTABLE_H
