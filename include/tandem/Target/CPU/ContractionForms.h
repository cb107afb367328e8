//===- ContractionForms.h - Contractions as kernels compute them *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms in which the CPU's kernels compute contractions: which dim runs
// along the lanes of a vector, how weights are packed, and which dims are
// merged.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CONTRACTIONFORMS_H
#define TANDEM_TARGET_CPU_CONTRACTIONFORMS_H

#include "tandem/Analysis/Contraction/Contraction.h"

#include <optional>

namespace tandem {

/// The dim of a contraction that runs along the lanes of a vector.
enum class VectorizedDim {
  /// Output channels, adjacent in the result and the weights. Data is
  /// broadcast.
  OutputChannel,
  /// Groups of one input and one output (depthwise), adjacent in data, weights
  /// and result.
  Group,
  /// Positions of the innermost spatial dim, adjacent in the result and the
  /// data. Weights are broadcast. With a stride s of up to kMaxLaneStride, s
  /// vectors are read and shuffled into one.
  Spatial,
  /// Input channels, adjacent in the data and the weights. The lanes are summed
  /// at the end.
  InputChannel,
};

/// Merges the innermost spatial dim with the spatial dims around it that are
/// stepped through as through one. The merged dims are removed, and the index
/// of the innermost dim in the result then runs beyond that dim's size.
void flattenPositions(Contraction &contraction);

/// Describes groups of one output, whose positions run along the lanes, as the
/// outputs of a single group, so that a tile computes several of them. Alone, a
/// group of few positions has too few independent products to hide their
/// latency. Leaves other contractions alone.
void describeGroupsAsOutputs(Contraction &contraction);

/// Whether a kernel can compute `contraction`, which describes `hero`; the
/// Error is as describeContraction's.
Status checkContraction(mlir::Operation *hero, const Contraction &contraction);

/// The dim that runs along the lanes in a kernel; none where the contraction
/// cannot be vectorized.
std::optional<VectorizedDim> getVectorizedDim(const Contraction &contraction);

/// Describes `contraction` as it would be with packed weights: in the order in
/// which they are read, in one block, and in pairs of inputs where the format
/// has them.
Contraction assumePacked(Contraction contraction);

/// The number of inputs that packed weights of `type` hold side by side, for
/// `inputs` inputs.
int64_t getPackedInputs(mlir::Type type, int64_t inputs);

/// The share (0 to 1) of the lanes of vectors of `width` elements that do
/// useful work.
double getLaneUse(const Contraction &contraction, int64_t width);

/// Whether packing the weights, so that output channels are adjacent, is
/// possible and worthwhile. Constants are packed ahead of time; other weights
/// are packed where outputs run along the lanes and each is used often enough.
bool canPackWeights(mlir::Operation *hero, const Contraction &contraction,
                    bool isConstant);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONFORMS_H
