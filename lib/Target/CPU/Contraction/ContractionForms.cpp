//===- ContractionForms.cpp - What kernels make of contractions -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionForms.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/LoopEfficiency.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

std::optional<VectorizedDim> getVectorizedDim(const Contraction &contraction) {
  int64_t last = contraction.result.getRank() - 1;
  const Contraction::SpatialDim &inner = contraction.spatial.back();
  bool outputsAreLast = contraction.outputDim == last;
  if (outputsAreLast && contraction.outputChannels > 1 &&
      contraction.outputStride == contraction.inputsTogether)
    return VectorizedDim::OutputChannel;
  if (contraction.inputsTogether > 1)
    return std::nullopt;
  if (outputsAreLast && contraction.groups > 1 &&
      contraction.outputChannels == 1 && contraction.inputChannels == 1 &&
      contraction.groupDataStride == 1 && contraction.groupWeightsStride == 1)
    return VectorizedDim::Group;
  if (contraction.areBytesWidened())
    return std::nullopt;
  bool isBlocked = contraction.outputBlock < contraction.outputChannels;
  if (inner.resultDim == last && inner.size > 1 &&
      inner.stride <= kMaxLaneStride && inner.dataStride == 1)
    return VectorizedDim::Spatial;
  if (outputsAreLast && contraction.inputChannels > 1 &&
      contraction.inputDataStride == 1 && contraction.inputWeightsStride == 1 &&
      !isBlocked)
    return VectorizedDim::InputChannel;
  return std::nullopt;
}

/// The smallest number of outputs that does not fit in a single vector on any
/// processor, so that a tile always has two vectors.
static constexpr int64_t kLeastOutputsOfPairs = 17;

bool canScaleWeights(const Contraction &contraction) {
  return getVectorizedDim(contraction) == VectorizedDim::OutputChannel &&
         contraction.getFormat().memory.isF32() && contraction.groups == 1 &&
         contraction.getReduction() == contraction.inputChannels &&
         (!contraction.areIntegersPaired() ||
          (contraction.outputChannels >= kLeastOutputsOfPairs &&
           contraction.inputChannels > 1));
}

double getScaledBytes(const Contraction &contraction) {
  const int64_t inputs =
      std::min(contraction.inputsPerScale, contraction.inputChannels);
  return contraction.getWeightBytes() + double(sizeof(float)) / double(inputs);
}

bool haveTiles(const Contraction &contraction) {
  return contraction.areBytesWidened() ||
         isComputedInF32(contraction.result.getElementType());
}

/// Whether weights can be packed although tiles broadcast them, because
/// positions run along the lanes. Packing makes the weights of a tile adjacent
/// in memory; otherwise each of them is in a cache line of its own.
static bool canPackBroadcast(const Contraction &contraction, bool isConstant) {
  return isConstant && contraction.getFormat().packedInputs == 1 &&
         getVectorizedDim(contraction) == VectorizedDim::Spatial;
}

Contraction assumePacked(Contraction contraction) {
  contraction.outputBlock = contraction.outputChannels;
  contraction.sumsInRegisters = true;
  if (contraction.outputDim != contraction.result.getRank() - 1) {
    if (canPackBroadcast(contraction, /*isConstant=*/true))
      contraction.outputStride = 1;
    return contraction;
  }
  contraction.outputStride = contraction.inputsTogether =
      contraction.inputChannels > 1 ? contraction.getFormat().packedInputs : 1;
  return contraction;
}

double getLaneUse(const Contraction &contraction, int64_t width) {
  // Weights will be packed if the contraction cannot be vectorized yet.
  VectorizedDim vectorizedDim =
      getVectorizedDim(contraction).value_or(VectorizedDim::OutputChannel);
  int64_t size = contraction.outputChannels;
  if (vectorizedDim == VectorizedDim::Group)
    size = contraction.groups;
  if (vectorizedDim == VectorizedDim::Spatial)
    size = contraction.spatial.back().size;
  // Weights that leave most lanes of the inputs empty will be packed.
  if (vectorizedDim == VectorizedDim::InputChannel)
    size = std::max(contraction.inputChannels, contraction.outputChannels);
  return static_cast<double>(size) /
         static_cast<double>(llvm::divideCeilSigned(size, width) * width);
}

/// Whether the positions along `dim` read evenly spaced positions of the data,
/// through a single tap and without padding.
static bool isPlain(const Contraction::SpatialDim &dim) {
  return dim.taps == 1 && !dim.isPadded();
}

void flattenPositions(Contraction &contraction) {
  SmallVector<int64_t> strides =
      computeSuffixProduct(contraction.result.getShape());
  auto isOuter = [&](int64_t resultDim, int64_t dataStep) {
    const Contraction::SpatialDim &inner = contraction.spatial.back();
    return strides[resultDim] == inner.size * strides[inner.resultDim] &&
           dataStep == inner.size * inner.stride * inner.dataStride;
  };
  auto merge = [&](int64_t resultDim, int64_t size) {
    Contraction::SpatialDim &inner = contraction.spatial.back();
    if (inner.size == 1)
      inner.resultDim = resultDim;
    inner.size *= size;
    inner.dataSize = (inner.size - 1) * inner.stride + 1;
  };
  if (!isPlain(contraction.spatial.back()))
    return;
  while (contraction.spatial.size() > 1) {
    size_t outer = contraction.spatial.size() - 2;
    const Contraction::SpatialDim dim = contraction.spatial[outer];
    if (!isPlain(dim) || !isOuter(dim.resultDim, dim.stride * dim.dataStride))
      return;
    merge(dim.resultDim, dim.size);
    contraction.spatial.erase(contraction.spatial.begin() + outer);
  }
  while (!contraction.batch.empty()) {
    Contraction::BatchDim dim = contraction.batch.back();
    if (dim.size != 1 &&
        (dim.weightsStride != 0 || !isOuter(dim.resultDim, dim.dataStride)))
      return;
    merge(dim.resultDim, dim.size);
    contraction.batch.pop_back();
  }
}

void describeGroupsAsOutputs(Contraction &contraction) {
  if (contraction.groups == 1 || contraction.outputChannels != 1 ||
      getVectorizedDim(contraction) != VectorizedDim::Spatial)
    return;
  contraction.outputChannels = contraction.outputBlock = contraction.groups;
  contraction.outputStride = contraction.groupWeightsStride;
  contraction.outputDataStride = contraction.groupDataStride;
  contraction.groups = 1;
  contraction.groupDataStride = contraction.groupWeightsStride = 0;
}

/// The least number of uses of each weight for which it pays to pack the
/// weights at run time.
static constexpr int64_t kUsesThatPayPacking = 128;

bool canPackWeights(Operation *hero, const Contraction &contraction,
                    bool isConstant) {
  if (auto matmul = dyn_cast<ir::MatmulOp>(hero))
    if (cast<RankedTensorType>(matmul.getRhs().getType()).getRank() != 2)
      return false;
  if (contraction.outputChannels == 1 || !haveTiles(contraction))
    return false;
  if (contraction.outputDim != contraction.result.getRank() - 1)
    return canPackBroadcast(contraction, isConstant);
  return isConstant || contraction.getPositions() >= kUsesThatPayPacking;
}

Status checkContraction(Operation *hero, const Contraction &contraction) {
  if (!haveTiles(contraction))
    return fail("codegen",
                "is of none of f32, f16, bf16 and integers of 8 bits");
  bool isConstant = matchPattern(contraction.weights, m_Constant());
  if (!getVectorizedDim(contraction) &&
      !canPackWeights(hero, contraction, isConstant))
    return fail("codegen",
                "has no dim that its operands and its result have adjacent in "
                "memory, to run along vectors");
  return {};
}

} // namespace tandem
