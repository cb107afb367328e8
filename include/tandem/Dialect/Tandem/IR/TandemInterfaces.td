//===- TandemInterfaces.td - What passes ask of ops ------ -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEMINTERFACES_TD
#define TANDEM_DIALECT_TANDEMINTERFACES_TD

include "mlir/IR/OpBase.td"

def TandemOpInterface : OpInterface<"TandemOpInterface"> {
  let description = [{
    An op that the runtime can execute: it has an entry in the op table.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      The op's kind and attributes, as the shape rules and the runtime know
      them.
    }], "::tandem::OpDesc", "getOpDesc">,
    InterfaceMethod<[{
      The floating-point operations and bytes of one execution. Fails where the
      type of an operand or result is not static.
    }], "::llvm::FailureOr<::tandem::OpCost>", "getCost", (ins), "", [{
      return ::tandem::ir::detail::getCost(
          ::mlir::cast<::tandem::ir::TandemOpInterface>(
              $_op.getOperation()));
    }]>
  ];
}

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let description = [{
    An op whose result at each index is a function of the operands' elements at
    the same index, after NumPy broadcasting.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Emits the function on scalars, one per operand, as arith and math ops
      without regions, and returns the result. The computation is done in the
      types of the scalars: for a bf16 op, f32 scalars may be given, and the
      result is then f32. Only `cast` returns its own result element type.
    }], "::mlir::Value", "buildScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$scalars)>
  ];
}

def IndexingOpInterface : OpInterface<"IndexingOpInterface"> {
  let description = [{
    An op in which each element of the result reads at most one element of an
    operand, at an index that is an affine function of its own index.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      The map from an index of the result to the index that is read in an
      operand. Null when there is no such map, for example for a reshape or a
      broadcast whose types are dynamic.
    }], "::mlir::AffineMap", "getOperandIndexing",
    (ins "unsigned":$operand)>
  ];
}

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let description = [{
    An op whose result elements are sums of products of two operands' elements.
    It can be the hero of a kernel of kind `contraction`.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      The first factor of the products: images, or rows of a matrix.
    }], "::mlir::Value", "getData", (ins), [{
      return $_op->getOperand(0);
    }]>,
    InterfaceMethod<[{
      The second factor of the products, which may be packed: a convolution's
      kernel, or columns of a matrix.
    }], "::mlir::Value", "getWeights", (ins), [{
      return $_op->getOperand(1);
    }]>
  ];
}

#endif // TANDEM_DIALECT_TANDEMINTERFACES_TD
