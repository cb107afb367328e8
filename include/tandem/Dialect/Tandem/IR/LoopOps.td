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

// The operands, attributes and results that both forms of a loop have.
defvar Tandem_LoopOperands = (ins Variadic<Tandem_Tensor>:$carried,
                                  Variadic<Tandem_Tensor>:$scanned,
                                  Variadic<Tandem_Tensor>:$fixed,
                                  OptionalAttr<I64Attr>:$trips,
                                  OptionalAttr<DenseBoolArrayAttr>:$reversed);
class Tandem_LoopLikeOp<string mnemonic, list<Trait> traits>
    : Tandem_BaseOp<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let results = (outs Variadic<Tandem_Tensor>:$outputs);
  code declarations = [{
    /// Iterations; ShapedType::kDynamic where that is not known.
    int64_t countTrips();
    /// Whether the first iteration has the last slice, for each scanned
    /// operand, then each stacked result.
    ::llvm::SmallVector<bool> getDirections();
  }];
}

def Tandem_LoopOp : Tandem_LoopLikeOp<"loop",
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Runs a region once for each slice, or a number of times";
  let description = [{
    The region computes one iteration from its arguments, which are, in the
    order of the operands: the `carried` values, which are the operands in the
    first iteration, and what the iteration before has yielded in every other; a
    slice of each `scanned` operand along dim 0, without that dim; and the
    `fixed` values, the same in all iterations. It uses no other values. It
    yields the next carried values, then slices of the stacked results.

    The loop's results are the carried values after the last iteration, and, one
    for each further value yielded, the slices of all iterations along a new
    dim 0. `reversed` tells for each scanned operand, then for each stacked
    result, whether the first iteration has the last slice instead of the first;
    without it none is. `trips` is the number of iterations of a loop that scans
    nothing.

    Dims other than dim 0 are scanned and stacked by means of a `transpose`.

    Constraints:
    - C1: the region's arguments have the types of the carried operands, of the
      slices, and of the fixed operands.
    - C2: the region yields values of the carried types, then slices of the
      other results; the carried results have the carried types.
    - C3: the ops of the region are pure.
    - C4: all scanned operands have a dim 0, of one size.
    - C5: there is a `trips` of at least 0, or a scanned operand, and not both.
    - C6: `reversed` has an element for each scanned operand and each stacked
      result.
    - C7: dim 0 of a stacked result is the number of iterations.
    - C8: there is at least one result.
    - C9: at most 8 loops are within each other.

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
    /// The terminator.
    YieldOp getYield();
  }];
}

def Tandem_RunLoopOp : Tandem_LoopLikeOp<"run_loop",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a loop whose body is a function";
  let description = [{
    A `tandem.loop` whose region has become the function that the symbol refers
    to, in a graph that is being compiled.

    Constraints:
    - C1: the symbol refers to a function whose arguments and results are those
      of the region.
    - C2: that function does not run the loop itself, nor do those that it calls.
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
