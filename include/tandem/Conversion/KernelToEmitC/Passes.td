//===- Passes.td - Mapped kernels to EmitC ----------------*- tablegen -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_CONVERSION_KERNELTOEMITC_PASSES
#define TANDEM_CONVERSION_KERNELTOEMITC_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToEmitC : Pass<"convert-kernel-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Convert mapped kernels to EmitC that prints as CUDA C++";
  let description = [{
    Converts each function that `map-kernel-to-threads` has rewritten to an
    `emitc.func` with the specifiers of a CUDA kernel, and forms
    `emitc.expression` ops of a readable size. `index` becomes `i32`, or `i64`
    if a tensor or the grid is too large for `i32`. If a kernel uses f16, bf16
    or vectors, the types for them are declared before the kernel. Operations
    for which CUDA has no function become short device functions before the
    kernel. `NameLoc` locations carry readable names.

    The result for the example of `map-kernel-to-threads`, as printed by
    `tandem-translate`:
    ```c++
    extern "C" __global__ void scale(const float* __restrict__ in0,
                                     float* __restrict__ out) {
      const int block = blockIdx.x;
      const int thread = threadIdx.x;
      const int i = block * 256 + thread;
      if (i < 100) {
        const float in0_0 = in0[i];
        out[i] = in0_0 + in0_0;
      }
      return;
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::emitc::EmitCDialect", "::mlir::math::MathDialect"
  ];
}

#endif // TANDEM_CONVERSION_KERNELTOEMITC_PASSES
