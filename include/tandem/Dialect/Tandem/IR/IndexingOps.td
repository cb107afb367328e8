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
    The result is the input, in which, for each `j..` in row-major order,
    `result[i.., indices[j..], k..]` becomes `updates[i.., j.., k..]`, or the
    sum (`add`), product (`mul`), smaller (`min`) or larger (`max`) of both. The
    indices select along dim `axis`; what `gather` reads with the same indices
    is what `scatter` writes. `replace`, `min` and `max` are as the ops of these
    names, and NaN wins over numbers.

    An update whose index is out of range is left out. Of updates of one
    element each is combined with the result of the one before it, so that of
    several that replace it the last one remains. Every target keeps this
    order.

    Constraints:
    - C1: input and updates have one element type, which is not i1 unless
      `kind` is `replace`.
    - C2: the indices' element type is i32 or i64.
    - C3: `axis` is a dim of the input.
    - C4: the updates have the shape of the input, with the dims of the indices
      in the place of dim `axis`, and at most 8 dims.

    Special values:
    - S1: sums and products are rounded to the element type after each update;
      those of integers wrap around.

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
    The result's dim `axis` has the indices of the `k` largest elements of each
    line along that dim, the largest first, or with `ascending` those of the
    smallest, the smallest first. Of equal elements the one of the lower index
    comes first; zeros of either sign are equal. NaN is larger than all numbers
    and equal to itself.

    With `k` as large as the dim, lines are sorted. The elements themselves are
    those that `gather` reads with the indices.

    Constraints:
    - C1: the element type is a float or an integer type other than i1.
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
