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

// Operands broadcast as in NumPy: shapes are aligned at their last dims, and a
// dim of size 1, or a missing one, is repeated.
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
  let summary = "Negates each element";
  let description = [{
    Integers wrap around: the negation of the least value is itself, and that of
    an unsigned x of w bits is 2**w - x.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.

    Example:
    ```mlir
    %0 = tandem.neg %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_AbsOp : Tandem_UnaryOp<"abs", Tandem_Numeric> {
  let summary = "Absolute value of each element";
  let description = [{
    Integers wrap around: the absolute value of the least value is itself.
    Unsigned integers stay as they are.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.

    Example:
    ```mlir
    %0 = tandem.abs %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_SignOp : Tandem_UnaryOp<"sign", Tandem_Numeric> {
  let summary = "Sign of each element";
  let description = [{
    The result is -1, 0 or 1 in the operand's type. A zero keeps its sign, and
    NaN stays NaN.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.

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
    Accurate near zero, where `exp(x) - 1` loses digits.

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
    The result is NaN below zero and -inf at zero.

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
    Accurate near zero, where `log(1 + x)` loses digits.

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
    NaN below zero.

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
    NaN below zero.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for 0 is inf, for -0 it is -inf.

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
  let summary = "Larger of each element and zero";
  let description = [{
    Constraints:
    - C1: the element type is a float or an integer type other than i1.

    Special values:
    - S1: NaN stays NaN, and -0 stays -0.

    Example:
    ```mlir
    %0 = tandem.relu %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_GeluOp : Tandem_UnaryOp<"gelu", Tandem_Float, "GeluAttrs"> {
  let summary = "Gaussian error linear unit of each element";
  let description = [{
    `x * (1 + erf(x / sqrt(2))) / 2`, or, with `approximate_tanh`,
    `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2`.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -inf is NaN, as the formulas give it (-inf * 0); for
      inf it is inf.

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

def Tandem_SoftplusOp : Tandem_UnaryOp<"softplus", Tandem_Float> {
  let summary = "Softplus, a smooth relu, of each element";
  let description = [{
    `log(1 + exp(x))`, which approaches 0 for x far below zero and x for large
    x.

    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -inf is 0, for inf it is inf; NaN stays NaN.

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
  let summary = "Largest integral value that is at most each element";
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
  let summary = "Smallest integral value that is at least each element";
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
  let summary = "Nearest integral value of each element, halves to even";
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
  let summary = "Negation of each truth value";
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
    Float to integer truncates towards zero and saturates, and NaN becomes zero;
    an unsigned integer saturates at 0. Float to narrower float and integer to
    float round to nearest, halves to even. Integer to integer wraps around where
    the type cannot hold the value. A cast to i1 is `x != 0`; a cast from i1 gives
    0 or 1. The assembly does not show `dtype`, which is the
    result's element type.

    Constraints: none; any element type converts to any other.

    Special values:
    - S1: the exact value is rounded once, to a subnormal number where the type
      has them.
    - S2: a cast to a narrower type always rounds, even if a cast back follows:
      the compiler never removes such a pair.

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
