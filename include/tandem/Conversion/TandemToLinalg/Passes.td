//===- Passes.td - Kernels of tandem ops to linalg ------ -*- tablegen -* -===//
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
    Converts a function of tandem ops on static tensors to `linalg.generic` ops
    with parallel iterators, one op per shape of the results. The body of a
    `linalg.generic` computes the result elements at one index and recurses
    through the producers (elemental emission). A shape op changes the index. A
    small window or contraction is unrolled. An element that was already
    computed at the same index is reused. No intermediate tensors remain.

    - If the index of an access is an affine function of the loops, the accessed
      tensor is an `ins` operand with an indexing map. Any other access becomes
      a `tensor.extract`. An access that may be out of range, as for padding and
      concatenation, is guarded by `scf.if`.
    - f16 and bf16 values are widened to f32 after a load and rounded before a
      store.
    - Dims of size one are removed. Adjacent dims are merged if every access
      traverses them like one dim, so an elementwise kernel is a single loop.

    A kernel of kind reduction (see `tandem.kind` on the kernel's module)
    becomes a sequence of ops with common outer loops over the dims that are not
    reduced. The first op computes the reductions that do not depend on any
    other reduction. The second op computes the reductions that depend on the
    first op, and so on. Each of these ops has reduction iterators. Ops with
    parallel iterators, which compute the results, follow. 16-bit floats are
    combined in f32. If two stages need a value that costs more than a load, the
    value becomes an additional result of the first of these stages, provided
    that a row of the value stays in the cache of a core. All other values are
    recomputed. A target runs all stages for one row before the next row, so the
    results of the stages do not need memory for whole tensors.

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
           "The device whose cache sizes determine which rows are stored: "
           "generic, host, the name of a built-in device description, the "
           "path of a device description, or the text of one.">
  ];
}

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_PASSES
