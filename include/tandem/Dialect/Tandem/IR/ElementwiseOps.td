//===- ElementwiseOps.td - Ops with several operands ----- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_ELEMENTWISEOPS_TD
#define TANDEM_DIALECT_ELEMENTWISEOPS_TD

include "tandem/Dialect/Tandem/IR/UnaryOps.td"

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

class Tandem_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Tandem_ElementwiseOp<mnemonic, "", traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<Signature>(type($lhs), type($rhs), type($result))
  }];
}

def Tandem_AddOp : Tandem_BinaryOp<"add", Tandem_Numeric, [Commutative]> {
  let summary = "Sum of two tensors";
  let description = [{
    Integer results wrap around.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: the result of a `mul` is rounded before `add` uses the result. The two
      ops never become a fused multiply-add.

    Example:
    ```mlir
    %0 = tandem.add %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_SubOp : Tandem_BinaryOp<"sub", Tandem_Numeric> {
  let summary = "Difference of two tensors";
  let description = [{
    Integer results wrap around.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: the result of a `mul` is rounded before `sub` uses the result. The two
      ops never become a fused multiply-add.

    Example:
    ```mlir
    %0 = tandem.sub %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_MulOp : Tandem_BinaryOp<"mul", Tandem_Numeric, [Commutative]> {
  let summary = "Product of two tensors";
  let description = [{
    Integer results wrap around.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.mul %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_DivOp : Tandem_BinaryOp<"div", Tandem_Numeric> {
  let summary = "Quotient of two tensors";
  let description = [{
    Integer quotients are truncated toward zero. Division by zero gives -1 for a
    signed type and the largest value for an unsigned type. Dividing the
    smallest value of a signed type by -1 gives the smallest value.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.div %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_MaxOp : Tandem_BinaryOp<"max", Tandem_Numeric, [Commutative]> {
  let summary = "Elementwise maximum of two tensors";
  let description = [{
    The result is NaN if either operand is NaN.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: the maximum of two zeros with different signs is either of them.

    Gradients:
    - G1: if the two elements are equal, each gets half of the gradient. If an
      element is NaN, both gradients are 0.

    Example:
    ```mlir
    %0 = tandem.max %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_MinOp : Tandem_BinaryOp<"min", Tandem_Numeric, [Commutative]> {
  let summary = "Elementwise minimum of two tensors";
  let description = [{
    The result is NaN if either operand is NaN.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: the minimum of two zeros with different signs is either of them.

    Gradients:
    - G1: if the two elements are equal, each gets half of the gradient. If an
      element is NaN, both gradients are 0.

    Example:
    ```mlir
    %0 = tandem.min %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_PowOp : Tandem_BinaryOp<"pow", Tandem_Numeric> {
  let summary = "First tensor to the power of the second";
  let description = [{
    Integer results wrap around. If the exponent is a negative integer, the base
    1 gives 1, the base -1 gives 1 or -1, and any other integer gives 0.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: floats follow IEEE 754. Any x to the power of 0 is 1, and 1 to any
      power is 1, even if the other operand is NaN. Any other NaN operand gives
      NaN. If the base is -0 and the exponent is an odd integer, the result has
      a negative sign. A zero to a negative power gives an infinity.

    Gradients:
    - G1: the gradient of the left operand is 0 if the right operand is 0. The
      gradient of the right operand is 0 if the left operand is 0 and the right
      operand is not negative.

    Example:
    ```mlir
    %0 = tandem.pow %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_SigmoidBackwardOp
    : Tandem_BinaryOp<"sigmoid_backward", Tandem_Float> {
  let summary = "Gradient of sigmoid";
  let description = [{
    This op computes the gradient of the operand of a `sigmoid`. The first
    operand `y` is the result of the `sigmoid`, and the second operand `g` is
    the gradient of that result. The result is `(1 - y) * g * y`, computed in
    this order.

    Constraints:
    - C1: the element type is a float type.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: if `y` is not a number from 0 to 1, the result is not specified where
      `(1 - y) * g` overflows in the type of the computation. That type is f32
      if the element type is narrower than f32.

    Example:
    ```mlir
    %0 = tandem.sigmoid_backward %y, %g : tensor<?x8xf32>
    ```
  }];
}

def Tandem_RemOp : Tandem_BinaryOp<"rem", Tandem_Numeric> {
  let summary = "Remainder of the division of the first tensor by the second";
  let description = [{
    The quotient is rounded toward zero, so the result has the sign of the first
    operand, like the results of `fmod` and `%` in C. Float results are exact,
    without any rounding. For integers, the result is x - y * (x / y), where the
    quotient is that of `div`. If y is 0, the result is therefore x.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Special values:
    - S1: for floats, the result is NaN if the first operand is infinite or the
      second operand is 0. If only the second operand is infinite, the result is
      the first operand. A result of 0 has the sign of the first operand.

    Gradients:
    - G1: the truncated quotient is treated as a constant. If the result is NaN,
      the gradient of the second operand is NaN.

    Example:
    ```mlir
    %0 = tandem.rem %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_CompareOp : Tandem_ElementwiseOp<"compare", "CompareAttrs"> {
  let summary = "Comparison of two tensors";
  let description = [{
    With a NaN operand, the predicate `ne` is true and all other predicates are
    false. Integers are compared as signed or unsigned numbers, according to the
    element type. For i1, false is less than true.

    Constraints:
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.compare %a, %b predicate = lt
        : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$lhs, Tandem_Tensor:$rhs,
                       Tandem_ComparePredicateAttr:$predicate);
  let results = (outs Tandem_Bool:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `predicate` `=` `` $predicate attr-dict `:`
    custom<Signature>(type($lhs), type($rhs), type($result))
  }];
}

def Tandem_LogicalAndOp
    : Tandem_BinaryOp<"logical_and", Tandem_Bool, [Commutative]> {
  let summary = "Logical AND of two tensors of truth values";
  let description = [{
    Constraints:
    - C1: the element type is i1.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.logical_and %p, %q : tensor<4x8xi1>
    ```
  }];
}

def Tandem_LogicalOrOp
    : Tandem_BinaryOp<"logical_or", Tandem_Bool, [Commutative]> {
  let summary = "Logical OR of two tensors of truth values";
  let description = [{
    Constraints:
    - C1: the element type is i1.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.logical_or %p, %q : tensor<4x8xi1>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def Tandem_SelectOp : Tandem_ElementwiseOp<"select"> {
  let summary = "Chooses each element from one of two tensors";
  let description = [{
    An element of the result is the element of `on_true` if the element of
    `condition` is true, and the element of `on_false` otherwise.

    Constraints:
    - C1: the element type of `condition` is i1.
    - C2: `on_true` and `on_false` have the same element type.
    - C3: the three shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.select %p, %a, %b
        : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Bool:$condition, Tandem_Tensor:$on_true,
                       Tandem_Tensor:$on_false);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    custom<Signature>(type($condition), type($on_true), type($on_false),
                      type($result))
  }];
}

def Tandem_ClampOp : Tandem_ElementwiseOp<"clamp"> {
  let summary = "Limits each element to an interval";
  let description = [{
    The result is `min(max(input, low), high)`. The result is NaN if any operand
    is NaN.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the three shapes are compatible under NumPy broadcasting.

    Gradients:
    - G1: an element that equals a bound has the gradient 0 if the bound is
      constant. Otherwise, the element and the bound get half of the gradient
      each. If any operand is NaN, the gradients of all operands are 0.

    Example:
    ```mlir
    %0 = tandem.clamp %x, %low, %high
        : (tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, Tandem_Numeric:$low,
                       Tandem_Numeric:$high);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = [{
    $input `,` $low `,` $high attr-dict `:`
    custom<Signature>(type($input), type($low), type($high), type($result))
  }];
  let hasCanonicalizer = 1;
}

#endif // TANDEM_DIALECT_ELEMENTWISEOPS_TD
