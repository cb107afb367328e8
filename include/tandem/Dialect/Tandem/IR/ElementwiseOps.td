//===- ElementwiseOps.td - Elementwise ops of more operands - -*- tablegen -*-===//
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
    Integers wrap around.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: an operand that `mul` has made enters as it was rounded: the two are
      no fused multiply-add.

    Example:
    ```mlir
    %0 = tandem.add %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_SubOp : Tandem_BinaryOp<"sub", Tandem_Numeric> {
  let summary = "Difference of two tensors";
  let description = [{
    Integers wrap around.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: an operand that `mul` has made enters as it was rounded: the two are
      no fused multiply-add.

    Example:
    ```mlir
    %0 = tandem.sub %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_MulOp : Tandem_BinaryOp<"mul", Tandem_Numeric, [Commutative]> {
  let summary = "Product of two tensors";
  let description = [{
    Integers wrap around.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.mul %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_DivOp : Tandem_BinaryOp<"div", Tandem_Numeric> {
  let summary = "Quotient of two tensors";
  let description = [{
    Integers truncate towards zero; division by zero gives -1, or the largest
    value of an unsigned type, and the least value divided by -1 gives itself.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.div %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_MaxOp : Tandem_BinaryOp<"max", Tandem_Numeric, [Commutative]> {
  let summary = "Larger of two tensors";
  let description = [{
    NaN where either operand is NaN.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: of zeros of different signs the result is either.

    Example:
    ```mlir
    %0 = tandem.max %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_MinOp : Tandem_BinaryOp<"min", Tandem_Numeric, [Commutative]> {
  let summary = "Smaller of two tensors";
  let description = [{
    NaN where either operand is NaN.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: of zeros of different signs the result is either.

    Example:
    ```mlir
    %0 = tandem.min %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_PowOp : Tandem_BinaryOp<"pow", Tandem_Numeric> {
  let summary = "First tensor to the power of the second";
  let description = [{
    Integers wrap around. To a negative power, 1 gives 1, -1 gives 1 or -1, and
    any other integer gives 0.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: floats follow IEEE 754: x to the power of 0, and 1 to any power, are 1
      even for NaN, and any other NaN gives NaN; -0 to the power of an odd
      integer keeps its sign, and a zero to a negative power is an infinity.

    Example:
    ```mlir
    %0 = tandem.pow %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Tandem_RemOp : Tandem_BinaryOp<"rem", Tandem_Numeric> {
  let summary = "What is left of the first tensor divided by the second";
  let description = [{
    The quotient is rounded towards zero, so that the result has the sign of the
    first operand, as C's `fmod` and `%` have it. It is exact: no float is
    rounded on the way. Of integers it is x - y * (x / y) by `div`: x where y
    is 0.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Special values:
    - S1: of a float that is infinite, or by 0, the result is NaN; by an
      infinity a finite float is itself. A result of 0 has the sign of the first
      operand.

    Example:
    ```mlir
    %0 = tandem.rem %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tandem_CompareOp : Tandem_ElementwiseOp<"compare", "CompareAttrs"> {
  let summary = "Compares two tensors";
  let description = [{
    A comparison with NaN is false, except `ne`, which is true. Integers
    compare by their type's sign; for i1, false is less than true.

    Constraints:
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

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
  let summary = "Conjunction of two tensors of truth values";
  let description = [{
    Constraints:
    - C1: the element type is i1.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.logical_and %p, %q : tensor<4x8xi1>
    ```
  }];
}

def Tandem_LogicalOrOp
    : Tandem_BinaryOp<"logical_or", Tandem_Bool, [Commutative]> {
  let summary = "Disjunction of two tensors of truth values";
  let description = [{
    Constraints:
    - C1: the element type is i1.
    - C3: the operands' shapes broadcast.

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
    The result is the element of `on_true` where `condition` is true, and that
    of `on_false` elsewhere.

    Constraints:
    - C1: the condition's element type is i1.
    - C2: `on_true` and `on_false` have one element type.
    - C3: the three shapes broadcast.

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
    `min(max(input, low), high)`; NaN where any operand is NaN.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the three shapes broadcast.

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
