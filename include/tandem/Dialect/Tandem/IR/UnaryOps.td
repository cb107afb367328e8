//===- UnaryOps.td - Elementwise ops of one operand ------ -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_UNARYOPS_TD
#define TANDEM_DIALECT_UNARYOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

// An op that broadcasts its operands as in NumPy. The shapes are aligned at
// their last dims. A dim of size 1 and a missing dim are repeated.
class Tandem_ElementwiseOp<string mnemonic, string attrsTable = "",
                           list<Trait> traits = []>
    : Tandem_Op<mnemonic, attrsTable, !listconcat([
        DeclareOpInterfaceMethods<ElementwiseOpInterface>,
        DeclareOpInterfaceMethods<IndexingOpInterface>], traits), [{
    ::mlir::AffineMap $cppClass::getOperandIndexing(unsigned operand) {
      return ::tandem::ir::detail::getBroadcastIndexing(*this, operand);
    }
  }]>;

class Tandem_UnaryOp<string mnemonic, Type type, string attrsTable = "",
                     list<Trait> traits = []>
    : Tandem_ElementwiseOp<mnemonic, attrsTable, traits> {
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<Signature>(type($input), type($result))
  }];
}

def Tandem_NegOp : Tandem_UnaryOp<"neg", Tandem_Numeric> {
  let summary = "Negation of each element";
  let description = [{
    Integer results wrap around. The negation of the smallest value of a signed
    type is that value. The negation of an unsigned x with w bits is 2**w - x,
    or 0 if x is 0.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.

    Example:
    ```mlir
    %0 = tandem.neg %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_AbsOp : Tandem_UnaryOp<"abs", Tandem_Numeric> {
  let summary = "Absolute value of each element";
  let description = [{
    Integer results wrap around: the absolute value of the smallest value of a
    signed type is that value. Unsigned integers do not change.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.

    Gradients:
    - G1: the gradient at 0 is 0, and at NaN it is NaN.

    Example:
    ```mlir
    %0 = tandem.abs %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_SignOp : Tandem_UnaryOp<"sign", Tandem_Numeric> {
  let summary = "Sign of each element";
  let description = [{
    The result is -1, 0 or 1, in the type of the operand. The result for a zero
    is that zero, including its sign. The result for NaN is NaN.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.

    Example:
    ```mlir
    %0 = tandem.sign %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_ExpOp : Tandem_UnaryOp<"exp", Tandem_Float> {
  let summary = "e to the power of each element";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.exp %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_Expm1Op : Tandem_UnaryOp<"expm1", Tandem_Float> {
  let summary = "e to the power of each element, minus one";
  let description = [{
    The result is accurate near zero, where `exp(x) - 1` would lose digits.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.expm1 %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_LogOp : Tandem_UnaryOp<"log", Tandem_Float> {
  let summary = "Natural logarithm of each element";
  let description = [{
    The result is NaN for negative elements and -inf for zeros.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.log %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_Log1pOp : Tandem_UnaryOp<"log1p", Tandem_Float> {
  let summary = "Natural logarithm of one plus each element";
  let description = [{
    The result is accurate near zero, where `log(1 + x)` would lose digits.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.log1p %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_SqrtOp : Tandem_UnaryOp<"sqrt", Tandem_Float> {
  let summary = "Square root of each element";
  let description = [{
    The result is NaN for negative elements.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.sqrt %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_RsqrtOp : Tandem_UnaryOp<"rsqrt", Tandem_Float> {
  let summary = "Reciprocal of the square root of each element";
  let description = [{
    The result is NaN for negative elements.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for 0 is inf, and the result for -0 is -inf.

    Example:
    ```mlir
    %0 = tandem.rsqrt %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_TanhOp : Tandem_UnaryOp<"tanh", Tandem_Float> {
  let summary = "Hyperbolic tangent of each element";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.tanh %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_SigmoidOp : Tandem_UnaryOp<"sigmoid", Tandem_Float> {
  let summary = "Logistic function 1 / (1 + exp(-x)) of each element";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.sigmoid %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_ReluOp : Tandem_UnaryOp<"relu", Tandem_Numeric> {
  let summary = "Maximum of each element and zero";
  let description = [{
    Constraints:
    - C1: the element type is a float type or an integer type other than i1.

    Special values:
    - S1: the result for NaN is NaN, and the result for -0 is -0.

    Gradients:
    - G1: the gradient at 0 and at NaN is 0.

    Example:
    ```mlir
    %0 = tandem.relu %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_GeluOp : Tandem_UnaryOp<"gelu", Tandem_Float, "GeluAttrs"> {
  let summary = "Gaussian error linear unit of each element";
  let description = [{
    The result is `x * (1 + erf(x / sqrt(2))) / 2`. With `approximate_tanh`, the
    result is `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2`.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -inf is NaN, because both formulas compute -inf * 0.
      The result for inf is inf.

    Gradients:
    - G1: the gradient at infinity is 1, and at minus infinity 0.

    Example:
    ```mlir
    %0 = tandem.gelu %x approximate_tanh : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, UnitAttr:$approximate_tanh);
  let assemblyFormat = [{
    $input (`approximate_tanh` $approximate_tanh^)? attr-dict `:`
    custom<Signature>(type($input), type($result))
  }];
}

def Tandem_GeluDerivativeOp
    : Tandem_UnaryOp<"gelu_derivative", Tandem_Float, "GeluAttrs"> {
  let summary = "Derivative of gelu at each element";
  let description = [{
    The result is `(1 + erf(x / sqrt(2))) / 2 + x * exp(-x**2 / 2) / sqrt(2 * pi)`.
    With `approximate_tanh`, the result is the derivative of the formula of `gelu`
    with `approximate_tanh`.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for inf is 1, and for -inf 0.

    Example:
    ```mlir
    %0 = tandem.gelu_derivative %x approximate_tanh : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, UnitAttr:$approximate_tanh);
  let assemblyFormat = [{
    $input (`approximate_tanh` $approximate_tanh^)? attr-dict `:`
    custom<Signature>(type($input), type($result))
  }];
}

def Tandem_ErfinvOp : Tandem_UnaryOp<"erfinv", Tandem_Float> {
  let summary = "Inverse error function of each element";
  let description = [{
    The result is the number whose `erf` is the element. Applied to numbers that
    are uniformly distributed in (-1, 1), `sqrt(2) * erfinv(x)` is normally
    distributed.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -1 is -inf, the result for 1 is inf, and the result for
      an element whose magnitude is larger than 1 is NaN. A zero keeps its sign.

    Example:
    ```mlir
    %0 = tandem.erfinv %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_SoftplusOp : Tandem_UnaryOp<"softplus", Tandem_Float> {
  let summary = "Softplus, a smooth relu, of each element";
  let description = [{
    The result is `log(1 + exp(x))`. The result approaches 0 for x far below
    zero, and approaches x for large x.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -inf is 0, the result for inf is inf, and the result
      for NaN is NaN.

    Example:
    ```mlir
    %0 = tandem.softplus %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_ErfOp : Tandem_UnaryOp<"erf", Tandem_Float> {
  let summary = "Error function of each element";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.erf %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_FloorOp : Tandem_UnaryOp<"floor", Tandem_Float> {
  let summary = "Each element rounded down to an integral value";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.floor %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_CeilOp : Tandem_UnaryOp<"ceil", Tandem_Float> {
  let summary = "Each element rounded up to an integral value";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.ceil %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_RoundOp : Tandem_UnaryOp<"round", Tandem_Float> {
  let summary = "Each element rounded to an integral value, halves to even";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.round %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_LogicalNotOp : Tandem_UnaryOp<"logical_not", Tandem_Bool> {
  let summary = "Logical NOT of each truth value";
  let description = [{
    Constraints:
    - C1: the element type is i1.

    Example:
    ```mlir
    %0 = tandem.logical_not %x : tensor<4xi1>
    ```
  }];
}

def Tandem_CastOp : Tandem_ElementwiseOp<"cast", "CastAttrs"> {
  let summary = "Converts each element to another type";
  let description = [{
    The conversion depends on the two element types:
    - Float to integer: truncated toward zero and saturated. For an unsigned
      type, negative numbers become 0. NaN becomes 0.
    - Float to narrower float, and integer to float: rounded to nearest, halves
      to even.
    - Integer to integer: wraps around if the type cannot hold the value.
    - To i1: `x != 0`.
    - From i1: 0 or 1.

    The attribute `dtype` is the element type of the result. The assembly format
    omits `dtype`, because the result type shows the element type.

    Constraints: none. Any element type can be converted to any other.

    Special values:
    - S1: the exact value is rounded once. The rounded value may be a subnormal
      number if the type has subnormal numbers.
    - S2: a cast to a narrower type always rounds, even if a cast back follows.
      The compiler never removes such a pair of casts.

    Example:
    ```mlir
    %0 = tandem.cast %x : (tensor<?x8xf32>) -> tensor<?x8xi32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, Tandem_DTypeAttr:$dtype);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<CastSignature>(type($input), type($result),
                                               $dtype)
  }];
}

#endif // TANDEM_DIALECT_UNARYOPS_TD
