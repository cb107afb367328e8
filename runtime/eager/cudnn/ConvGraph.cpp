//===- ConvGraph.cpp - Convolutions as cuDNN's operation graphs -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvGraph.h"

#include "../LibraryTypes.h"

#include "tandem/Runtime/Libraries/ByteProducts.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace tandem;
using namespace tandem::cudnn;
using eager::Spatial3;
using eager::SpatialConv;
using eager::SpatialTensor;

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static std::vector<int64_t> lastOf(const Spatial3 &values, int count) {
  return {values.end() - count, values.end()};
}

/// A dim that a tensor lacks has size 1 and stride 0.
static TensorDims dimsOf(const SpatialTensor &tensor, int numSpatial) {
  TensorDims dims{{tensor.batchSize, tensor.channelSize},
                  {tensor.batch, tensor.channel}};
  for (int i = 3 - numSpatial; i < 3; ++i) {
    dims.sizes.push_back(tensor.size[i]);
    dims.strides.push_back(tensor.stride[i]);
  }
  return dims;
}

/// The strides of N, C and the spatial dims where these are packed in the order
/// N, spatial dims, C, or N, C, spatial dims.
static std::vector<int64_t> packedStrides(const std::vector<int64_t> &sizes,
                                          bool isChannelsLast) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = isChannelsLast ? sizes[1] : 1;
  for (size_t i = sizes.size() - 1; i >= 2; --i) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  strides[1] = isChannelsLast ? 1 : stride;
  strides[0] = isChannelsLast ? stride : stride * sizes[1];
  return strides;
}

bool TensorDims::isPacked(bool isChannelsLast) const {
  const std::vector<int64_t> packed = packedStrides(sizes, isChannelsLast);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != packed[i])
      return false;
  return true;
}

/// Padding after the input that differs from that before it often has no effect
/// on the number of outputs, as windows that do not fit are left out.
static void evenOut(SpatialConv &conv) {
  for (int i = 0; i < 3; ++i) {
    const int64_t window = (conv.window[i] - 1) * conv.dilations[i] + 1;
    const int64_t room = conv.in.size[i] + 2 * conv.padLow[i] - window;
    if (room >= 0 && room / conv.strides[i] + 1 == conv.output[i])
      conv.padHigh[i] = conv.padLow[i];
  }
}

/// Whether the convolution has as many positions as windows fit over its input.
/// A result of conv_backward_data may be larger.
static bool isCovered(const SpatialConv &conv) {
  for (int i = 0; i < 3; ++i) {
    const int64_t window = (conv.window[i] - 1) * conv.dilations[i] + 1;
    const int64_t room =
        conv.in.size[i] + conv.padLow[i] + conv.padHigh[i] - window;
    if (room < 0 || room / conv.strides[i] + 1 != conv.output[i])
      return false;
  }
  return true;
}

static bool isEmpty(const TensorType &type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

static std::optional<ConvDirection> directionOf(OpKind kind) {
  if (kind == OpKind::conv)
    return ConvDirection::forward;
  if (kind == OpKind::conv_backward_data)
    return ConvDirection::backwardData;
  if (kind == OpKind::conv_backward_weights)
    return ConvDirection::backwardWeights;
  return std::nullopt;
}

/// The convolution that the op computes, or whose gradient it computes.
static SpatialConv describe(const OpSignature &op, ConvDirection direction) {
  const auto &attrs = *op.op.attrs.AsConvAttrs();
  const Shape &first = op.operands[0].shape, &second = op.operands[1].shape,
              &result = op.result().shape;
  switch (direction) {
  case ConvDirection::forward:
    return SpatialConv::of(attrs, first, second, result);
  case ConvDirection::backwardData:
    return SpatialConv::ofBackwardData(attrs, first, second, result);
  case ConvDirection::backwardWeights:
    return SpatialConv::ofBackwardWeights(attrs, first, second, result);
  }
  __builtin_unreachable();
}

std::optional<ConvProblem> ConvProblem::of(const FusedContraction &fused) {
  const OpSignature &signature = fused.contraction;
  const TensorType &result = signature.result();
  const std::optional<ConvDirection> direction = directionOf(signature.op.kind);
  if (!direction || !eager::hasLibraryTypes(fused) ||
      fused.activation == Activation::gelu_tanh || isEmpty(result) ||
      std::any_of(signature.operands.begin(), signature.operands.end(),
                  isEmpty))
    return std::nullopt;
  SpatialConv conv = describe(signature, *direction);
  evenOut(conv);
  const int numSpatial = std::max(conv.in.numSpatial, 2);
  if (*direction == ConvDirection::backwardData && !isCovered(conv))
    return std::nullopt;
  ConvProblem problem;
  problem.dtype = result.dtype;
  problem.factors = signature.operands[0].dtype;
  problem.direction = *direction;
  problem.input = dimsOf(conv.in, numSpatial);
  problem.kernel = dimsOf(conv.weights, numSpatial);
  problem.output = dimsOf(conv.out, numSpatial);
  if (*direction == ConvDirection::backwardData)
    std::swap(problem.input, problem.output);
  if (*direction == ConvDirection::backwardWeights)
    std::swap(problem.kernel, problem.output);
  problem.strides = lastOf(conv.strides, numSpatial);
  problem.padLow = lastOf(conv.padLow, numSpatial);
  problem.padHigh = lastOf(conv.padHigh, numSpatial);
  problem.dilations = lastOf(conv.dilations, numSpatial);
  problem.hasBias = fused.numBiases() > 0;
  problem.hasResidual = fused.hasResidual;
  problem.activation = fused.activation;
  if (problem.isOfBytes() && !fitInI32(problem.productsOfSum()))
    return std::nullopt;
  return problem;
}

bool ConvProblem::packLayouts() {
  TensorDims *const all[] = {&input, &kernel, &output};
  auto pack = [](TensorDims &dims, bool isChannelsLast) {
    dims.strides = packedStrides(dims.sizes, isChannelsLast);
  };
  for (bool isChannelsLast : {true, false})
    if (std::all_of(std::begin(all), std::end(all), [&](TensorDims *dims) {
          return dims->isPacked(isChannelsLast) && hasLibraryLayout(*dims);
        })) {
      for (TensorDims *dims : all)
        pack(*dims, isChannelsLast);
      return true;
    }
  for (TensorDims *dims : all) {
    if (!hasLibraryLayout(*dims))
      return false;
    pack(*dims, dims->isPacked(true));
  }
  return true;
}

ConvProblem ConvProblem::onFewPositions() const {
  constexpr int64_t kMaxPositions = 4;
  ConvProblem few = *this;
  TensorDims &fewWindowed = few.windowed(), &fewPositions = few.positions();
  fewWindowed.sizes[0] = fewPositions.sizes[0] = 1;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t count = std::min(positions().sizes[i + 2], kMaxPositions);
    const int64_t window = (weights().sizes[i + 2] - 1) * dilations[i] + 1;
    const int64_t covered =
        (count - 1) * strides[i] + window - padLow[i] - padHigh[i];
    if (covered < 1)
      continue;
    fewPositions.sizes[i + 2] = count;
    fewWindowed.sizes[i + 2] = covered;
  }
  fewWindowed.strides =
      packedStrides(fewWindowed.sizes, windowed().isPacked(true));
  fewPositions.strides =
      packedStrides(fewPositions.sizes, positions().isPacked(true));
  return few;
}

int64_t ConvProblem::productsOfSum() const {
  return std::accumulate(kernel.sizes.begin() + 1, kernel.sizes.end(),
                         int64_t(1), std::multiplies<>());
}

ConvProblem ConvProblem::withFewChannels(int64_t products) const {
  // Bytes are loaded 16 at a time; instructions for tensor cores multiply 32.
  constexpr int64_t kVector = 32;
  const int64_t inputs = kernel.sizes[1], outputs = kernel.sizes[0];
  const int64_t taps = productsOfSum() / inputs;
  auto reduce = [](int64_t channels, int64_t least) {
    return std::min(channels,
                    channels % kVector + (least / kVector + 1) * kVector);
  };
  ConvProblem few = *this;
  few.input.sizes[1] = few.kernel.sizes[1] = reduce(inputs, products / taps);
  few.output.sizes[1] = few.kernel.sizes[0] = reduce(outputs, 0);
  for (TensorDims *dims : {&few.input, &few.kernel, &few.output})
    dims->strides = packedStrides(dims->sizes, /*isChannelsLast=*/true);
  return few;
}

std::string ConvProblem::key() const {
  std::string text(name(dtype));
  if (isOfBytes())
    text += " of bytes";
  if (direction == ConvDirection::backwardData)
    text += " backward";
  if (direction == ConvDirection::backwardWeights)
    text += " weights";
  for (const auto *list : {&input.sizes, &input.strides, &kernel.sizes,
                           &kernel.strides, &output.sizes, &output.strides,
                           &strides, &padLow, &padHigh, &dilations}) {
    text += ';';
    for (int64_t value : *list)
      text += std::to_string(value) + ',';
  }
  return text + ";" + std::to_string(hasBias) + std::to_string(hasResidual) +
         std::to_string(int(activation)) + ";" + std::to_string(alignment);
}

std::string ConvProblem::familyKey() const {
  ConvProblem family = *this;
  for (TensorDims *dims : {&family.windowed(), &family.positions()}) {
    dims->strides = {dims->isPacked(true), dims->isPacked(false)};
    dims->sizes = {dims->sizes[1]};
  }
  return family.key();
}

std::vector<int64_t> ConvProblem::imageSizes() const {
  std::vector<int64_t> sizes = input.sizes;
  sizes.erase(sizes.begin() + 1);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

/// The kind of an operation, and its attributes.
struct ConvolutionAttributes {
  int kind, input, kernel, output, convolution, alpha, beta;
};
constexpr ConvolutionAttributes kForward = {
    Kind::convolutionForward,      Attribute::forwardInput,
    Attribute::forwardKernel,      Attribute::forwardOutput,
    Attribute::forwardConvolution, Attribute::forwardAlpha,
    Attribute::forwardBeta};
constexpr ConvolutionAttributes kBackwardData = {
    Kind::convolutionBackwardData,      Attribute::backwardDataInput,
    Attribute::backwardDataKernel,      Attribute::backwardDataOutput,
    Attribute::backwardDataConvolution, Attribute::backwardDataAlpha,
    Attribute::backwardDataBeta};
constexpr ConvolutionAttributes kBackwardWeights = {
    Kind::convolutionBackwardFilter,      Attribute::backwardFilterInput,
    Attribute::backwardFilterGradient,    Attribute::backwardFilterOutput,
    Attribute::backwardFilterConvolution, Attribute::backwardFilterAlpha,
    Attribute::backwardFilterBeta};

const ConvolutionAttributes &attributesOf(ConvDirection direction) {
  switch (direction) {
  case ConvDirection::forward:
    return kForward;
  case ConvDirection::backwardData:
    return kBackwardData;
  case ConvDirection::backwardWeights:
    return kBackwardWeights;
  }
  __builtin_unreachable();
}

class GraphBuilder {
public:
  GraphBuilder(const cuda::CUDNN &library, const ConvProblem &problem)
      : library(library), problem(problem),
        computeType(problem.dtype == DType::f64   ? DataType::f64
                    : problem.dtype == DType::i32 ? DataType::i32
                                                  : DataType::f32) {}

  Expected<Descriptor> build(cudnnContext *handle);

private:
  /// A tensor of the graph's interface.
  Expected<Descriptor> tensor(TensorId id, const TensorDims &dims);
  /// The result of a step, with the output's dims: the graph's output after the
  /// last step, else a virtual tensor of the type that is computed in.
  Expected<Descriptor> resultOf(bool isLast);
  Status addConvolution(const Descriptor &output);
  /// y = mode(x, b), or mode(x) where there is no b.
  Status addPointwise(int mode, const Descriptor &x, const Descriptor *b,
                      const Descriptor &y);

  int numSteps() const {
    return 1 + problem.hasResidual + problem.hasBias +
           (problem.activation != Activation::none);
  }

  const cuda::CUDNN &library;
  const ConvProblem &problem;
  const int computeType;
  std::vector<Descriptor> operations;
  /// Descriptors that the operations refer to.
  std::vector<Descriptor> kept;
  int64_t nextVirtualId = kOutput + 1;
};

} // namespace

Expected<Descriptor> GraphBuilder::tensor(TensorId id, const TensorDims &dims) {
  const bool isFactor = id == kInput || id == kKernel;
  Descriptor tensor(library, Kind::tensor);
  TANDEM_RETURN_IF_ERROR(
      tensor
          .set(Attribute::tensorDataType, Type::dataType,
               *dataTypeOf(isFactor ? problem.factors : problem.dtype))
          .set(Attribute::tensorDims, dims.sizes)
          .set(Attribute::tensorStrides, dims.strides)
          .set(Attribute::tensorId, id)
          .set(Attribute::tensorAlignment, problem.alignment)
          .finalize("tensor"));
  return tensor;
}

Expected<Descriptor> GraphBuilder::resultOf(bool isLast) {
  if (isLast)
    return tensor(kOutput, problem.output);
  const bool isVirtual = true;
  Descriptor tensor(library, Kind::tensor);
  TANDEM_RETURN_IF_ERROR(
      tensor.set(Attribute::tensorDataType, Type::dataType, computeType)
          .set(Attribute::tensorDims, problem.output.sizes)
          .set(Attribute::tensorStrides, problem.output.strides)
          .set(Attribute::tensorId, nextVirtualId++)
          .set(Attribute::tensorAlignment, problem.alignment)
          .setRaw(Attribute::tensorIsVirtual, Type::boolean, 1, &isVirtual)
          .finalize("virtual tensor"));
  return tensor;
}

Status GraphBuilder::addConvolution(const Descriptor &output) {
  TANDEM_ASSIGN_OR_RETURN(Descriptor input, tensor(kInput, problem.input));
  TANDEM_ASSIGN_OR_RETURN(Descriptor kernel, tensor(kKernel, problem.kernel));
  Descriptor conv(library, Kind::convolution);
  TANDEM_RETURN_IF_ERROR(
      conv.set(Attribute::convolutionComputeType, Type::dataType, computeType)
          .set(Attribute::convolutionMode, Type::convolutionMode,
               ConvolutionMode::crossCorrelation)
          .set(Attribute::convolutionSpatialDims,
               int64_t(problem.strides.size()))
          .set(Attribute::convolutionStrides, problem.strides)
          .set(Attribute::convolutionPadLow, problem.padLow)
          .set(Attribute::convolutionPadHigh, problem.padHigh)
          .set(Attribute::convolutionDilations, problem.dilations)
          .finalize("convolution"));
  // Scales are f64 for f64, and f32 for all other types, i32 among them.
  const double one = 1, zero = 0;
  const float oneF32 = 1, zeroF32 = 0;
  const bool isF64 = problem.dtype == DType::f64;
  const int type = isF64 ? Type::float64 : Type::float32;
  const ConvolutionAttributes &names = attributesOf(problem.direction);
  Descriptor operation(library, names.kind);
  TANDEM_RETURN_IF_ERROR(
      operation.set(names.input, input)
          .set(names.kernel, kernel)
          .set(names.output, output)
          .set(names.convolution, conv)
          .setRaw(names.alpha, type, 1,
                  isF64 ? static_cast<const void *>(&one) : &oneF32)
          .setRaw(names.beta, type, 1,
                  isF64 ? static_cast<const void *>(&zero) : &zeroF32)
          .finalize("convolution operation"));
  operations.push_back(std::move(operation));
  for (Descriptor *used : {&input, &kernel, &conv})
    kept.push_back(std::move(*used));
  return {};
}

Status GraphBuilder::addPointwise(int mode, const Descriptor &x,
                                  const Descriptor *b, const Descriptor &y) {
  Descriptor pointwise(library, Kind::pointwise);
  TANDEM_RETURN_IF_ERROR(
      pointwise.set(Attribute::pointwiseMode, Type::pointwiseMode, mode)
          .set(Attribute::pointwisePrecision, Type::dataType, computeType)
          .finalize("pointwise"));
  Descriptor operation(library, Kind::pointwiseOperation);
  operation.set(Attribute::pointwiseDescriptor, pointwise)
      .set(Attribute::pointwiseX, x)
      .set(Attribute::pointwiseY, y);
  if (b)
    operation.set(Attribute::pointwiseB, *b);
  TANDEM_RETURN_IF_ERROR(operation.finalize("pointwise operation"));
  operations.push_back(std::move(operation));
  kept.push_back(std::move(pointwise));
  return {};
}

/// One element per channel, in a tensor of the images' rank.
static TensorDims biasDims(const TensorDims &output) {
  TensorDims dims;
  dims.sizes.assign(output.sizes.size(), 1);
  dims.sizes[1] = output.sizes[1];
  dims.strides.assign(output.sizes.size(), output.sizes[1]);
  dims.strides[1] = 1;
  return dims;
}

Expected<Descriptor> GraphBuilder::build(cudnnContext *handle) {
  int left = numSteps();
  // The value after each step; each refers to the one before.
  std::vector<Descriptor> values;
  auto nextValue = [&]() -> Status {
    TANDEM_ASSIGN_OR_RETURN(Descriptor value, resultOf(--left == 0));
    values.push_back(std::move(value));
    return {};
  };
  auto add = [&](int mode, const Descriptor *b) -> Status {
    TANDEM_RETURN_IF_ERROR(nextValue());
    return addPointwise(mode, values[values.size() - 2], b, values.back());
  };
  TANDEM_RETURN_IF_ERROR(nextValue());
  TANDEM_RETURN_IF_ERROR(addConvolution(values.back()));
  if (problem.hasResidual) {
    TANDEM_ASSIGN_OR_RETURN(Descriptor b, tensor(kResidual, problem.output));
    TANDEM_RETURN_IF_ERROR(add(PointwiseMode::add, &b));
    kept.push_back(std::move(b));
  }
  if (problem.hasBias) {
    TANDEM_ASSIGN_OR_RETURN(Descriptor b,
                            tensor(kBias, biasDims(problem.output)));
    TANDEM_RETURN_IF_ERROR(add(PointwiseMode::add, &b));
    kept.push_back(std::move(b));
  }
  if (problem.activation == Activation::relu)
    TANDEM_RETURN_IF_ERROR(add(PointwiseMode::relu, nullptr));

  std::vector<void *> handles;
  for (const Descriptor &operation : operations)
    handles.push_back(operation.get());
  Descriptor graph(library, Kind::graph);
  if (handle)
    graph.set(Attribute::graphHandle, handle);
  TANDEM_RETURN_IF_ERROR(graph
                             .setRaw(Attribute::graphOperations,
                                     Type::descriptor, int64_t(handles.size()),
                                     handles.data())
                             .finalize("operation graph"));
  return graph;
}

Expected<Descriptor> cudnn::createGraph(const cuda::CUDNN &library,
                                        cudnnContext *handle,
                                        const ConvProblem &problem) {
  return GraphBuilder(library, problem).build(handle);
}
