//===- BitOps.td - Elementwise ops on bits --------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_BITOPS_TD
#define TANDEM_DIALECT_BITOPS_TD

include "tandem/Dialect/Tandem/IR/ElementwiseOps.td"

def Tandem_BitwiseNotOp : Tandem_UnaryOp<"bitwise_not", Tandem_Int> {
  let summary = "Complement of each bit";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.

    Example:
    ```mlir
    %0 = tandem.bitwise_not %x : tensor<4xui8>
    ```
  }];
}

def Tandem_BitwiseAndOp
    : Tandem_BinaryOp<"bitwise_and", Tandem_Int, [Commutative]> {
  let summary = "Conjunction of the bits of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.bitwise_and %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_BitwiseOrOp
    : Tandem_BinaryOp<"bitwise_or", Tandem_Int, [Commutative]> {
  let summary = "Disjunction of the bits of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.bitwise_or %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_BitwiseXorOp
    : Tandem_BinaryOp<"bitwise_xor", Tandem_Int, [Commutative]> {
  let summary = "Exclusive disjunction of the bits of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.bitwise_xor %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_ShiftLeftOp : Tandem_BinaryOp<"shift_left", Tandem_Int> {
  let summary = "Moves the bits of the first tensor to the left";
  let description = [{
    Bits that enter are 0. A count, taken as unsigned, of at least the number of
    bits gives 0.

    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.shift_left %a, %b : tensor<4x8xui32>
    ```
  }];
}

def Tandem_ShiftRightOp : Tandem_BinaryOp<"shift_right", Tandem_Int> {
  let summary = "Moves the bits of the first tensor to the right";
  let description = [{
    Bits that enter are 0 in unsigned integers and the sign in signed ones. A
    count, taken as unsigned, of at least the number of bits leaves those alone.

    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have one element type.
    - C3: the operands' shapes broadcast.

    Example:
    ```mlir
    %0 = tandem.shift_right %a, %b : tensor<4x8xui32>
    ```
  }];
}

def Tandem_BitcastOp : Tandem_ElementwiseOp<"bitcast", "CastAttrs"> {
  let summary = "Takes the bits of each element for another type";
  let description = [{
    The assembly does not show `dtype`, which is the result's element type.

    Constraints:
    - C1: the two element types have one size, and both or neither is i1.

    Example:
    ```mlir
    %0 = tandem.bitcast %x : (tensor<?x8xf32>) -> tensor<?x8xui32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, Tandem_DTypeAttr:$dtype);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<CastSignature>(type($input), type($result),
                                               $dtype)
  }];
}

#endif // TANDEM_DIALECT_BITOPS_TD
