//===- Trials.cpp - Whether engines are right -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was seen of cuDNN 9.14 on an H100, in f16: engine 47 makes 0 of -inf,
// and where a group has an odd number of channels, NaN of one group reaches the
// results of another. Neither is noted of an engine.
//
// No engine of bytes has been run on a GPU yet. cuDNN does not document whether
// the sums of an engine are exact, so each engine has to show it.
//
//===----------------------------------------------------------------------===//

#include "CUDNN.h"

#include "../NaNPropagationProbe.h"
#include "ConvOp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace tandem;
using namespace tandem::cudnn;

namespace {

enum Operand : size_t { kInputOperand, kKernelOperand };

std::vector<TensorType> operandsOf(const ConvProblem &problem) {
  std::vector<TensorType> operands = {
      {problem.factors, Shape(problem.input.sizes)},
      {problem.factors, Shape(problem.kernel.sizes)}};
  if (problem.hasBias)
    operands.push_back({problem.dtype, {problem.output.sizes[1]}});
  if (problem.hasResidual)
    operands.push_back({problem.dtype, Shape(problem.output.sizes)});
  return operands;
}

/// Whether the engine keeps -inf: the input is -inf, the weights are ones, so
/// results are -inf. Where the engine multiplies zeros of the padding, a result
/// may be NaN; if windows read only padding, it may be 0.
bool keepsInfinity(const std::vector<double> &results) {
  const double infinity = std::numeric_limits<double>::infinity();
  return std::ranges::find(results, -infinity) != results.end() ||
         std::ranges::none_of(
             results, [](double value) { return std::isfinite(value); });
}

/// Whether an element of a packed tensor is of the first group. `dim` is that
/// of the channels of all groups.
bool isOfFirstGroup(const TensorDims &dims, int64_t groups, int64_t element,
                    int dim = 1) {
  return element / dims.strides[dim] % dims.sizes[dim] <
         dims.sizes[dim] / groups;
}

/// (N, spatial dims, C) of N, C and the spatial dims.
Shape channelsLast(const std::vector<int64_t> &sizes) {
  Shape shape{sizes[0]};
  for (size_t i = 2; i < sizes.size(); ++i)
    shape.push_back(sizes[i]);
  shape.push_back(sizes[1]);
  return shape;
}

/// A convolution of bytes as an op of the dialect.
OpDesc opOf(const ConvProblem &problem) {
  const std::string spatial =
      std::string("DHW").substr(3 - problem.strides.size());
  fb::ConvAttrsT attrs;
  attrs.input_layout = attrs.output_layout = "N" + spatial + "C";
  attrs.kernel_layout = "O" + spatial + "I";
  attrs.strides = problem.strides;
  attrs.pad_low = problem.padLow;
  attrs.pad_high = problem.padHigh;
  attrs.dilations = problem.dilations;
  attrs.groups = problem.groups();
  OpDesc op;
  op.kind = OpKind::conv;
  op.attrs.Set(std::move(attrs));
  return op;
}

/// Fills a tensor with random bytes. Blocks of `period` elements alternate
/// between large negative numbers and any bytes; `beginsLarge` says which come
/// first. Sums of many products of large numbers exceed 2^24 and are odd half
/// of the time, and sums of few exceed i16.
Expected<Tensor> fillBytes(const TensorType &type, int64_t period,
                           bool beginsLarge, std::mt19937_64 &random) {
  TANDEM_ASSIGN_OR_RETURN(Tensor bytes, Tensor::allocate(type));
  for (int64_t i = 0; i < bytes.bytes(); ++i) {
    const bool isLarge = (i / period % 2 == 0) == beginsLarge;
    const uint64_t number = random();
    bytes.as<int8_t>()[i] =
        isLarge ? (number % 32 == 0 ? -127 : -128) : int8_t(number % 256);
  }
  return bytes;
}

} // namespace

Expected<bool> Session::sumsBytesExactly(const PreparedOp &op,
                                         const ConvProblem &problem) {
  const TensorType types[] = {{DType::i8, channelsLast(problem.input.sizes)},
                              {DType::i8, channelsLast(problem.kernel.sizes)}};
  const TensorType result{DType::i32, channelsLast(problem.output.sizes)};
  std::mt19937_64 random(1);
  for (bool isDataLarge : {true, false}) {
    TANDEM_ASSIGN_OR_RETURN(
        Tensor data,
        fillBytes(types[0], types[0].shape.numElements(), isDataLarge, random));
    TANDEM_ASSIGN_OR_RETURN(
        Tensor weights,
        fillBytes(types[1], problem.productsOfSum(), true, random));
    const Tensor operands[] = {data, weights};
    TANDEM_ASSIGN_OR_RETURN(Tensor expected, Tensor::allocate(result));
    TANDEM_RETURN_IF_ERROR(
        evaluateByReference(opOf(problem), operands, {&expected, 1}));
    TANDEM_ASSIGN_OR_RETURN(
        const auto sums,
        eager::probe(op, types, result, device.defaultStream(),
                     [&](size_t operand, int64_t element) {
                       return operands[operand].as<int8_t>()[element];
                     }));
    if (!std::ranges::equal(sums,
                            std::span(expected.as<int32_t>(), sums.size())))
      return false;
  }
  return true;
}

Expected<bool> Session::passesTrial(std::shared_ptr<const Plan> plan,
                                    const ConvProblem &problem) {
  const ConvOp op(*this, std::make_shared<PlanChoice>(std::move(plan)),
                  problem);
  if (problem.isOfBytes())
    return sumsBytesExactly(op, problem);
  auto run = [&](const eager::ProbedValue &value) {
    return eager::probe(op, operandsOf(problem),
                        {problem.dtype, Shape(problem.output.sizes)},
                        device.defaultStream(), value);
  };
  if (problem.activation != Activation::relu) { // Which makes 0 of it anyway.
    TANDEM_ASSIGN_OR_RETURN(
        const auto results, run([](size_t operand, int64_t) {
          return operand == kKernelOperand
                     ? -std::numeric_limits<double>::infinity()
                     : 1;
        }));
    if (!keepsInfinity(results))
      return false;
  }
  const int64_t groups = problem.groups();
  if (groups == 1)
    return true;
  TANDEM_ASSIGN_OR_RETURN(
      const auto results, run([&](size_t operand, int64_t element) {
        return operand != kInputOperand ||
                       isOfFirstGroup(problem.input, groups, element)
                   ? 1
                   : std::numeric_limits<double>::quiet_NaN();
      }));
  // The input channels of a kernel are those of one group.
  const int channelDim =
      problem.direction == ConvDirection::backwardWeights ? 0 : 1;
  for (size_t i = 0; i < results.size(); ++i)
    if (std::isnan(results[i]) &&
        isOfFirstGroup(problem.output, groups, int64_t(i), channelDim))
      return false;
  return true;
}
