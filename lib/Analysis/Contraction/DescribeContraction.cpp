//===- DescribeContraction.cpp - Contractions of ops ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/Contraction/Contraction.h"

#include "ViewStrides.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/ExactSums.h"
#include "tandem/Support/ShapeRules.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tandem {

static SmallVector<int64_t> stridesOf(Value value) {
  return mlir::computeSuffixProduct(typeOf(value).getShape());
}

/// Blocks of outputs along the lanes hold whole vectors: at least those of the
/// narrowest registers, of 4 numbers of f32.
static bool isBlock(int64_t size, const Contraction &contraction) {
  return contraction.outputDim != contraction.result.getRank() - 1 ||
         size % 4 == 0;
}

/// Sets the strides of the outputs, and of the groups they are in.
static bool describeOutputs(const View &weights, unsigned dim,
                            Contraction &contraction) {
  View::Dim outputs = weights.dims[dim];
  std::optional<View::Dim> groups = takeOuter(outputs, contraction.groups);
  if (!groups || groups->size() > 1)
    return false;
  if (!groups->empty()) {
    if (groups->front().digits.size() != 1)
      return false;
    contraction.groupWeightsStride = groups->front().digits[0].stride;
  }
  // Whole blocks are parts of their own; where the last is cut short, they are
  // the digits of one.
  SmallVector<View::Digit> digits;
  for (const View::Part &part : outputs)
    digits.append(part.digits.begin(), part.digits.end());
  bool isCut = outputs.size() == 1 && outputs[0].digits.size() == 2;
  if (digits.size() > 2 ||
      (digits.size() == 2 && ((!isCut && outputs.size() != 2) ||
                              !isBlock(digits[1].size, contraction))))
    return false;
  contraction.outputBlock = contraction.outputChannels;
  if (digits.empty())
    return true;
  contraction.outputStride = digits.back().stride;
  if (digits.size() == 2) {
    contraction.outputBlock = digits[1].size;
    contraction.outputBlockStride = digits[0].stride;
  }
  return true;
}

/// Sets the strides of the inputs, which come one by one or in pairs.
static bool describeInputs(const View &weights, unsigned dim,
                           Contraction &contraction) {
  std::optional<int64_t> stride = weights.getStride(dim);
  const int64_t together = contraction.getFormat().packedInputs;
  if (!stride && together > 1) {
    stride = weights.getGroupStride(dim, together);
    if (stride)
      contraction.inputsTogether = together;
  }
  contraction.inputWeightsStride = stride.value_or(0);
  return stride.has_value();
}

/// All inputs may be one group.
static void findOneGroup(Contraction &contraction) {
  const int64_t together = contraction.getFormat().packedInputs;
  bool outputsAreLast =
      contraction.outputDim == contraction.result.getRank() - 1;
  if (contraction.inputChannels == 1 || contraction.inputChannels > together ||
      !outputsAreLast || contraction.inputWeightsStride != 1 ||
      contraction.outputStride != together || contraction.outputChannels == 1)
    return;
  contraction.inputsTogether = together;
  contraction.inputWeightsStride = 0;
}

static Expected<LayoutDims> parse(StringRef layout, bool isKernel) {
  return parseLayout(std::string_view(layout.data(), layout.size()), isKernel);
}

static tl::unexpected<Error> refuse(std::string why) {
  return fail("codegen", std::move(why));
}

static tl::unexpected<Error> refuseViews() {
  return refuse("reads its weights through views with no constant strides");
}

/// `value` without the bitcasts that only give its elements a sign.
static Value inMemory(Value value) {
  while (auto cast = value.getDefiningOp<ir::BitcastOp>())
    value = cast.getInput();
  return value;
}

/// Whether the sums of a depthwise convolution of integers of 8 bits cannot
/// exceed 2^24, up to which f32 has all integers.
static bool areDepthwiseSumsExact(const Contraction &contraction) {
  constexpr int64_t kLargestProduct = 255 * 128;
  return contraction.areBytesWidened() && contraction.inputChannels == 1 &&
         contraction.outputChannels == 1 &&
         contraction.getReduction() * kLargestProduct <= kMostExactInF32;
}

static Expected<Contraction> describeConv(ir::ConvOp op, const View &weights) {
  Expected<LayoutDims> input = parse(op.getLayout().getInput(), false);
  Expected<LayoutDims> kernel = parse(op.getLayout().getKernel(), true);
  Expected<LayoutDims> output = parse(op.getLayout().getOutput(), false);
  if (!input || !kernel || !output)
    return refuse("has a layout that is not valid");
  ArrayRef<int64_t> dataShape = typeOf(op.getInput()).getShape();
  ArrayRef<int64_t> kernelShape = typeOf(op.getKernel()).getShape();
  Contraction result;
  result.data = inMemory(op.getInput());
  result.dataType = typeOf(op.getInput()).getElementType();
  result.weights = weights.source;
  result.bias = op.getBias();
  result.result = typeOf(op.getResult());
  result.areSumsInF32 =
      result.areBytesWidened() && op->hasAttr(kSumsInF32AttrName);
  SmallVector<int64_t> dataStrides = stridesOf(op.getInput());
  result.batch.push_back(
      {output->batch, dataShape[input->batch], dataStrides[input->batch], 0});
  result.groups = op.getGroups();
  result.inputChannels = kernelShape[kernel->channel];
  result.outputChannels = kernelShape[kernel->batch] / result.groups;
  result.outputDim = output->channel;
  result.inputDataStride = dataStrides[input->channel];
  result.groupDataStride = result.inputChannels * result.inputDataStride;
  bool isStrided = describeInputs(weights, kernel->channel, result) &&
                   describeOutputs(weights, kernel->batch, result);
  findOneGroup(result);
  for (int i = 0; i < input->numSpatial; ++i) {
    std::optional<int64_t> tapStride = weights.getStride(kernel->spatial[i]);
    isStrided &= tapStride.has_value();
    unsigned dim = output->spatial[i];
    result.spatial.push_back(
        {dim, result.result.getDimSize(dim), dataShape[input->spatial[i]],
         kernelShape[kernel->spatial[i]], op.getStrides()[i],
         op.getDilations()[i], op.getPadLow()[i],
         dataStrides[input->spatial[i]], tapStride.value_or(0)});
  }
  result.areSumsInF32 |= areDepthwiseSumsExact(result);
  if (!isStrided)
    return refuseViews();
  return result;
}

/// The batch dims of both operands, which broadcast.
static bool describeBatch(ir::MatmulOp op, const View &weights,
                          Contraction &result) {
  int64_t rank = result.result.getRank();
  SmallVector<int64_t> lhsStrides = stridesOf(op.getLhs());
  int64_t lhsRank = lhsStrides.size(), rhsRank = weights.dims.size();
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    int64_t lhsDim = dim - (rank - lhsRank), rhsDim = dim - (rank - rhsRank);
    bool hasLhs = lhsDim >= 0 && typeOf(op.getLhs()).getDimSize(lhsDim) != 1;
    int64_t rhsStride = 0;
    if (rhsDim >= 0) {
      std::optional<int64_t> stride = weights.getStride(rhsDim);
      if (!stride)
        return false;
      rhsStride = *stride;
    }
    result.batch.push_back({dim, result.result.getDimSize(dim),
                            hasLhs ? lhsStrides[lhsDim] : 0, rhsStride});
  }
  return true;
}

static Expected<Contraction> describeMatmul(ir::MatmulOp op,
                                            const View &weights) {
  SmallVector<int64_t> lhsStrides = stridesOf(op.getLhs());
  ArrayRef<int64_t> lhsShape = typeOf(op.getLhs()).getShape();
  int64_t lhsRank = lhsShape.size(), rhsRank = weights.dims.size();
  int64_t rowDim = lhsRank - 2, innerDim = lhsRank - 1;
  if (op.getTransposeLhs())
    std::swap(rowDim, innerDim);
  int64_t inputDim = rhsRank - 2, outputDim = rhsRank - 1;
  if (op.getTransposeRhs())
    std::swap(inputDim, outputDim);
  Contraction result;
  result.data = inMemory(op.getLhs());
  result.dataType = typeOf(op.getLhs()).getElementType();
  result.weights = weights.source;
  result.result = typeOf(op.getResult());
  result.areSumsInF32 =
      result.areBytesWidened() && op->hasAttr(kSumsInF32AttrName);
  int64_t rank = result.result.getRank();
  result.inputChannels = lhsShape[innerDim];
  result.inputDataStride = lhsStrides[innerDim];
  result.outputChannels = result.result.getDimSize(rank - 1);
  result.outputDim = rank - 1;
  result.spatial.push_back({rank - 2, lhsShape[rowDim], lhsShape[rowDim], 1, 1,
                            1, 0, lhsStrides[rowDim], 0});
  if (!describeInputs(weights, inputDim, result) ||
      !describeOutputs(weights, outputDim, result) ||
      !describeBatch(op, weights, result))
    return refuseViews();
  findOneGroup(result);
  return result;
}

static Expected<Contraction> describe(Operation *hero, const View &weights) {
  if (auto conv = dyn_cast<ir::ConvOp>(hero))
    return describeConv(conv, weights);
  return describeMatmul(cast<ir::MatmulOp>(hero), weights);
}

Expected<Contraction> describeContraction(Operation *hero, Value weights) {
  auto contraction = dyn_cast<ir::ContractionOpInterface>(hero);
  if (!contraction)
    return refuse("is no contraction");
  if (!hasStaticTypes(hero))
    return refuse("has a type that is not static");
  if (typeOf(contraction.getData()).getNumElements() == 0 ||
      typeOf(contraction.getWeights()).getNumElements() == 0 ||
      typeOf(hero->getResult(0)).getNumElements() == 0)
    return refuse("has an empty operand or result");
  const View view = lookThroughViews(weights);
  Expected<Contraction> described = describe(hero, view);
  return described || view.source == weights
             ? described
             : describe(hero, viewInPlace(weights));
}

/// Describes where the scales of `weights` are.
static bool describeScales(ir::ScaledWeightsOpInterface weights,
                           Contraction &contraction) {
  const View view = lookThroughViews(weights.getScales());
  // Scales are described as weights are.
  Contraction ofScales = contraction;
  if (!describeInputs(view, 0, ofScales) || !describeOutputs(view, 1, ofScales))
    return false;
  contraction.inputsPerScale = weights.getBlockSize();
  contraction.scales = view.source;
  contraction.scaleStride = ofScales.inputWeightsStride;
  contraction.scaleBlockStride = ofScales.outputBlockStride;
  // If there is one scale for each output, blocks follow one another.
  if (ofScales.outputBlock == contraction.outputChannels) {
    contraction.scaleBlockStride =
        contraction.outputBlock * ofScales.outputStride;
    ofScales.outputBlock = contraction.outputBlock;
  }
  return ofScales.outputBlock == contraction.outputBlock &&
         ofScales.outputStride == contraction.outputStride;
}

static Expected<Contraction>
describeScaledWeights(Operation *hero, ir::ScaledWeightsOpInterface weights) {
  auto matmul = dyn_cast<ir::MatmulOp>(hero);
  if (!matmul || matmul.getTransposeRhs() ||
      !typeOf(matmul.getResult()).getElementType().isF32())
    return refuse("cannot multiply by integers with scales");
  Expected<Contraction> result = describeContraction(hero, weights.getValues());
  if (result && !describeScales(weights, *result))
    return refuseViews();
  if (result)
    if (auto unpacked =
            result->weights.getDefiningOp<ir::UnpackedIntegersOpInterface>()) {
      result->weights = unpacked.getBytes();
      result->integerBits = 4;
    }
  return result;
}

Expected<Contraction> describeContraction(Operation *hero) {
  auto contraction = dyn_cast<ir::ContractionOpInterface>(hero);
  if (!contraction)
    return refuse("is no contraction");
  Value weights = contraction.getWeights();
  if (auto scaled = weights.getDefiningOp<ir::ScaledWeightsOpInterface>())
    return describeScaledWeights(hero, scaled);
  if (auto identity = weights.getDefiningOp<ir::IdentityOpInterface>())
    weights = identity.getSource();
  return describeContraction(hero, weights);
}

} // namespace tandem
