//===- Contract.cpp - Reference: conv and matmul ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Evaluate.h"
#include "Wide.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <type_traits>

using namespace tandem;
using namespace tandem::reference;
using eager::SpatialConv;

/// Sums in double, or modulo 2^64.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;

namespace {
/// A convolution over whole tensors in the wide type.
template <typename T> struct Convolution {
  SpatialConv conv;
  std::vector<T> input, kernel, bias, output;

  /// The kernel with the output channels innermost, after window and inputs.
  std::vector<T> outputsInnermost() const;
  /// Adds the window at one output position to the sums of the outputs of a
  /// group.
  void addWindow(int64_t batch, int64_t group, const int64_t *at,
                 const std::vector<T> &weights,
                 std::vector<Sum<T>> &sums) const;
  void run();
};
} // namespace

template <typename T> std::vector<T> Convolution<T>::outputsInnermost() const {
  std::vector<T> weights;
  weights.reserve(kernel.size());
  eager::forEachIndex(conv.window, [&](const int64_t *tap) {
    for (int64_t c = 0; c < conv.groupInputChannels; ++c)
      for (int64_t o = 0; o < conv.outputChannels; ++o)
        weights.push_back(
            kernel[o * conv.weights.batch + conv.weights.offset(tap) +
                   c * conv.weights.channel]);
  });
  return weights;
}

template <typename T>
void Convolution<T>::addWindow(int64_t batch, int64_t group, const int64_t *at,
                               const std::vector<T> &weights,
                               std::vector<Sum<T>> &sums) const {
  const T *x = input.data() + batch * conv.in.batch +
               group * conv.groupInputChannels * conv.in.channel;
  const T *k = weights.data() + group * sums.size();
  eager::forEachIndex(conv.window, [&](const int64_t *tap) {
    const auto in = conv.inputOffset(at, tap);
    for (int64_t c = 0; in && c < conv.groupInputChannels; ++c) {
      const auto factor = Sum<T>(x[*in + c * conv.in.channel]);
      for (size_t o = 0; o < sums.size(); ++o)
        sums[o] += factor * Sum<T>(k[c * conv.outputChannels + o]);
    }
    k += conv.groupInputChannels * conv.outputChannels;
  });
}

template <typename T> void Convolution<T>::run() {
  if (conv.groupInputChannels == 0)
    conv.window = {0, 0, 0};
  const std::vector<T> weights = outputsInnermost();
  const int64_t outputs = conv.outputChannels / conv.groups;
  std::vector<Sum<T>> sums(outputs);
  for (int64_t n = 0; n < conv.batch; ++n)
    for (int64_t group = 0; group < conv.groups; ++group)
      eager::forEachIndex(conv.output, [&](const int64_t *at) {
        std::fill(sums.begin(), sums.end(), Sum<T>(0));
        addWindow(n, group, at, weights, sums);
        for (int64_t o = 0; o < outputs; ++o) {
          const int64_t channel = group * outputs + o;
          if (!bias.empty())
            sums[o] += Sum<T>(bias[channel]);
          output[n * conv.out.batch + channel * conv.out.channel +
                 conv.out.offset(at)] = T(sums[o]);
        }
      });
}

void reference::evaluateConv(const OpDesc &op, Operands operands,
                             Tensor &result) {
  const auto &attrs = *op.attrs.AsConvAttrs();
  withWideType(result.dtype(), [&]<typename T>(T) {
    Convolution<T> convolution{
        SpatialConv::of(attrs, operands[0].shape(), operands[1].shape(),
                        result.shape()),
        widen<T>(operands[0]), widen<T>(operands[1]),
        operands.size() > 2 ? widen<T>(operands[2]) : std::vector<T>(),
        std::vector<T>(result.shape().numElements())};
    convolution.run();
    narrow(convolution.output, result);
  });
}

namespace {
/// The gradient of a convolution for its input. Each element of `from` is added
/// to all elements of `sums` that its window reads in the convolution.
struct BackwardConvolution {
  SpatialConv conv;
  std::vector<double> from, kernel, sums;

  /// Adds what the window at `at` gives to the input channels of a group.
  void addWindow(int64_t batch, int64_t group, const int64_t *at);
  void addBias(const std::vector<double> &bias);
  void run() {
    for (int64_t n = 0; n < conv.batch; ++n)
      for (int64_t group = 0; group < conv.groups; ++group)
        eager::forEachIndex(
            conv.output, [&](const int64_t *at) { addWindow(n, group, at); });
  }
};
} // namespace

void BackwardConvolution::addWindow(int64_t batch, int64_t group,
                                    const int64_t *at) {
  const int64_t outputs = conv.outputChannels / conv.groups;
  eager::forEachIndex(conv.window, [&](const int64_t *tap) {
    const auto to = conv.inputOffset(at, tap);
    for (int64_t c = 0; to && c < conv.groupInputChannels; ++c) {
      const int64_t channel = group * conv.groupInputChannels + c;
      double &sum =
          sums[batch * conv.in.batch + channel * conv.in.channel + *to];
      for (int64_t o = group * outputs; o < (group + 1) * outputs; ++o)
        sum += from[batch * conv.out.batch + o * conv.out.channel +
                    conv.out.offset(at)] *
               kernel[o * conv.weights.batch + conv.weights.offset(tap) +
                      c * conv.weights.channel];
    }
  });
}

void BackwardConvolution::addBias(const std::vector<double> &bias) {
  for (int64_t n = 0; n < conv.batch; ++n)
    for (size_t c = 0; c < bias.size(); ++c)
      eager::forEachIndex(conv.in.size, [&](const int64_t *at) {
        sums[n * conv.in.batch + c * conv.in.channel + conv.in.offset(at)] +=
            bias[c];
      });
}

void reference::evaluateConvBackwardData(const OpDesc &op, Operands operands,
                                         Tensor &result) {
  BackwardConvolution convolution{
      SpatialConv::ofBackwardData(*op.attrs.AsConvAttrs(), operands[0].shape(),
                                  operands[1].shape(), result.shape()),
      widen<double>(operands[0]), widen<double>(operands[1]),
      std::vector<double>(result.shape().numElements())};
  convolution.run();
  if (operands.size() > 2)
    convolution.addBias(widen<double>(operands[2]));
  narrow(convolution.sums, result);
}

void reference::evaluateConvBackwardWeights(const OpDesc &op, Operands operands,
                                            Tensor &result) {
  const auto conv = SpatialConv::ofBackwardWeights(
      *op.attrs.AsConvAttrs(), operands[0].shape(), operands[1].shape(),
      result.shape());
  const std::vector<double> x = widen<double>(operands[0]),
                            g = widen<double>(operands[1]);
  std::vector<double> sums(result.shape().numElements());
  const int64_t outputs = conv.outputChannels / conv.groups;
  const auto addProducts = [&](int64_t n, int64_t o, const int64_t *at) {
    const double factor =
        g[n * conv.out.batch + o * conv.out.channel + conv.out.offset(at)];
    const int64_t first = o / outputs * conv.groupInputChannels;
    eager::forEachIndex(conv.window, [&](const int64_t *tap) {
      const auto in = conv.inputOffset(at, tap);
      for (int64_t c = 0; in && c < conv.groupInputChannels; ++c)
        sums[o * conv.weights.batch + conv.weights.offset(tap) +
             c * conv.weights.channel] +=
            factor * x[n * conv.in.batch + (first + c) * conv.in.channel + *in];
    });
  };
  for (int64_t n = 0; n < conv.batch; ++n)
    for (int64_t o = 0; o < conv.outputChannels; ++o)
      eager::forEachIndex(conv.output,
                          [&](const int64_t *at) { addProducts(n, o, at); });
  narrow(sums, result);
}

/// The last two dims are matrices, transposed where the attributes say so; the
/// dims before them broadcast.
void reference::evaluateMatmul(const OpDesc &op, Operands operands,
                               Tensor &result) {
  const auto *attrs = op.attrs.AsMatmulAttrs();
  const eager::MatmulDims dims = eager::MatmulDims::of(
      attrs && attrs->transpose_lhs, attrs && attrs->transpose_rhs,
      operands[0].shape(), operands[1].shape(), result.shape());
  withWideType(result.dtype(), [&]<typename T>(T) {
    const std::vector<T> a = widen<T>(operands[0]), b = widen<T>(operands[1]);
    std::vector<T> values;
    for (StridedIndex<2> i(dims.batch, {dims.lhsBatch, dims.rhsBatch});
         !i.done(); i.next())
      for (int64_t m = 0; m < dims.m; ++m)
        for (int64_t n = 0; n < dims.n; ++n) {
          Sum<T> sum = 0;
          for (int64_t k = 0; k < dims.k; ++k)
            sum += Sum<T>(a[i.offset(0) + m * dims.lhsM + k * dims.lhsK]) *
                   Sum<T>(b[i.offset(1) + k * dims.rhsK + n * dims.rhsN]);
          values.push_back(T(sum));
        }
    narrow(values, result);
  });
}
