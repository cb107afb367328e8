//===- LoopOps.td - Loops with carried values ------------ -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_LOOPOPS_TD
#define TANDEM_DIALECT_LOOPOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"
include "mlir/IR/SymbolInterfaces.td"

// The operands, attributes and results that both loop ops have.
defvar Tandem_LoopOperands = (ins Variadic<Tandem_Tensor>:$carried,
                                  Variadic<Tandem_Tensor>:$scanned,
                                  Variadic<Tandem_Tensor>:$fixed,
                                  OptionalAttr<I64Attr>:$trips,
                                  OptionalAttr<DenseBoolArrayAttr>:$reversed);
class Tandem_LoopLikeOp<string mnemonic, list<Trait> traits>
    : Tandem_BaseOp<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let results = (outs Variadic<Tandem_Tensor>:$outputs);
  code declarations = [{
    /// Returns the number of iterations, or ShapedType::kDynamic if the number
    /// is not known.
    int64_t countTrips();
    /// Returns, for each scanned operand and then for each stacked result,
    /// whether the first iteration uses the last slice.
    ::llvm::SmallVector<bool> getDirections();
  }];
}

def Tandem_LoopOp : Tandem_LoopLikeOp<"loop",
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A loop over the slices of tensors, or with a fixed trip count";
  let description = [{
    The region computes one iteration. The region's arguments have the order of
    the operands:
    - The `carried` values. In the first iteration, these are the operands. In
      every other iteration, these are values that the previous iteration
      yielded.
    - One slice of each `scanned` operand along dim 0. The slice does not have
      that dim.
    - The `fixed` values, which are the same in all iterations.

    The region uses no values other than its arguments. The region yields the
    next carried values, followed by one slice of each stacked result.

    The results of the loop are the carried values after the last iteration,
    followed by the stacked results. A stacked result consists of the slices of
    all iterations along a new dim 0. `reversed` holds one flag for each scanned
    operand, followed by one flag for each stacked result. If the flag is true,
    the first iteration uses the last slice instead of the first one. Without
    `reversed`, all flags are false. `trips` is the number of iterations of a
    loop that has no scanned operands.

    To scan or stack along another dim, use a `transpose` before or after the
    loop.

    Constraints:
    - C1: the arguments of the region have the types of the carried operands, of
      the slices, and of the fixed operands.
    - C2: the region yields values of the carried types, followed by slices of
      the stacked results. The carried results have the carried types.
    - C3: the ops of the region are pure.
    - C4: all scanned operands have a dim 0, and these dims have the same size.
    - C5: the loop has either `trips`, which is at least 0, or at least one
      scanned operand, but not both.
    - C6: `reversed` has one element for each scanned operand and each stacked
      result.
    - C7: the size of dim 0 of a stacked result is the number of iterations.
    - C8: the loop has at least one result.
    - C9: loops are nested at most 8 deep.

    Example:
    ```mlir
    %last, %all = tandem.loop carried (%h = %h0) scanned (%x = %xs) fixed (%w = %weights)
        : (tensor<2x4xf32>, tensor<9x2x4xf32>, tensor<4x4xf32>)
        -> (tensor<2x4xf32>, tensor<9x2x4xf32>) {
      %0 = tandem.matmul %h, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      %1 = tandem.add %0, %x : tensor<2x4xf32>
      %2 = tandem.tanh %1 : tensor<2x4xf32>
      tandem.yield %2, %2 : tensor<2x4xf32>, tensor<2x4xf32>
    }
    ```
  }];
  let arguments = Tandem_LoopOperands;
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = declarations # [{
    /// Returns the terminator of the region.
    YieldOp getYield();
  }];
}

def Tandem_RunLoopOp : Tandem_LoopLikeOp<"run_loop",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A loop whose body is a function";
  let description = [{
    This op has the meaning of a `tandem.loop` whose region is the body of the
    function that the symbol refers to. The op only occurs in a graph that is
    being compiled.

    Constraints:
    - C1: the symbol refers to a function with the argument types and the result
      types of the region.
    - C2: neither that function nor any function that it runs contains this
      loop.
    - C4 to C8 of `tandem.loop` hold.

    Example:
    ```mlir
    func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
      %last = tandem.run_loop @main_loop_0 carried (%h0) scanned (%xs)
          : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32>
      return %last : tensor<4xf32>
    }
    func.func private @main_loop_0(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.add %h, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$body),
                           Tandem_LoopOperands);
  let assemblyFormat = [{
    $body (`carried` ` ` `(` $carried^ `)`)? (`scanned` ` ` `(` $scanned^ `)`)?
    (`fixed` ` ` `(` $fixed^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = declarations;
}

#endif // TANDEM_DIALECT_LOOPOPS_TD
