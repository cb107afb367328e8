//===- Contract.cpp - Reference: conv and matmul ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "../Strides.h"
#include "Evaluate.h"
#include "Wide.h"

#include <type_traits>

using namespace tandem;
using namespace tandem::reference;
using eager::SpatialConv;
using eager::StridedIndex;

/// Sums in double, or modulo 2^64.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;

namespace {
/// A convolution over whole tensors in the wide type.
template <typename T> struct Convolution {
  SpatialConv conv;
  std::vector<T> input, kernel, bias, output;

  /// The kernel's window at one output position, for one output channel.
  Sum<T> window(int64_t batch, int64_t channel, const int64_t *at) const;
  void run();
};
} // namespace

template <typename T>
Sum<T> Convolution<T>::window(int64_t batch, int64_t channel,
                              const int64_t *at) const {
  const int64_t group = channel / (conv.outputChannels / conv.groups);
  const int64_t firstInput = group * conv.groupInputChannels;
  Sum<T> sum = 0;
  for (int64_t d = 0; d < conv.window[0]; ++d)
    for (int64_t h = 0; h < conv.window[1]; ++h)
      for (int64_t w = 0; w < conv.window[2]; ++w) {
        const int64_t tap[3] = {d, h, w};
        const auto in = conv.inputOffset(at, tap);
        if (!in)
          continue;
        const T *x =
            &input[batch * conv.in.batch + firstInput * conv.in.channel + *in];
        const T *k =
            &kernel[channel * conv.weights.batch + conv.weights.offset(tap)];
        for (int64_t c = 0; c < conv.groupInputChannels; ++c)
          sum += Sum<T>(x[c * conv.in.channel]) *
                 Sum<T>(k[c * conv.weights.channel]);
      }
  return sum;
}

template <typename T> void Convolution<T>::run() {
  if (conv.groupInputChannels == 0)
    conv.window = {0, 0, 0};
  for (int64_t n = 0; n < conv.batch; ++n)
    for (int64_t c = 0; c < conv.outputChannels; ++c)
      for (int64_t d = 0; d < conv.output[0]; ++d)
        for (int64_t h = 0; h < conv.output[1]; ++h)
          for (int64_t w = 0; w < conv.output[2]; ++w) {
            const int64_t at[3] = {d, h, w};
            Sum<T> sum = window(n, c, at);
            if (!bias.empty())
              sum += Sum<T>(bias[c]);
            output[n * conv.out.batch + c * conv.out.channel +
                   conv.out.offset(at)] = T(sum);
          }
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
