//===- ShapeOps.td - Ops that move elements -------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_SHAPEOPS_TD
#define TANDEM_DIALECT_SHAPEOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"

class Tandem_ShapeOp<string mnemonic, string attrsTable,
                     list<Trait> traits = []>
    : Tandem_Op<mnemonic, attrsTable, traits> {
  let results = (outs Tandem_Tensor:$result);
}

class Tandem_IndexedShapeOp<string mnemonic, string attrsTable>
    : Tandem_ShapeOp<mnemonic, attrsTable,
        [DeclareOpInterfaceMethods<IndexingOpInterface>]>;

def Tandem_ReshapeOp : Tandem_IndexedShapeOp<"reshape", "ReshapeAttrs"> {
  let summary = "The elements in row-major order, in another shape";
  let description = [{
    One entry of `shape` may be -1. That dim is inferred from the number of
    elements. An entry that depends on dims of the function's arguments is
    written `?`, and `tandem.sizes` contains its expression.

    Constraints:
    - C1: `shape` has at most 8 entries. No entry is negative, except that one
      entry may be -1. Entries may be `?`.
    - C2: the operand and the result have the same number of elements. This
      constraint is checked only if the operand type is static.

    Example:
    ```mlir
    %0 = tandem.reshape %x shape = [-1, 4] : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$shape);
  let assemblyFormat = [{
    $input `shape` `=` custom<Sizes>($shape) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_TransposeOp : Tandem_IndexedShapeOp<"transpose", "TransposeAttrs"> {
  let summary = "Permutation of the dims";
  let description = [{
    Dim i of the result is dim `permutation[i]` of the operand.

    Constraints:
    - C1: `permutation` is a permutation of the operand's dims.

    Example:
    ```mlir
    %0 = tandem.transpose %x permutation = [0, 2, 1]
        : (tensor<?x4x8xf32>) -> tensor<?x8x4xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $input `permutation` `=` $permutation attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_BroadcastOp : Tandem_IndexedShapeOp<"broadcast", "BroadcastAttrs"> {
  let summary = "Repeats a tensor along new dims and dims of size 1";
  let description = [{
    Dim i of the operand becomes dim `dims[i]` of the result. All other dims of
    the result are new. Elementwise ops broadcast their operands implicitly.
    This op is for placements of dims that implicit broadcasting does not
    support, and for results that must be materialized.

    Constraints:
    - C1: `dims` has one entry for each dim of the operand. The entries are dims
      of `shape`, and no entry occurs twice.
    - C2: the size of each operand dim is 1 or the size of the corresponding
      result dim.

    Example:
    ```mlir
    %0 = tandem.broadcast %x shape = [2, 4, 8] dims = [1]
        : (tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$shape,
                       DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input `shape` `=` custom<Sizes>($shape) `dims` `=` $dims attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_SliceOp : Tandem_IndexedShapeOp<"slice", "SliceAttrs"> {
  let summary = "A strided range of each dim";
  let description = [{
    From each dim, the op takes the elements at `starts`, `starts + strides` and
    so on, up to but not including `limits`, as in NumPy. Negative starts and
    limits count from the end of the dim. Starts and limits that are out of
    range are clamped.

    Constraints:
    - C1: `starts`, `limits` and `strides` have one entry per operand dim.
    - C2: strides are at least 1.

    Example:
    ```mlir
    %0 = tandem.slice %x starts = [0, 1] limits = [2, 8] strides = [1, 2]
        : (tensor<4x8xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $input `starts` `=` custom<Sizes>($starts) `limits` `=` custom<Sizes>($limits)
    `strides` `=` $strides attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_PadOp : Tandem_ShapeOp<"pad", "PadAttrs"> {
  let summary = "Adds elements around and between the elements of each dim";
  let description = [{
    In each dim, the op adds `low` elements before the first element, `high`
    elements after the last element, and `interior` elements between neighboring
    elements. All added elements have the value `value`, converted to the
    element type as by `cast`.

    Constraints:
    - C1: `low`, `high` and `interior` have one entry per operand dim.
    - C2: no entry is negative.
    - C3: the element type is a float type or an integer type other than i1. (To
      pad an i1 tensor, cast it to i8 first.)

    Example:
    ```mlir
    %0 = tandem.pad %x low = [0, 1] high = [0, 1] interior = [0, 0] value = 0.0
        : (tensor<4x8xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
                       F64Attr:$value);
  let assemblyFormat = [{
    $input `low` `=` custom<Sizes>($low) `high` `=` custom<Sizes>($high)
    `interior` `=` $interior `value` `=` $value attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_ConcatOp : Tandem_ShapeOp<"concat", "AxisAttrs"> {
  let summary = "Concatenation of tensors along a dim";
  let description = [{
    Constraints:
    - C1: the operands have the same element type and the same rank.
    - C2: `axis` is a dim of the operands.
    - C3: the operands have the same size in all dims except dim `axis`.

    Example:
    ```mlir
    %0 = tandem.concat %a, %b axis = 1
        : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Tandem_Tensor>:$inputs, I64Attr:$axis);
  let assemblyFormat = [{
    $inputs `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Tandem_GatherOp : Tandem_ShapeOp<"gather", "GatherAttrs"> {
  let summary = "Selects elements of one dim by index";
  let description = [{
    The result is `result[i.., j.., k..] = input[i.., indices[j..], k..]`. The
    indices select elements along dim `axis`, as in `numpy.take`. An index that
    is out of range is clamped to the nearest index in range.

    Constraints:
    - C1: the element type of the indices is i32 or i64.
    - C2: `axis` is a dim of the input.
    - C3: the result has at most 8 dims.
    - C4: the size of dim `axis` of the input is not 0, unless there are no
      indices.

    Example:
    ```mlir
    %0 = tandem.gather %x, %indices axis = 0
        : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, Tandem_Index:$indices,
                       I64Attr:$axis);
  let assemblyFormat = [{
    $input `,` $indices `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_IotaOp : Tandem_TableOp<"iota", []> {
  let summary = "The index of each element along a dim";
  let description = [{
    The result type is written explicitly, because an iota has no operand from
    which the type could be inferred.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
      `tandem.sizes` gives the dynamic dims of the type.
    - C2: `axis` is a dim of the result.

    Special values:
    - S1: an index that the element type cannot represent is converted as by
      `cast`. For a float type, the index is rounded; in f16, an index of at
      least 65520 becomes inf. For an integer type, the index wraps around.

    Example:
    ```mlir
    %0 = tandem.iota axis = 1 : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = "`axis` `=` $axis attr-dict `:` type($result)";
}

def Tandem_RandomOp : Tandem_Op<"random", "RandomAttrs"> {
  let summary = "Random words, which a key and a counter determine";
  let description = [{
    The result has the shape `shape` and holds words of 32 random bits. The
    generator is Philox4x32-10 (J. Salmon, M. Moraes, R. Dror and D. Shaw,
    Parallel random numbers: as easy as 1, 2, 3, SC'11; the library Random123). It
    maps a block number of 128 bits and a key of 64 bits to four words. Element i
    of the result, in row-major order, is word `i mod 4` of block
    `counter + floor(i / 4)`, which is computed modulo 2^64. The low 32 bits of
    the key and of the block number are the first words of the generator's key
    and counter, and the high 32 bits are the second words. Words 2 and 3 of the
    counter are 0.

    The op has no state. The same key and counter give the same words in every
    tier and on every device. A program that draws `n` words advances its counter
    by `ceil(n / 4)` to draw others.

    Constraints:
    - C1: `key` and `counter` have no dims, and their element type is ui64.
    - C2: `shape` has at most 8 entries. Each entry is either not negative, or
      `?` with an expression in `tandem.sizes`.

    Example:
    ```mlir
    %bits = tandem.random %key, %counter shape = [8, 100]
        : (tensor<ui64>, tensor<ui64>) -> tensor<8x100xui32>
    ```
  }];
  let arguments = (ins Tandem_TensorOf<[UI64]>:$key,
                       Tandem_TensorOf<[UI64]>:$counter,
                       DenseI64ArrayAttr:$shape);
  let results = (outs Tandem_TensorOf<[UI32]>:$result);
  let assemblyFormat = [{
    $key `,` $counter `shape` `=` custom<Sizes>($shape) attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_StopGradientOp : Tandem_Op<"stop_gradient", "",
    [DeclareOpInterfaceMethods<IndexingOpInterface>]> {
  let summary = "The operand, as a constant for the gradient";
  let description = [{
    The result is equal to the operand. Its gradient is zero, because
    `tandem-differentiate` treats the result as a constant. The pass keeps the
    op, so that second derivatives treat the result as a constant as well. The
    op costs nothing: `tandem-drop-stop-gradients` removes it before a function
    is compiled, and a Program has no step for it.

    Example:
    ```mlir
    %0 = tandem.stop_gradient %x : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<Signature>(type($input), type($result))
  }];
}

def Tandem_ConstantOp : Tandem_BaseOp<"constant",
    [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A constant tensor";
  let description = [{
    Example:
    ```mlir
    %0 = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

#endif // TANDEM_DIALECT_SHAPEOPS_TD
