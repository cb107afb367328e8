//===- GradientPasses.td - Passes that build gradients -- -*- tablegen -* -===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_GRADIENTPASSES
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_GRADIENTPASSES

include "mlir/Pass/PassBase.td"

def TandemDifferentiate : Pass<"tandem-differentiate", "::mlir::ModuleOp"> {
  let summary = "Append the gradients of a result to the results of a function";
  let description = [{
    The pass differentiates one result of a function, the loss, in reverse mode.
    The method `buildGradients` of an op builds the gradients of its operands.
    The function then also returns the gradients with respect to the arguments
    `wrt`, each with the type of the argument. Forward and backward ops are in
    one function, so later passes fuse them and plan their memory together.

    All types must be static, because the gradient of a broadcast operand
    depends on which of its dims have size 1. Each new op has the location of
    its forward op, marked "backward". If several ops read a value, their
    gradients are added; three and more gradients of 16 bits are added in f32.
    Ops that no result needs are left for `tandem-simplify`.

    The following example is differentiated with `wrt=0`.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
      %0 = tandem.mul %x, %y : tensor<4xf32>
      %1 = tandem.reduce %0 kind = sum dims = [0]
          : (tensor<4xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
        -> (tensor<f32>, tensor<4xf32>) {
      %0 = tandem.mul %x, %y : tensor<4xf32>
      %1 = tandem.reduce %0 kind = sum dims = [0]
          : (tensor<4xf32>) -> tensor<f32>
      %one = tandem.constant dense<1.0> : tensor<f32>
      %g = tandem.reshape %one shape = [1] : (tensor<f32>) -> tensor<1xf32>
      %b = tandem.broadcast %g shape = [4] dims = [0]
          : (tensor<1xf32>) -> tensor<4xf32>
      %gx = tandem.mul %b, %y : tensor<4xf32>
      return %1, %gx : tensor<f32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"functionName", "function", "std::string", "\"main\"",
           "The function to differentiate.">,
    ListOption<"wrt", "wrt", "int64_t",
               "The numbers of the arguments to differentiate with respect to, "
               "which must have a float type. If empty, all float arguments.">,
    Option<"loss", "loss", "int64_t", "0",
           "The number of the result that is the loss.">,
    Option<"seed", "seed", "bool", "false",
           "Append an argument of the type of the loss. The gradients are those "
           "of the sum of the loss's elements times the elements of this "
           "argument. Without it, the loss must have one element.">
  ];
}

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_GRADIENTPASSES
