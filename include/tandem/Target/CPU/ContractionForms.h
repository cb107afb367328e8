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

/// Merges the innermost spatial dim with the spatial and batch dims around it,
/// as far as one loop can step through all of them. Removes the merged dims.
/// The index of the innermost dim in the result then exceeds that dim's size.
void flattenPositions(Contraction &contraction);

/// Describes groups of one output, whose positions run along the lanes, as the
/// outputs of a single group. A tile then computes several groups. One group
/// with few positions would have too few independent products to hide their
/// latency. Does not change other contractions.
void describeGroupsAsOutputs(Contraction &contraction);

/// Checks that a kernel can compute `contraction`, which describes `hero`. The
/// message of the Error has the form that describeContraction documents.
Status checkContraction(mlir::Operation *hero, const Contraction &contraction);

/// Returns the dim that runs along the lanes in a kernel, or nothing if the
/// contraction cannot be vectorized.
std::optional<VectorizedDim> getVectorizedDim(const Contraction &contraction);

/// Returns the description of `contraction` with packed weights. The weights
/// are then in the order in which they are read, in one block, and in pairs or
/// quads of inputs if the element format has them.
Contraction assumePacked(Contraction contraction);

/// Returns true if there are register tiles for the element types: sums are in
/// f32, or products of integers of 8 bits are summed in i32.
bool haveTiles(const Contraction &contraction);

/// Returns true if there are register tiles for the contraction with weights
/// that have scales (Contraction::areWeightsScaled): for a matrix product in
/// f32 whose outputs are adjacent in the weights. If two integers are in a
/// byte, a tile must have at least two vectors.
bool canScaleWeights(const Contraction &contraction);

/// Returns the number of bytes of a weight that has a scale, with its share of
/// the scale.
double getScaledBytes(const Contraction &contraction);

/// Returns the share (0 to 1) of lanes that do useful work in vectors of
/// `width` elements.
double getLaneUse(const Contraction &contraction, int64_t width);

/// Returns true if it is possible and worthwhile to pack the weights so that
/// output channels are adjacent. Constants are packed ahead of time. Other
/// weights are packed if outputs run along the lanes and weights are reused.
bool canPackWeights(mlir::Operation *hero, const Contraction &contraction,
                    bool isConstant);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONFORMS_H
