//===- TrigonometricOps.td - sin, cos and inverses ------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TRIGONOMETRICOPS_TD
#define TANDEM_DIALECT_TRIGONOMETRICOPS_TD

include "tandem/Dialect/Tandem/IR/UnaryOps.td"

def Tandem_SinOp : Tandem_UnaryOp<"sin", Tandem_Float> {
  let summary = "Sine of each element, which is an angle in radians";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Special values:
    - S1: the result for -0 is -0.

    Example:
    ```mlir
    %0 = tandem.sin %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_CosOp : Tandem_UnaryOp<"cos", Tandem_Float> {
  let summary = "Cosine of each element, which is an angle in radians";
  let description = [{
    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.cos %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_AsinOp : Tandem_UnaryOp<"asin", Tandem_Float> {
  let summary = "Inverse sine of each element, in radians";
  let description = [{
    The result is in [-π/2, π/2]. An operand outside of [-1, 1] gives NaN.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.asin %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_AcosOp : Tandem_UnaryOp<"acos", Tandem_Float> {
  let summary = "Inverse cosine of each element, in radians";
  let description = [{
    The result is in [0, π]. An operand outside of [-1, 1] gives NaN.

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.acos %x : tensor<?x8xf32>
    ```
  }];
}

def Tandem_AtanOp : Tandem_UnaryOp<"atan", Tandem_Float> {
  let summary = "Inverse tangent of each element, in radians";
  let description = [{
    The result is in [-π/2, π/2].

    Constraints:
    - C1: the element type is a float type.

    Example:
    ```mlir
    %0 = tandem.atan %x : tensor<?x8xf32>
    ```
  }];
}

#endif // TANDEM_DIALECT_TRIGONOMETRICOPS_TD
