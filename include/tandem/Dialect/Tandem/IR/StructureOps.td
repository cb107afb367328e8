//===- StructureOps.td - Fusions, launches, custom calls - -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_STRUCTUREOPS_TD
#define TANDEM_DIALECT_STRUCTUREOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tandem_FusionOp : Tandem_BaseOp<"fusion",
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Ops that become one kernel";
  let description = [{
    The region computes the results from its arguments, one per operand, and
    uses no other values. `kind` says how code for the kernel is generated. A
    fusion of kind `library` becomes no kernel but one call of a library.

    Constraints:
    - C1: the region's arguments have the operands' types.
    - C2: the region yields values of the results' types.
    - C3: the ops of the region are pure.
    - C4: the ops of a fusion of kind `library` are a convolution or matrix
      product, then any of these, once each: an `add` of a tensor of the
      result's type, an `add` of a bias, with one element for each output
      channel or column, and, last, a `relu` or a `gelu` by tanh. Each reads the
      value before it, which nothing else does; the last is yielded.

    Example:
    ```mlir
    %0 = tandem.fusion loop (%a = %x, %b = %y)
        : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
      %1 = tandem.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %2 = tandem.relu %1 : tensor<4x8xf32>
      tandem.yield %2 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Tandem_FusionKindAttr:$kind,
                       Variadic<Tandem_Tensor>:$inputs);
  let results = (outs Variadic<Tandem_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    // Creates the body's block, with its arguments and without a terminator.
    OpBuilder<(ins "::mlir::TypeRange":$results, "FusionKind":$kind,
                   "::mlir::ValueRange":$inputs)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The terminator.
    YieldOp getYield();
  }];
}

def Tandem_YieldOp : Tandem_BaseOp<"yield",
    [Terminator, ReturnLike, ParentOneOf<["FusionOp", "LoopOp"]>]> {
  let summary = "Returns the results of a fusion, or an iteration, from its region";
  let arguments = (ins Variadic<Tandem_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* An empty yield. */ }]>];
}

def Tandem_LaunchOp : Tandem_BaseOp<"launch",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs an outlined kernel";
  let description = [{
    The symbol refers to a nested module with the attribute `tandem.kernel`. The
    kernel is the function in it that has the same name as the module.

    Constraints:
    - C1: the symbol refers to a module with the attribute `tandem.kernel`.
    - C2: operands and results have the types of the kernel's function, as long
      as that function is on tensors (that is, before it is lowered).

    Example:
    ```mlir
    %0 = tandem.launch @kernel_0(%x, %y)
        : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<Tandem_Tensor>:$inputs);
  let results = (outs Variadic<Tandem_Tensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_CustomCallOp : Tandem_TableOp<"custom_call", []> {
  let summary = "Calls a function that was registered with the runtime";
  let description = [{
    `target` is the name that a function was registered under
    (`tandem/Runtime/CustomCall.h`, `tandem-c/Tandem.h`), and `config` is passed
    to it unchanged. The result types are given explicitly; dims that are not
    known are inferred by the function, if it was registered with that. The
    function must be pure.

    Constraints:
    - C1: `target` is not empty.
    - C2: there is at least one result.

    Example:
    ```mlir
    %0 = tandem.custom_call "my_norm"(%x) config = "p=2"
        : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$target, Variadic<Tandem_Tensor>:$inputs,
                       DefaultValuedStrAttr<StrAttr, "">:$config);
  let results = (outs Variadic<Tandem_Tensor>:$outputs);
  let assemblyFormat = [{
    $target `(` $inputs `)` (`config` `=` $config^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_STRUCTUREOPS_TD
