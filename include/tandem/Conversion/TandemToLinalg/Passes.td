//===- Passes.td - Kernels of tandem ops to linalg -------*- tablegen -*---===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_CONVERSION_TANDEMTOLINALG_PASSES
#define TANDEM_CONVERSION_TANDEMTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTandemToLinalg
    : Pass<"convert-tandem-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Emit a kernel of tandem ops as linalg.generic ops";
  let description = [{
    Turns a function of tandem ops on static tensors into one `linalg.generic`
    with parallel iterators for each shape of its results. Its body computes the
    element of a result at an index, recursing through the producers (elemental
    emission): a shape op changes the index, a small window or contraction is
    unrolled, and elements that were computed before at the same index are
    reused. No intermediate tensors are left.

    - An access whose index is an affine function of the loops is an `ins`
      operand with an indexing map; any other access is a `tensor.extract`. An
      access that may be out of range (padding, concatenation) is guarded by
      `scf.if`.
    - f16 and bf16 are widened to f32 when read and rounded when written.
    - Dims of size one are removed, and adjacent dims that every access
      traverses like one dim are merged, so that an elementwise kernel is a
      single loop.

    A kernel of kind reduction (`tandem.kind` of its module) becomes a sequence
    of ops that share their loops, with the kept dims outermost. The first op
    computes the reductions that depend on no other reduction, the second one
    those that depend on the first, and so on; each of these has reduction
    iterators. Ops with parallel iterators for the results follow. 16-bit floats
    are combined in f32. A value that two stages need and that costs more than a
    load becomes one more result of the first stage, if a row of it stays in a
    core's cache; all other values are recomputed. A target runs all stages row
    by row, so that their results need no memory.

    Before:
    ```mlir
    func.func @k(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tandem.add %x, %y : tensor<4x8xf32>
      %1 = tandem.relu %0 : tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @k(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %xc = tensor.collapse_shape %x [[0, 1]]
          : tensor<4x8xf32> into tensor<32xf32>
      %yc = tensor.collapse_shape %y [[0, 1]]
          : tensor<4x8xf32> into tensor<32xf32>
      %e = tensor.empty() : tensor<32xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id],
                           iterator_types = ["parallel"]}
          ins(%xc, %yc : tensor<32xf32>, tensor<32xf32>)
          outs(%e : tensor<32xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        %zero = arith.constant 0.0 : f32
        %m = arith.maximumf %s, %zero : f32
        linalg.yield %m : f32
      } -> tensor<32xf32>
      %rr = tensor.expand_shape %r [[0, 1]] output_shape [4, 8]
          : tensor<32xf32> into tensor<4x8xf32>
      return %rr : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The device whose caches decide which rows are stored: generic, "
           "host, the name of a built-in device description, the path of "
           "one, or its text.">
  ];
}

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_PASSES
