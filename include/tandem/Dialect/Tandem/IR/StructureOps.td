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
  let summary = "A group of ops that become one kernel";
  let description = [{
    The region computes the results of the fusion. The region has one argument
    per operand and uses no other values. `kind` determines how code for the
    kernel is generated. A fusion of kind `library` does not become a kernel. It
    becomes one call of a library.

    Constraints:
    - C1: the arguments of the region have the types of the operands.
    - C2: the region yields values of the result types.
    - C3: the ops of the region are pure.
    - C4: a fusion of kind `library` begins with a convolution or matrix
      product. After it, the fusion may contain an `add` of a tensor that has
      the type of the result, and an `add` of a bias that has one element for
      each output channel or column. The last op may be a `relu`, or a `gelu`
      with `approximate_tanh`. Each of these ops occurs at most once. Each op
      reads the value of the previous op, and nothing else reads that value. The
      fusion yields the value of the last op.

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
    // Creates the block of the body, with arguments but without a terminator.
    OpBuilder<(ins "::mlir::TypeRange":$results, "FusionKind":$kind,
                   "::mlir::ValueRange":$inputs)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the terminator of the region.
    YieldOp getYield();
  }];
}

def Tandem_YieldOp : Tandem_BaseOp<"yield",
    [Terminator, ReturnLike, ParentOneOf<["FusionOp", "LoopOp"]>]> {
  let summary = "Yields the results of a fusion or of a loop iteration";
  let arguments = (ins Variadic<Tandem_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* An empty yield. */ }]>];
}

def Tandem_LaunchOp : Tandem_BaseOp<"launch",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs an outlined kernel";
  let description = [{
    The symbol refers to a nested module with the attribute `tandem.kernel`. The
    kernel is the function with the same name as the module, in that module.

    Constraints:
    - C1: the symbol refers to a module with the attribute `tandem.kernel`.
    - C2: the operands and results have the types of the kernel's function. If
      the kernel has been lowered to linalg, integers may be signless there. This
      constraint is checked only while the function has tensor arguments.

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
    `target` is the name under which the function was registered
    (`tandem/Runtime/CustomCall.h`, `tandem-c/Tandem.h`). `config` is passed to
    the function unchanged. The result types are written explicitly. The sizes
    of dynamic result dims are computed by the shape function that was
    registered for the target, if there is one. The function must be pure.

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
