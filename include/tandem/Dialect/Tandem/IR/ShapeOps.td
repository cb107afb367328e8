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
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    One entry of `shape` may be -1: that dim is inferred from the number of
    elements.

    Constraints:
    - C1: `shape` has at most 8 entries; none is negative, except that one may
      be -1.
    - C2: operand and result have equally many elements (checked where the
      operand is static).

    Example:
    ```mlir
    %0 = tandem.reshape %x shape = [-1, 4] : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$shape);
  let assemblyFormat = [{
    $input `shape` `=` $shape attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_TransposeOp : Tandem_IndexedShapeOp<"transpose", "TransposeAttrs"> {
  let summary = "Permutes the dims";
  let description = [{
    Result dim i is operand dim `permutation[i]`.

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
    Operand dim i becomes result dim `dims[i]`; all other result dims are new.
    Elementwise ops broadcast their operands implicitly; this op is for
    placements of dims that they do not support, and for results that must be
    materialised.

    Constraints:
    - C1: `dims` names a dim of `shape` for each operand dim, none twice.
    - C2: an operand dim has size 1 or that of its result dim.

    Example:
    ```mlir
    %0 = tandem.broadcast %x shape = [2, 4, 8] dims = [1]
        : (tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, DenseI64ArrayAttr:$shape,
                       DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input `shape` `=` $shape `dims` `=` $dims attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tandem_SliceOp : Tandem_IndexedShapeOp<"slice", "SliceAttrs"> {
  let summary = "A strided range of each dim";
  let description = [{
    Takes from each dim the elements at `starts`, `starts + strides`, ... before
    `limits`, as NumPy does: negative starts and limits count from the end, and
    those past either end are clamped.

    Constraints:
    - C1: `starts`, `limits` and `strides` have an entry per operand dim.
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
    $input `starts` `=` $starts `limits` `=` $limits `strides` `=` $strides
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_PadOp : Tandem_ShapeOp<"pad", "PadAttrs"> {
  let summary = "Adds elements around, and between, those of each dim";
  let description = [{
    Adds, in each dim, `low` elements before the first, `high` after the last
    and `interior` between any two neighbouring elements. All of them are
    `value`, converted to the element type as by `cast`.

    Constraints:
    - C1: `low`, `high` and `interior` have an entry per operand dim.
    - C2: no entry is negative.
    - C3: the element type is a float or an integer type other than i1. (An i1
      tensor can be cast to i8 and padded.)

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
    $input `low` `=` $low `high` `=` $high `interior` `=` $interior
    `value` `=` $value attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_ConcatOp : Tandem_ShapeOp<"concat", "AxisAttrs"> {
  let summary = "Joins tensors along a dim";
  let description = [{
    Constraints:
    - C1: the operands have one element type and one rank.
    - C2: `axis` is a dim of the operands.
    - C3: the operands agree in all dims but `axis`.

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
  let summary = "Picks elements of one dim by index";
  let description = [{
    `result[i.., j.., k..] = input[i.., indices[j..], k..]`, where the indices
    select along dim `axis`, as in `numpy.take`. An index that is out of range
    is clamped to the nearest one in range.

    Constraints:
    - C1: the indices' element type is i32 or i64.
    - C2: `axis` is a dim of the input.
    - C3: the result has at most 8 dims.
    - C4: dim `axis` of the input has elements, unless there are no indices.

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
  let summary = "Each element's index along a dim";
  let description = [{
    The result type is given explicitly, because an iota has no operand to infer
    it from.

    Constraints:
    - C1: the type is static, of a float or an integer type other than i1.
    - C2: `axis` is a dim of the result.

    Special values:
    - S1: an index that the element type cannot represent is converted as by
      `cast`: rounded to a float (in f16, to inf from 65520 on), or wrapped to
      an integer.

    Example:
    ```mlir
    %0 = tandem.iota axis = 1 : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = "`axis` `=` $axis attr-dict `:` type($result)";
}

def Tandem_ConstantOp : Tandem_BaseOp<"constant",
    [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor whose elements are known";
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
