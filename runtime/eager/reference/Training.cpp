//===- Training.cpp - Reference: ops of training steps --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools with indices, gradients of pools, moments and random words.
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "CompensatedSum.h"
#include "Evaluate.h"
#include "Wide.h"
#include "tandem/Support/Philox.h"
#include "tandem/Support/Strides.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::reference;
using eager::SpatialPool;

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Calls `visit` with the number of each tap of the window at output position
/// `at` that lies in the input, and its offset from the first element of its
/// channel.
template <typename Visit>
static void visitTaps(const SpatialPool &pool, const int64_t *at, Visit visit) {
  int64_t number = 0;
  eager::forEachIndex(pool.window, [&](const int64_t *tap) {
    if (const auto offset = pool.inputOffset(at, tap))
      visit(number, *offset);
    ++number;
  });
}

/// Calls `visit` with each window: its position, and the offsets of its channel
/// in the input and of its result.
template <typename Visit>
static void visitWindows(const SpatialPool &pool, Visit visit) {
  const Shape walk{pool.batch, pool.channels, pool.output[0], pool.output[1],
                   pool.output[2]};
  for (StridedIndex<2> i(walk, {pool.in.planes(), pool.out.planes()});
       !i.done(); i.next()) {
    const int64_t at[3] = {i[2], i[3], i[4]};
    visit(at, i.offset(0), i.offset(1) + pool.out.offset(at));
  }
}

void reference::evaluatePoolWithIndex(const OpDesc &op, Operands operands,
                                      std::span<Tensor> results) {
  const auto pool = SpatialPool::of(*op.attrs.AsPoolAttrs(),
                                    operands[0].shape(), results[0].shape());
  const std::vector<double> x = widen<double>(operands[0]);
  std::vector<double> values(results[0].shape().numElements(),
                             -std::numeric_limits<double>::infinity());
  std::vector<uint64_t> index(values.size());
  visitWindows(pool, [&](const int64_t *at, int64_t from, int64_t to) {
    bool isFirst = true;
    visitTaps(pool, at, [&](int64_t number, int64_t offset) {
      const double element = x[from + offset];
      const bool wins =
          std::isnan(element) ? !std::isnan(values[to]) : element > values[to];
      if (wins || isFirst) {
        values[to] = element;
        index[to] = uint64_t(number);
      }
      isFirst = false;
    });
  });
  narrow(values, results[0]);
  narrow(index, results[1]);
}

/// Operands: the gradient and, of max_pool, the index.
void reference::evaluatePoolBackward(const OpDesc &op, Operands operands,
                                     Tensor &result) {
  const auto &attrs = *op.attrs.AsPoolAttrs();
  const auto pool = SpatialPool::of(attrs, result.shape(), operands[0].shape());
  const int64_t whole = pool.window[0] * pool.window[1] * pool.window[2];
  const bool isMax = op.kind == OpKind::max_pool_backward;
  const std::vector<double> gradient = widen<double>(operands[0]);
  // Error bounds have indices in f64.
  const std::vector<double> index =
      isMax ? widen<double>(operands[1]) : std::vector<double>();
  std::vector<CompensatedSum<double>> sums(result.shape().numElements());
  visitWindows(pool, [&](const int64_t *at, int64_t to, int64_t from) {
    int64_t count = 0;
    visitTaps(pool, at, [&](int64_t, int64_t) { ++count; });
    const double share =
        isMax
            ? gradient[from]
            : gradient[from] /
                  static_cast<double>(attrs.count_include_pad ? whole : count);
    visitTaps(pool, at, [&](int64_t number, int64_t offset) {
      if (!isMax || index[from] == static_cast<double>(number))
        sums[to + offset].add(share);
    });
  });
  std::vector<double> values;
  for (const CompensatedSum<double> &sum : sums)
    values.push_back(sum.get());
  narrow(values, result);
}

//===----------------------------------------------------------------------===//
// moments
//===----------------------------------------------------------------------===//

/// The mean first, then the squares of the distances from it.
void reference::evaluateMoments(const OpDesc &op, Operands operands,
                                std::span<Tensor> results) {
  const Shape &shape = operands[0].shape();
  Shape kept = shape;
  double count = 1;
  for (int64_t dim : op.attrs.AsMomentsAttrs()->dims) {
    count *= static_cast<double>(shape[static_cast<int>(dim)]);
    kept[static_cast<int>(dim)] = 1;
  }
  const std::vector<double> x = widen<double>(operands[0]);
  const std::array<Strides, 2> strides = {rowMajorStrides(shape),
                                          broadcastStrides(kept, shape)};
  std::vector<CompensatedSum<double>> sums(results[0].shape().numElements()),
      squares(sums.size());
  for (StridedIndex<2> i(shape, strides); !i.done(); i.next())
    sums[i.offset(1)].add(x[i.offset(0)]);
  std::vector<double> mean, variance;
  for (const CompensatedSum<double> &sum : sums)
    mean.push_back(sum.get() / count);
  for (StridedIndex<2> i(shape, strides); !i.done(); i.next()) {
    const double distance = x[i.offset(0)] - mean[i.offset(1)];
    squares[i.offset(1)].add(distance * distance);
  }
  for (const CompensatedSum<double> &sum : squares)
    variance.push_back(sum.get() / count);
  narrow(mean, results[0]);
  narrow(variance, results[1]);
}

//===----------------------------------------------------------------------===//
// random
//===----------------------------------------------------------------------===//

void reference::evaluateRandom(const OpDesc &, Operands operands,
                               Tensor &result) {
  const uint64_t key = *operands[0].as<uint64_t>(),
                 counter = *operands[1].as<uint64_t>();
  auto *words = result.as<uint32_t>();
  for (int64_t i = 0; i < result.shape().numElements(); ++i) {
    const uint64_t block = counter + uint64_t(i) / 4;
    words[i] = philox({uint32_t(block), uint32_t(block >> 32), 0, 0},
                      {uint32_t(key), uint32_t(key >> 32)})[i % 4];
  }
}
