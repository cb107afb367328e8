//===- IndexingOps.td - Scattering and sorting ----------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_INDEXINGOPS_TD
#define TANDEM_DIALECT_INDEXINGOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

def Tandem_ScatterOp : Tandem_Op<"scatter", "ScatterAttrs"> {
  let summary = "Combines updates into elements of one dim by index";
  let description = [{
    The result is a copy of the input to which the updates are applied. For each
    `j..` in row-major order, `result[i.., indices[j..], k..]` is combined with
    `updates[i.., j.., k..]`. The indices select elements along dim `axis`:
    `scatter` writes the elements that `gather` would read with the same
    indices. `kind` determines how an update is combined with an element.
    `replace` stores the update. `add`, `mul`, `min` and `max` store the result
    of the op with that name, so `min` and `max` give NaN if either value is
    NaN.

    An update whose index is out of range is ignored. If several updates have
    the same index, each update is combined with the result of the previous one.
    With `replace`, the last update therefore remains. Every target applies the
    updates in this order.

    Constraints:
    - C1: the input and the updates have the same element type, which is not i1
      unless `kind` is `replace`.
    - C2: the element type of the indices is i32 or i64.
    - C3: `axis` is a dim of the input.
    - C4: the shape of the updates is the shape of the input with dim `axis`
      replaced by the dims of the indices. The updates have at most 8 dims.

    Special values:
    - S1: sums and products are rounded to the element type after each update.
      Sums and products of integers wrap around.

    Gradients:
    - G1: with `replace`, the gradient of a replaced element goes to the last
      update of the element. The replaced element of the input and all earlier
      updates have the gradient 0. The kinds `mul`, `min` and `max` have no
      gradient.

    Example:
    ```mlir
    %0 = tandem.scatter %x, %indices, %updates axis = 0 kind = add
        : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>)
        -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Tensor:$input, Tandem_Index:$indices,
                       Tandem_Tensor:$updates, I64Attr:$axis,
                       Tandem_ScatterKindAttr:$kind);
  let results = (outs Tandem_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `axis` `=` $axis `kind` `=` `` $kind
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_TopKOp : Tandem_Op<"topk", "TopKAttrs"> {
  let summary = "The k largest elements along a dim and their indices, in order";
  let description = [{
    For each line of the input along dim `axis`, the first result holds the `k`
    largest elements, with the largest element first. With `ascending`, it holds
    the `k` smallest elements, with the smallest element first. The second
    result holds the indices of these elements along `axis`. Among equal
    elements, the element with the lowest index comes first. Zeros of both signs
    are equal. NaN is larger than all numbers and equal to itself.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: `axis` is a dim of the input.
    - C3: `k` is at least 0, and at most the size of the dim.

    Example:
    ```mlir
    %values, %indices = tandem.topk %x k = 5 axis = 1
        : (tensor<?x100xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>)
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, I64Attr:$k, I64Attr:$axis,
                       UnitAttr:$ascending);
  let results = (outs Tandem_Numeric:$values, Tandem_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `k` `=` $k `axis` `=` $axis (`ascending` $ascending^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_SortOp : Tandem_Op<"sort", "SortAttrs"> {
  let summary = "Elements along a dim in order, and their indices";
  let description = [{
    The first result holds the elements of each line of the input along dim
    `axis`, with the smallest element first or, with `descending`, with the
    largest element first. The second result holds the indices of these elements
    along `axis`. The sort is stable: among equal elements, the element with the
    lowest index comes first. The order of elements is that of `topk`.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: `axis` is a dim of the input.

    Example:
    ```mlir
    %values, %indices = tandem.sort %x axis = 1 descending
        : (tensor<?x100xf32>) -> (tensor<?x100xf32>, tensor<?x100xi64>)
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, I64Attr:$axis,
                       UnitAttr:$descending);
  let results = (outs Tandem_Numeric:$values, Tandem_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `axis` `=` $axis (`descending` $descending^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_INDEXINGOPS_TD
