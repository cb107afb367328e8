//===- OpTable.h - The table of all ops -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of each op, from the table in Ops.def. A switch over op kinds
// has no `default`, and -Wswitch is an error. The code therefore does not
// compile if an op has no row in the table, or if a switch over the ops of a
// family misses one of them.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPTABLE_H
#define TANDEM_SUPPORT_OPTABLE_H

#include "tandem/Support/OpKinds.h"

namespace tandem {

/// The number of operations that one evaluation of a transcendental function,
/// such as exp, counts as in cost estimates.
inline constexpr int kTranscendentalFlops = 20;
/// The number of operations of one element of a random op: ten rounds of two
/// products, two high halves and four exclusive ors.
inline constexpr int kPhiloxOperations = 80;

/// The family of an op, as far as most passes distinguish ops.
enum class OpFamily : uint8_t {
  elementwise,   ///< Functions of elements; operands broadcast as in NumPy.
  shape,         ///< Ops that only move elements, iota and random.
  contraction,   ///< Sums of products: conv, its gradients, and matmul.
  window,        ///< Pools, their gradients, and resize.
  reduction,     ///< Reductions over whole dims: reduce.
  normalization, ///< batch_norm, moments, softmax, layer_norm, and the
                 ///< gradients of the last two.
  indexing,      ///< Ops that place or order elements: scatter, topk, sort.
  line,          ///< Ops whose results depend on many elements of a line along
                 ///< one dim: scan, fft.
  structure,     ///< Ops with unknown semantics: custom_call.
};

/// The results of an op.
enum class Results : uint8_t {
  one,         ///< One result.
  withIndices, ///< Two results. The second has the shape of the first, and its
               ///< elements are indices of type i64.
  withTaps,    ///< Two results. The second has the shape of the first, and its
               ///< elements are numbers of taps of a window, of type ui8.
  pair,        ///< Two results of the same type.
  withStatistics, ///< Three results. The second and the third are statistics of
                  ///< the lines that layer_norm normalizes. They have the shape
                  ///< of the first with size 1 in place of the normalized dims,
                  ///< and the type in which the op computes.
  gradients,      ///< Three results: the gradients of the input, the scale and
                  ///< the offset of a layer_norm.
  declared,       ///< The op's attributes give the types of the results.
};

/// The element types that an elementwise op accepts. `number` includes all
/// types except i1, and `integer` includes all signed and unsigned integer
/// types except i1.
enum class Domain : uint8_t { any, number, floating, integer, boolean };

/// The rounding of the elements of a float result. The values differ only in
/// what affects the error of an element.
enum class Rounding : uint8_t {
  exact,      ///< The result is exact; nothing is rounded.
  once,       ///< The exact result is rounded once, as in IEEE 754.
  function,   ///< The error is a few units in the last place (docs/Eager.md).
  cancelling, ///< As for `function`, and also a few units of the operand,
              ///< because the computation cancels (1 + erf(x) in gelu).
  power,      ///< As for `function`, and also a few units times the result and
              ///< its logarithm, because exponents are rounded (pow).
  conversion, ///< A cast. All tiers round equal numbers to equal results.
  sum,        ///< A sum of terms in any order.
  mean,       ///< A sum of terms in any order, divided by their number.
  product,    ///< A product of factors in any order.
  updates,   ///< A sum or product of updates in a fixed order, which is rounded
             ///< to the type of the result after each update.
  moments,   ///< A mean and a sum of squares of distances from it, in f64.
  batchNorm, ///< (x - mean) / deviation * scale + offset, in several forms.
  softmax,   ///< An exponential divided by a sum of exponentials.
  softmaxBackward, ///< A factor times the distance from a sum of products,
                   ///< which is a sum of terms in any order.
  layerNorm,       ///< (x - mean) / deviation * scale + offset, where mean and
                   ///< deviation are those of a line.
  layerNormBackward, ///< Sums of products along lines and over all lines, and
                     ///< differences from such sums.
  logSumExp,         ///< The logarithm of a sum of exponentials in any order.
  fourier, ///< A discrete Fourier transform, whose errors are relative to the
           ///< Euclidean norm of a line.
  unknown, ///< A custom_call. Equal operands give equal results.
  own,     ///< Depends on attributes (reduce, resize, scan, scatter): see
           ///< errorsOf in OpErrors.h.
};

/// How a small relative error of an operand changes a float result. x is an
/// operand, f(x) the result with the other operands fixed, and f'(x) its
/// derivative, apart from jumps. If several hold, the table has the first one.
enum class Condition : uint8_t {
  none,        ///< f'(x) = 0: nothing changes between jumps.
  relative,    ///< |x f'(x)| <= |f(x)|: the relative error does not grow.
  normwise,    ///< |x f'(x)| <= max |f|: the error does not grow relative to
               ///< the largest results, but results near 0 may change a lot.
  exponential, ///< |f'(x)| <= |f(x)|: the absolute error becomes a relative
               ///< one.
  steep,       ///< None of these, such as for asin near 1.
  own, ///< Depends on attributes (reduce, resize, scan, scatter): see errorsOf
       ///< in OpErrors.h.
};

/// The values x (and y) of the operands at which the result jumps: there, an
/// arbitrarily small change of an operand changes the result a lot.
enum class Jumps : uint8_t {
  never,
  atZero,            ///< x = 0
  atIntegers,        ///< x is an integer.
  atNonzeroIntegers, ///< x is an integer other than 0.
  atHalves,          ///< x is halfway between two integers.
  atMultiples,       ///< x is a multiple of y other than 0.
  whereEqual,        ///< x = y
  byRank,            ///< Elements that are compared with each other are equal.
  everywhere,
  own, ///< Depends on attributes or types: see jumpsOf in OpErrors.h.
};

/// The length of the code that computes one element of an elementwise op.
enum class CodeSize : uint8_t {
  simple,   ///< A few instructions.
  function, ///< As long as the code of exp.
  large,    ///< Several times as long as the code of exp.
};

/// Returns the number of operations that one element of an elementwise op with
/// code of this size counts as (OpInfo::flops).
constexpr int16_t flopsOf(CodeSize code) {
  return code == CodeSize::simple ? 1 : kTranscendentalFlops;
}

/// The range of an op's float results, apart from NaN. A range without an upper
/// bound includes infinity. A result that underflows to zero keeps its sign.
enum class Range : uint8_t {
  any,           ///< All numbers.
  nonNegative,   ///< +0 or more; the sign bit is never set.
  unit,          ///< From +0 to 1.
  signedUnit,    ///< From -1 to 1.
  keepsSign,     ///< +0 or more if the op has float operands and all elements
                 ///< of these are +0 or more; otherwise all numbers.
  keepsSignUnit, ///< From +0 to 1 if all elements of the float operands are +0
                 ///< or more; otherwise from -1 to 1.
};

/// The number of elements of the first operand that are read to compute one
/// element of the result.
enum class Reads : uint8_t {
  one,   ///< One element.
  taps,  ///< Kernel taps times the input channels per group (conv).
  phase, ///< The largest number of kernel taps that meet elements of the
         ///< operand at one position of the result, times the input channels
         ///< per group (conv_backward_data). Other positions have fewer taps,
         ///< which the number of operations accounts for.
  positions, ///< The number of elements of one channel of the second operand
             ///< (conv_backward_weights). Windows at the borders of the first
             ///< operand count although some of their taps are in the padding.
  columns,   ///< The number of columns of the left matrix (matmul).
  window,    ///< The number of elements of a pooling window.
  windows,   ///< The largest number of pooling windows that an element of the
             ///< pool's input lies in (max_pool_backward, avg_pool_backward).
  interpolation, ///< The product, over the resized dims, of the largest number
                 ///< of elements that one position of the result is computed
                 ///< from (resize).
  reduced,       ///< The product of the sizes of the reduced dims.
  shared,        ///< Undefined: result elements are not computed independently.
};

/// The gradients of an op (docs/Gradients.md).
enum class Gradient : uint8_t {
  zero, ///< All gradients are zeros: the result is piecewise constant, or not
        ///< of floats.
  rule, ///< The op builds gradients, for some attributes only if the op's
        ///< description says so (scatter).
  none, ///< The op has no gradient of its own (custom_call).
};

/// A row of the op table: the properties of one op.
struct OpInfo {
  OpFamily family;
  /// The minimum and the maximum number of operands. -1 means no maximum.
  int8_t minOperands, maxOperands;
  /// The type of the op's attributes in Op.fbs.
  fb::OpAttrs attrs;
  Results results;
  /// The element types that the op accepts. For ops that are not elementwise,
  /// the domain is `any`, and the op's shape rule checks the element types.
  Domain domain;
  Rounding rounding;
  Range range;
  Condition condition;
  Jumps jumps;
  /// For ops that are not elementwise, the value has no meaning.
  CodeSize code;
  Reads reads;
  /// A number of operations. To compute one element of the result, the op
  /// executes `flops` operations for each element of the first operand that it
  /// reads (`reads`). If `reads` is Reads::shared, the op executes `flops`
  /// operations for each element of the result. A multiply-add counts as two
  /// operations.
  int16_t flops;
  Gradient gradient;

  constexpr bool isElementwise() const {
    return family == OpFamily::elementwise;
  }
  /// Returns true if the op is elementwise and costs at least as much as a
  /// transcendental function.
  constexpr bool isTranscendental() const {
    return isElementwise() && code != CodeSize::simple;
  }
  /// Returns true if float results have an error of a few units in the last
  /// place or more, as functions of a library have.
  constexpr bool isRoundedFunction() const {
    return rounding == Rounding::function || rounding == Rounding::cancelling ||
           rounding == Rounding::power;
  }
  /// Returns true if no element of a float result, apart from NaN, has the sign
  /// bit set.
  constexpr bool isNonNegative() const {
    return range == Range::nonNegative || range == Range::unit;
  }
  /// Returns true if the following holds: when no element of a float operand
  /// has the sign bit set, no element of a float result, apart from NaN, has
  /// the sign bit set.
  constexpr bool keepsSign() const {
    return range == Range::keepsSign || range == Range::keepsSignUnit;
  }
  /// Returns true if the magnitude of every element of a float result is at
  /// most 1, apart from NaN.
  constexpr bool isInUnit() const {
    return range == Range::unit || range == Range::signedUnit ||
           range == Range::keepsSignUnit;
  }
};

/// Returns the row of an op in the op table.
constexpr OpInfo getOpInfo(OpKind kind) {
  switch (kind) {
#define TANDEM_ELEMENTWISE(kind, operands, attrs, domain, rounding, range,     \
                           condition, jumps, code, gradient)                   \
  case OpKind::kind:                                                           \
    return {OpFamily::elementwise,                                             \
            operands,                                                          \
            operands,                                                          \
            fb::OpAttrs::attrs,                                                \
            Results::one,                                                      \
            Domain::domain,                                                    \
            Rounding::rounding,                                                \
            Range::range,                                                      \
            Condition::condition,                                              \
            Jumps::jumps,                                                      \
            CodeSize::code,                                                    \
            Reads::one,                                                        \
            flopsOf(CodeSize::code),                                           \
            Gradient::gradient};
#define TANDEM_UNARY(kind, ...) TANDEM_ELEMENTWISE(kind, 1, __VA_ARGS__)
#define TANDEM_BINARY(kind, ...) TANDEM_ELEMENTWISE(kind, 2, __VA_ARGS__)
#define TANDEM_OP(kind, family, least, most, attrs, rule, results, rounding,   \
                  range, condition, jumps, reads, flops, gradient)             \
  case OpKind::kind:                                                           \
    return {OpFamily::family,                                                  \
            least,                                                             \
            most,                                                              \
            fb::OpAttrs::attrs,                                                \
            Results::results,                                                  \
            Domain::any,                                                       \
            Rounding::rounding,                                                \
            Range::range,                                                      \
            Condition::condition,                                              \
            Jumps::jumps,                                                      \
            CodeSize::simple,                                                  \
            Reads::reads,                                                      \
            int16_t(flops),                                                    \
            Gradient::gradient};
#include "tandem/Support/Ops.def"
  }
  __builtin_unreachable();
}

} // namespace tandem

#endif // TANDEM_SUPPORT_OPTABLE_H
