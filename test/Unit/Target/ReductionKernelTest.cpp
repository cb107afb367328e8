//===- ReductionKernelTest.cpp - Kernels of reductions --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::test;
using fb::ReduceKind;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Small multiples of 1/8 of both signs; near one for products.
Tensor varied(DType dtype, const Shape &shape, bool nearOne) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.numElements(); ++i) {
    int64_t k = (i * 37 + 5) % 61 - 30;
    double value =
        isFloat(dtype) ? static_cast<double>(k) / 8 : static_cast<double>(k);
    values.push_back(nearOne ? (k % 7 == 0 ? -1 : 1) : value);
  }
  return tensorOf(dtype, shape, values);
}

Case reduceCase(ReduceKind kind, DType dtype, const Shape &shape,
                std::vector<int64_t> dims, bool keepDims = false) {
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.dims = dims;
  attrs.keep_dims = keepDims;
  return {makeOp(OpKind::reduce, attrs),
          {varied(dtype, shape, kind == ReduceKind::prod)}};
}

class Reductions
    : public testing::TestWithParam<std::tuple<ReduceKind, DType>> {
protected:
  ReduceKind kind() const { return std::get<0>(GetParam()); }
  DType dtype() const { return std::get<1>(GetParam()); }
  bool applies() const {
    return kind() != ReduceKind::mean || isFloat(dtype());
  }
  void check(const Shape &shape, std::vector<int64_t> dims,
             bool keepDims = false) {
    checkAgainstReference(reducingProvider(),
                          reduceCase(kind(), dtype(), shape, dims, keepDims));
  }
};

/// One less and one more than the vectors and groups of them, primes, long.
const int64_t kSizes[] = {2,  7,  8,  15,  16,  17,   31,
                          33, 64, 65, 127, 129, 1009, 30011};

TEST_P(Reductions, Rows) {
  if (applies())
    for (int64_t size : kSizes)
      check({3, size}, {1}, size % 2 == 0);
}

TEST_P(Reductions, Columns) {
  if (applies())
    for (int64_t size : kSizes) {
      check({5, size}, {0});
      if (size < 20)
        check({size * 7, 3}, {0}, true);
    }
}

TEST_P(Reductions, MiddleAndSeveralDims) {
  if (!applies())
    return;
  for (int64_t size : {2, 17, 70}) {
    check({3, 5, size}, {1});
    check({3, 5, size}, {0, 1}, true);
    check({3, 5, size}, {0, 2});
    check({2, 3, 5, size}, {1, 3});
    check({2, 3, 5, size}, {0, 2}, true);
    check({1, size, 1, 3, 1}, {0, 1, 4});
    check({size, 1, 1}, {0}, true);
  }
}

std::string
nameOf(const testing::TestParamInfo<std::tuple<ReduceKind, DType>> &info) {
  return std::string(fb::EnumNameReduceKind(std::get<0>(info.param))) + "_" +
         std::string(name(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Reductions,
    testing::Combine(testing::Values(ReduceKind::sum, ReduceKind::prod,
                                     ReduceKind::max, ReduceKind::min,
                                     ReduceKind::mean),
                     testing::Values(DType::f32, DType::f64, DType::f16,
                                     DType::bf16, DType::i8, DType::i32,
                                     DType::i64)),
    nameOf);

/// A NaN or an infinity in the first vector, in the last one or in the tail.
TEST(ReductionsOf, NaNsAndInfinities) {
  for (ReduceKind kind : {ReduceKind::max, ReduceKind::min, ReduceKind::sum})
    for (double special : {kNaN, kInf, -kInf})
      for (int64_t place : {0, 63, 64, 99, 100})
        for (int64_t dim : {0, 1}) {
          std::vector<double> values(101 * 101, -0.5);
          values[(dim ? 101 * 3 : 3) + place * (dim ? 1 : 101)] = special;
          Case c = reduceCase(kind, DType::f32, {101, 101}, {dim});
          c.operands = {tensorOf(DType::f32, {101, 101}, values)};
          checkAgainstReference(reducingProvider(), c);
        }
}

/// Softmax, and the mean of its operand, over `dim` of a matrix.
std::string softmaxKernel(int64_t rows, int64_t columns, int dim) {
  std::string m = std::to_string(rows), n = std::to_string(columns);
  std::string full = "tensor<" + m + "x" + n + "xf32>";
  std::string row =
      dim == 1 ? "tensor<" + m + "x1xf32>" : "tensor<1x" + n + "xf32>";
  std::string dims = " dims = [" + std::to_string(dim) + "] keep_dims : (" +
                     full + ") -> " + row + "\n";
  std::string broadcast = " : (" + full + ", " + row + ") -> " + full + "\n";
  return "module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {"
         "func.func @k(%x: " +
         full + ") -> (" + full + ", " + row +
         ") {\n"
         "%m = tandem.reduce %x kind = max" +
         dims + "%d = tandem.sub %x, %m" + broadcast +
         "%e = tandem.exp %d : " + full +
         "\n"
         "%s = tandem.reduce %e kind = sum" +
         dims + "%r = tandem.div %e, %s" + broadcast +
         "%a = tandem.reduce %x kind = mean" + dims +
         "return %r, %a : " + full + ", " + row + "}}";
}

void checkSoftmax(int64_t rows, int64_t columns, int dim) {
  SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns) +
               " along " + std::to_string(dim));
  auto kernel = compileKernel(softmaxKernel(rows, columns, dim));
  ASSERT_TRUE(kernel) << kernel.error().message;
  int64_t kept = dim == 1 ? rows : columns, size = dim == 1 ? columns : rows;
  int64_t keptStride = dim == 1 ? columns : 1, stride = dim == 1 ? 1 : columns;
  // Results are aligned as tensors are.
  auto result = Tensor::allocate({DType::f32, {rows, columns}});
  ASSERT_TRUE(result);
  float *y = result->as<float>();
  std::vector<float> x(rows * columns), mean(kept);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>((i * 37 + 5) % 61) / 8 - 3;
  kernel->run({x.data(), y, mean.data()});
  for (int64_t k = 0; k < kept; ++k) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < size; ++i) {
      total += x[k * keptStride + i * stride];
      sum += std::exp(static_cast<double>(x[k * keptStride + i * stride]));
    }
    ASSERT_NEAR(mean[k], total / static_cast<double>(size), 1e-5);
    for (int64_t i = 0; i < size; ++i) {
      double want =
          std::exp(static_cast<double>(x[k * keptStride + i * stride])) / sum;
      ASSERT_NEAR(y[k * keptStride + i * stride] / want, 1, 1e-5);
    }
  }
}

/// Rows that are stored between stages, and such as are computed again.
TEST(Softmax, AlongRowsAndColumns) {
  for (int64_t size : {2, 15, 16, 33, 64, 127, 1009})
    for (int64_t other : {1, 3, 65})
      for (int dim : {0, 1})
        checkSoftmax(dim == 1 ? other : size, dim == 1 ? size : other, dim);
  checkSoftmax(2, 100003, 1);
  checkSoftmax(5003, 130, 0);
}

/// Large enough a result to be stored past the caches.
TEST(Softmax, LargeResult) { checkSoftmax(1 << 13, 1 << 10, 1); }

} // namespace
