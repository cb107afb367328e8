//===- TandemInterfaces.td - Op interfaces --------------- -*- tablegen -*-===//
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
    An op that the runtime can execute. Such an op has a row in the op table.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the kind and the attributes of the op, in the form that the shape
      rules and the runtime use.
    }], "::tandem::OpDesc", "getOpDesc">,
    InterfaceMethod<[{
      Returns the number of operations and of bytes for one execution of the op.
      Fails if the type of an operand or result is not static.
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
      Emits the function as arith and math ops without regions, and returns the
      result. `scalars` has one scalar per operand. The computation uses the
      types of the scalars. For a bf16 op, for example, the caller may pass f32
      scalars, and the result is then f32. Only `cast` always returns its result
      element type.
    }], "::mlir::Value", "buildScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$scalars)>
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An op for which `tandem-differentiate` can build gradients, or report why it
    has none.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Emits the gradients of the operands and adds them to `gradients`, which
      has the gradients of the results. An operand for which nothing is added
      has the gradient zero. Fails, after an error at the op, if the op has no
      gradient.
    }], "::llvm::LogicalResult", "buildGradients",
    (ins "::tandem::ir::GradientBuilder &":$gradients)>
  ];
}

def IndexingOpInterface : OpInterface<"IndexingOpInterface"> {
  let description = [{
    An op in which each element of the result reads at most one element of each
    operand. The index of that element is an affine function of the index of the
    result element.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the map from an index of the result to the index that is read in
      an operand. Returns null if there is no such map, for example for a
      reshape or a broadcast with dynamic types.
    }], "::mlir::AffineMap", "getOperandIndexing",
    (ins "unsigned":$operand)>
  ];
}

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let description = [{
    An op whose result elements are sums of products of the elements of two
    operands. The op can be the hero of a kernel of kind `contraction`.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the first factor of the products: the images of a convolution, or
      the left matrix.
    }], "::mlir::Value", "getData", (ins), [{
      return $_op->getOperand(0);
    }]>,
    InterfaceMethod<[{
      Returns the second factor of the products: the kernel of a convolution, or
      the right matrix. The second factor may be packed.
    }], "::mlir::Value", "getWeights", (ins), [{
      return $_op->getOperand(1);
    }]>
  ];
}

def IdentityOpInterface : OpInterface<"IdentityOpInterface"> {
  let description = [{
    An op of a target's dialect whose result is equal to one of its operands.
    Kernels that the target generates may read the other operands instead. The
    runtime cannot execute the op, and code that does not know the op looks
    through it.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the operand that the result is equal to.
    }], "::mlir::Value", "getSource">
  ];
}

def UnpackedIntegersOpInterface : OpInterface<"UnpackedIntegersOpInterface"> {
  let description = [{
    An op of a target's dialect whose result are integers of 8 bits that are
    stored in half as many bytes. The innermost dim of the bytes has half the
    size of the innermost dim of the result: the lower 4 bits of its bytes are
    the first half of the integers, and the upper 4 bits the second half.
    Kernels that the target generates read the bytes. The runtime cannot execute
    the op.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the bytes.
    }], "::mlir::Value", "getBytes">,
    InterfaceMethod<[{
      Creates ops that the runtime can execute, and returns their result, which
      is equal to that of this op.
    }], "::mlir::Value", "expand", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def ScaledWeightsOpInterface : OpInterface<"ScaledWeightsOpInterface"> {
  let description = [{
    An op of a target's dialect whose result is a matrix (inputs, outputs) of
    weights, each of which is the product of an integer of 8 bits and a scale.
    Kernels that the target generates multiply both when they load the weights.
    The runtime cannot execute the op.
  }];
  let cppNamespace = "::tandem::ir";
  let methods = [
    InterfaceMethod<[{
      Returns the integers, which have the shape of the result.
    }], "::mlir::Value", "getValues">,
    InterfaceMethod<[{
      Returns the scales, (blocks of inputs, outputs).
    }], "::mlir::Value", "getScales">,
    InterfaceMethod<[{
      Returns the number of inputs of a block, the last of which may have fewer.
    }], "int64_t", "getBlockSize">,
    InterfaceMethod<[{
      Creates ops that the runtime can execute, and returns their result, which
      is equal to that of this op.
    }], "::mlir::Value", "expand", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // TANDEM_DIALECT_TANDEMINTERFACES_TD
