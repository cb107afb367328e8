//===- KernelPasses.h - Passes on GPU kernels -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CUDA_KERNELPASSES_H
#define TANDEM_TARGET_CUDA_KERNELPASSES_H

#include "tandem/Support/Error.h"

#include "mlir/Pass/Pass.h"

namespace tandem {

/// The pass that maps a kernel in linalg form to blocks and threads
/// (Passes.td).
#define GEN_PASS_DECL
#include "tandem/Target/CUDA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Target/CUDA/Passes.h.inc"

struct Contraction;
struct ContractionWindow;

namespace codegen {

/// Whether map-kernel-to-threads maps kernels of kind contraction with `hero`,
/// which `contraction` describes: a convolution of few products, with output
/// channels innermost. The Error says why not, as a clause that continues a
/// sentence about the op.
Status checkSmallContraction(mlir::Operation *hero,
                             const Contraction &contraction);

/// The part of a contraction's result that a block of such a kernel computes
/// for windows over the result.
struct BlockPart {
  /// The number of bytes of the result that a block keeps, and the maximum
  /// number of bytes that it may keep.
  int64_t bytes = 0, mostBytes = 0;
  /// The number of elements that blocks compute more than once, as a share of
  /// the elements of the result.
  double repeatedShare = 0;
};
/// Returns the part of a block if `window` reads the result of `contraction`,
/// or the result of an elementwise op on it. `elementBytes` is the element size
/// of the tensor that the window reads.
BlockPart getBlockPart(const Contraction &contraction,
                       const ContractionWindow &window, int64_t elementBytes);

} // namespace codegen
} // namespace tandem

#endif // TANDEM_TARGET_CUDA_KERNELPASSES_H
