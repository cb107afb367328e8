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

def Tandem_ArgTopKOp : Tandem_Op<"argtopk", "ArgTopKAttrs"> {
  let summary = "Indices of the k largest elements along a dim, in order";
  let description = [{
    The result holds, for each line of the input along dim `axis`, the indices
    of the `k` largest elements, with the largest element first. With
    `ascending`, the result holds the indices of the `k` smallest elements, with
    the smallest element first. Among equal elements, the element with the
    lowest index comes first. Zeros of both signs are equal. NaN is larger than
    all numbers and equal to itself.

    If `k` is the size of the dim, the indices describe the sorted order of each
    line. `gather` with these indices reads the elements themselves.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1.
    - C2: `axis` is a dim of the input.
    - C3: `k` is at least 0, and at most the size of the dim.

    Example:
    ```mlir
    %0 = tandem.argtopk %x k = 5 axis = 1 : (tensor<?x100xf32>) -> tensor<?x5xi64>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, I64Attr:$k, I64Attr:$axis,
                       UnitAttr:$ascending);
  let results = (outs Tandem_TensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $input `k` `=` $k `axis` `=` $axis (`ascending` $ascending^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_INDEXINGOPS_TD
