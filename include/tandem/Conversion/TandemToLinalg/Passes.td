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
    with parallel iterators per shape of its results. Its body computes the
    element of a result at an index, recursing through the producers: a shape op
    is a change of the index, a small window or contraction is unrolled, and
    what was computed before at the same index is used again (elemental
    emission). No intermediate tensor is left.

    - An access that is an affine function of the loops is an `ins` operand with
      an indexing map; any other is a `tensor.extract`. What may be out of range
      (padding, concatenation) is read under `scf.if`.
    - f16 and bf16 are widened to f32 when read and rounded when written.
    - Dims of size one go, and adjacent dims that every access traverses as one
      become one dim, so that an elementwise kernel is a single loop.

    A kernel of kind reduction (`tandem.kind` of its module) becomes a sequence of
    ops that share their loops, the dims that are kept first: the reductions that
    need no other, those that need these, and so on, each level as one op with
    reduction iterators; then parallel ones for what is returned. Half precision
    is combined in f32. What costs more than a load and is needed in two stages
    is one more result of the first, if a row of it stays in a core's cache; all
    else is computed again. A target runs all stages row by row, so that none of their results
    needs memory.

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
           "What rows are small for: generic, host, the name of a built-in "
           "device description, the path of one, or its text.">
  ];
}

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_PASSES
