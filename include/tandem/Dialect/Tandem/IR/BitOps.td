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
  let summary = "Bitwise complement of each element";
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
  let summary = "Bitwise AND of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.bitwise_and %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_BitwiseOrOp
    : Tandem_BinaryOp<"bitwise_or", Tandem_Int, [Commutative]> {
  let summary = "Bitwise OR of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.bitwise_or %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_BitwiseXorOp
    : Tandem_BinaryOp<"bitwise_xor", Tandem_Int, [Commutative]> {
  let summary = "Bitwise exclusive OR of two tensors";
  let description = [{
    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.bitwise_xor %a, %b : tensor<4x8xui8>
    ```
  }];
}

def Tandem_ShiftLeftOp : Tandem_BinaryOp<"shift_left", Tandem_Int> {
  let summary = "Shifts the bits of the first tensor to the left";
  let description = [{
    The second tensor holds the shift counts, which are interpreted as unsigned
    integers. The lowest bits are filled with 0. If the count is at least the
    bit width of the element type, the result is 0.

    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.shift_left %a, %b : tensor<4x8xui32>
    ```
  }];
}

def Tandem_ShiftRightOp : Tandem_BinaryOp<"shift_right", Tandem_Int> {
  let summary = "Shifts the bits of the first tensor to the right";
  let description = [{
    The second tensor holds the shift counts, which are interpreted as unsigned
    integers. The highest bits are filled with 0 if the element type is
    unsigned, and with the sign bit if the element type is signed. If the count
    is at least the bit width of the element type, all bits of the result have
    that fill value.

    Constraints:
    - C1: the element type is an integer type other than i1.
    - C2: the operands have the same element type.
    - C3: the operand shapes are compatible under NumPy broadcasting.

    Example:
    ```mlir
    %0 = tandem.shift_right %a, %b : tensor<4x8xui32>
    ```
  }];
}

def Tandem_BitcastOp : Tandem_ElementwiseOp<"bitcast", "CastAttrs"> {
  let summary = "Reinterprets the bits of each element as another type";
  let description = [{
    The attribute `dtype` is the element type of the result. The assembly format
    omits `dtype`, because the result type shows the element type.

    Constraints:
    - C1: the two element types have the same size. Either both of them are i1
      or neither is.

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
