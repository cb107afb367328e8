//===- Contraction.h - Convolutions and matmuls as one problem --*- C++ -*-===//
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

#include <algorithm>

namespace tandem {

/// The part size that divides `total` into as few parts as possible, none
/// larger than `most`, with all parts as equal as possible. Both numbers are at
/// least 1.
inline int64_t getEvenShare(int64_t total, int64_t most) {
  return llvm::divideCeilSigned(total, llvm::divideCeilSigned(total, most));
}

/// The pass tandem-cpu-fit-bytes adds this attribute to a contraction of
/// integers of 8 bits whose kernel sums the products in f32
/// (Contraction::areSumsInF32).
inline constexpr llvm::StringLiteral kSumsInF32AttrName = "tandem.sums_in_f32";

/// A tandem.conv or tandem.matmul in one common form: as sums over the taps of
/// the kernel and the input channels,
///
///   result[batch, spatial, group, output] = bias[group, output] +
///     sum over taps, input of
///       data[batch, spatial * stride + tap * dilation - pad, group, input] *
///       weights[batch, tap, group, input, output],
///
/// with strides in elements of row-major tensors. A matmul has one spatial dim
/// (the rows of its result) with one tap, and one group.
struct Contraction {
  /// A batch dim of the result. The stride of an operand that lacks the dim is
  /// 0.
  struct BatchDim {
    int64_t resultDim, size, dataStride, weightsStride;
  };
  /// A spatial dim: `size` positions of the result, each of which reads `taps`
  /// positions of the data.
  struct SpatialDim {
    int64_t resultDim, size;
    /// Size of the data along the dim and geometry of the window, in positions.
    int64_t dataSize, taps, stride, dilation, padLow;
    int64_t dataStride, weightsStride;

    /// Whether some tap of some position is outside the data.
    bool isPadded() const { return padLow > 0 || getPadHigh() > 0; }
    /// The number of positions behind the end of the data that windows read.
    int64_t getPadHigh() const {
      const int64_t last = (size - 1) * stride + (taps - 1) * dilation - padLow;
      return std::max<int64_t>(0, last + 1 - dataSize);
    }
  };

  /// The operands as they are in memory: for the weights, the value before any
  /// transposes, reshapes and slices that only view it.
  mlir::Value data, weights, bias;
  /// The element type of the data, including its signedness. Null means the
  /// element type of the result.
  mlir::Type dataType;
  mlir::RankedTensorType result;
  llvm::SmallVector<BatchDim, 2> batch;
  /// The spatial dims, outermost first; at least one.
  llvm::SmallVector<SpatialDim, 3> spatial;
  int64_t groups = 1, groupDataStride = 0, groupWeightsStride = 0;
  /// The input channels of one group.
  int64_t inputChannels = 1, inputDataStride = 0, inputWeightsStride = 0;
  /// The number of inputs of one output that are adjacent in the weights, for
  /// instructions that multiply pairs or quads: 1 or
  /// ElementFormat::packedInputs. If it is not 1, `inputWeightsStride` is the
  /// distance between two such pairs or quads. The last pair or quad is padded
  /// if the number of inputs is not a multiple of `inputsTogether`.
  int64_t inputsTogether = 1;
  /// The output channels of one group. Dim `outputDim` of the result is
  /// [groups][outputs].
  int64_t outputChannels = 1, outputDim = 0;
  /// The weights of output o begin at o / outputBlock * outputBlockStride + o %
  /// outputBlock * outputStride.
  int64_t outputStride = 0, outputBlock = 1, outputBlockStride = 0;
  /// The distance between the data of two outputs. It is 0, because outputs
  /// share their data, unless a target describes groups as outputs.
  int64_t outputDataStride = 0;
  /// If not 0, the weights are integers of 8 bits that are multiplied by scales
  /// in f32. Each scale applies to this many consecutive inputs of one output.
  int64_t inputsPerScale = 0;
  /// The bits of such an integer in memory: 8 or 4. Integers of 4 bits are in
  /// blocks of outputs. A byte has an output of the first half of its block in
  /// its lower bits, and the output that is half a block away in its upper bits
  /// (ir::UnpackedIntegersOpInterface). `weights` are then the bytes, but
  /// strides are in integers.
  int64_t integerBits = 8;
  /// The scales as they are in memory, like `weights`. Null in a hypothetical
  /// contraction, whose cost is estimated as if its weights had scales. Scales
  /// are divided into the same blocks of `outputBlock` outputs as the weights,
  /// and an output has the same position in both blocks.
  mlir::Value scales;
  /// The distances between the scales of two blocks of inputs, and between
  /// those of two blocks of outputs.
  int64_t scaleStride = 0, scaleBlockStride = 0;
  /// Whether products of integers of 8 bits are summed in f32. This is exact,
  /// because no partial sum of the products of an output exceeds 2^24.
  bool areSumsInF32 = false;
  /// Whether the target wants the sums to stay in registers.
  bool sumsInRegisters = false;

  /// Number of positions of the result: batch times spatial positions.
  int64_t getPositions() const {
    int64_t product = 1;
    for (const BatchDim &dim : batch)
      product *= dim.size;
    for (const SpatialDim &dim : spatial)
      product *= dim.size;
    return product;
  }
  /// The element format of data, weights, bias and result.
  ElementFormat getFormat() const {
    ElementFormat format(areBytesWidened() ? dataType
                                           : result.getElementType());
    if (areSumsInF32)
      format.sumInF32();
    return format;
  }
  /// Whether integers of 8 bits are multiplied, with a result of i32.
  bool areBytesWidened() const {
    return dataType && dataType.isInteger(8) &&
           result.getElementType().isInteger(32);
  }
  /// Whether the weights are integers of 8 bits with scales in f32.
  bool areWeightsScaled() const { return inputsPerScale > 0; }
  /// Whether two such integers are in a byte.
  bool areIntegersPaired() const {
    return areWeightsScaled() && integerBits == 4;
  }
  /// Size of a weight in memory, in bytes, without its share of a scale.
  double getWeightBytes() const {
    return areWeightsScaled() ? double(integerBits) / 8
                              : double(getFormat().bytes);
  }
  /// Number of products that are summed for one element of the result.
  int64_t getReduction() const {
    int64_t product = inputChannels;
    for (const SpatialDim &dim : spatial)
      product *= dim.taps;
    return product;
  }
};

/// Describes `hero`, a tandem.conv or tandem.matmul of static types. It looks
/// through transposes, reshapes and slices of the weights, and through ops with
/// ir::IdentityOpInterface. The message of the Error is the predicate of a
/// sentence whose subject is the op, e.g. "has an empty operand or result".
Expected<Contraction> describeContraction(mlir::Operation *hero);

/// Describes `hero` as if `weights` were its second operand. `weights` must
/// have the rank of that operand.
Expected<Contraction> describeContraction(mlir::Operation *hero,
                                          mlir::Value weights);

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_CONTRACTION_H
