//===- Contraction.h - Convolutions and matmuls as one problem -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_CONTRACTION_CONTRACTION_H
#define TANDEM_ANALYSIS_CONTRACTION_CONTRACTION_H

#include "tandem/Analysis/Contraction/ElementFormat.h"
#include "tandem/Support/Error.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "llvm/Support/MathExtras.h"

namespace tandem {

/// The size of the parts into which `total` falls where none may exceed `most`
/// and there are as few as can be, all as even as can be. Both are at least 1.
inline int64_t getEvenShare(int64_t total, int64_t most) {
  return llvm::divideCeilSigned(total, llvm::divideCeilSigned(total, most));
}

/// A tandem.conv or tandem.matmul as sums over taps and inputs,
///
///   result[batch, spatial, group, output] = bias[group, output] +
///     sum over taps, input of
///       data[batch, spatial * stride + tap * dilation - pad, group, input] *
///       weights[batch, tap, group, input, output],
///
/// with strides in elements of row-major tensors. A matmul has one spatial dim
/// (the rows of its result) with one tap, and no groups.
struct Contraction {
  /// A dim of the result that both operands are read along; their strides are
  /// 0 where they do not have it.
  struct BatchDim {
    int64_t resultDim, size, dataStride, weightsStride;
  };
  struct SpatialDim {
    int64_t resultDim, size;
    /// Of the data, in positions.
    int64_t dataSize, taps, stride, dilation, padLow;
    int64_t dataStride, weightsStride;

    /// Whether some tap of some position is outside of the data.
    bool isPadded() const {
      return padLow > 0 ||
             (size - 1) * stride + (taps - 1) * dilation - padLow >= dataSize;
    }
  };

  /// What memory holds: the operands, ahead of any views of the weights.
  mlir::Value data, weights, bias;
  mlir::RankedTensorType result;
  llvm::SmallVector<BatchDim, 2> batch;
  /// At least one, outermost first.
  llvm::SmallVector<SpatialDim, 3> spatial;
  int64_t groups = 1, groupDataStride = 0, groupWeightsStride = 0;
  /// Of one group.
  int64_t inputChannels = 1, inputDataStride = 0, inputWeightsStride = 0;
  /// Weights of a format with two packed inputs may have two inputs of an
  /// output side by side, where outputs are two elements apart:
  /// `inputWeightsStride` is from pair to pair then. An odd last input has a
  /// place beside it that is not read.
  bool hasInputPairs = false;
  /// Of one group; dim `outputDim` of the result is [groups][outputs].
  int64_t outputChannels = 1, outputDim = 0;
  /// Output o is at o / outputBlock * outputBlockStride +
  /// o % outputBlock * outputStride of the weights.
  int64_t outputStride = 0, outputBlock = 1, outputBlockStride = 0;
  /// The weights in memory are those that tandem.winograd_kernel has
  /// transformed: their strides are those of its second operand, whose spatial
  /// dims are 6x6 and not taps. They serve for data of magnitudes up to
  /// `largestData`.
  bool isTransformed = false;
  float largestData = 0;
  /// Sums are to stay in registers: weights will be in the order that suits
  /// that (assumePacked), or windows read the sums tile by tile.
  bool sumsInRegisters = false;

  /// Positions of the result without its outputs.
  int64_t getPositions() const {
    int64_t product = 1;
    for (const BatchDim &dim : batch)
      product *= dim.size;
    for (const SpatialDim &dim : spatial)
      product *= dim.size;
    return product;
  }
  /// Of data, weights, bias and result.
  ElementFormat getFormat() const {
    return ElementFormat(result.getElementType());
  }
  /// Products summed to one element.
  int64_t getReduction() const {
    int64_t product = inputChannels;
    for (const SpatialDim &dim : spatial)
      product *= dim.taps;
    return product;
  }
};

/// What runs along a vector.
enum class ContractionLanes {
  /// Outputs: adjacent in the result and the weights; data is broadcast.
  Outputs,
  /// Groups of one input and one output: adjacent in all three (depthwise).
  Groups,
  /// The innermost spatial dim, where the result and the data have it
  /// adjacent; weights are broadcast. With strides up to `kMaxLaneStride` a
  /// vector is picked from as many that are read.
  Positions,
  /// Inputs: adjacent in the data and the weights; lanes are summed at the end.
  Reduction,
};

/// Each vector that is read for another takes a load and a shuffle.
inline constexpr int64_t kMaxLaneStride = 4;

/// Makes one of the innermost spatial dim and those around it that are stepped
/// through as through one: theirs are gone, and its index in the result goes
/// beyond its own dim.
void flattenPositions(Contraction &contraction);

/// Describes `hero`, a tandem.conv or tandem.matmul of static types, looking
/// through transposes, reshapes and slices of its weights, and through
/// tandem.winograd_kernel to the transformed ones. The Error says what stands
/// in the way, as the rest of a sentence about the op.
Expected<Contraction> describeContraction(mlir::Operation *hero);

/// The same, but through tandem.winograd_kernel to the plain weights.
Expected<Contraction> describePlainContraction(mlir::Operation *hero);

/// Whether a kernel can compute `contraction`, which describes `hero`; the
/// Error is as describeContraction's.
Status checkContraction(mlir::Operation *hero, const Contraction &contraction);

/// What may run along vectors, if anything.
std::optional<ContractionLanes>
getContractionLanes(const Contraction &contraction);

/// Element types of contractions that are computed in f32.
bool isComputedInF32(mlir::Type elementType);

/// `contraction` as when its weights are packed: in order, in one block, in
/// pairs of inputs where its format has these.
Contraction assumePacked(Contraction contraction);

/// Inputs that packed weights of `type` have side by side.
int64_t getPackedInputs(mlir::Type type, int64_t inputs);

/// The share of the lanes of vectors of `width` that do something.
double getLaneUse(const Contraction &contraction, int64_t width);

/// Whether `contraction`, of a convolution, can be computed by Winograd's
/// method (docs/Contractions.md): 3x3 taps, one by one, channels last, in one
/// group, of f32, with 8 to 4096 inputs and several outputs.
bool canUseWinograd(const Contraction &contraction);

/// Whether the weights may be packed so that outputs are adjacent: constants
/// ahead of time, others where they are used often enough.
bool canPackWeights(mlir::Operation *hero, const Contraction &contraction,
                    bool isConstant);

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_CONTRACTION_H
