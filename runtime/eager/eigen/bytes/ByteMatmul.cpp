//===- ByteMatmul.cpp - Matrix products of 8-bit integers -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteProduct.h"

#include "tandem/Support/Strides.h"

using namespace tandem;
using namespace tandem::eager;

namespace {

template <typename T> class ByteMatmulOp final : public PreparedOp {
public:
  explicit ByteMatmulOp(const MatmulDims &dims) : dims(dims) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    int32_t *result = results[0].as<int32_t>();
    for (StridedIndex<2> i(dims.batch, {dims.lhsBatch, dims.rhsBatch});
         !i.done(); i.next(), result += dims.m * dims.n)
      multiply(operands[0].as<T>() + i.offset(0),
               operands[1].as<int8_t>() + i.offset(1), result);
    return {};
  }

private:
  void multiply(const T *lhs, const int8_t *rhs, int32_t *result) const {
    const ProductSizes sizes{dims.m, dims.n, dims.k};
    std::vector<int16_t> columns(dims.n * sizes.paddedK());
    widenColumns(rhs, dims.n, dims.rhsN, dims.k, dims.rhsK, columns.data(),
                 sizes.paddedK());
    multiplyBytes(
        sizes, columns.data(),
        [&](int64_t first, int64_t count, int16_t *rows) {
          for (int64_t i = 0; i < count; ++i)
            widen(lhs + (first + i) * dims.lhsM, dims.lhsK, dims.k,
                  rows + i * sizes.paddedK());
        },
        [&](int64_t first, int64_t count, const int32_t *sums) {
          std::copy_n(sums, count * dims.n, result + first * dims.n);
        });
  }

  MatmulDims dims;
};

} // namespace

Prepared eager::prepareByteMatmul(const Signature &signature,
                                  const MatmulDims &dims) {
  return makeForBytes<ByteMatmulOp>(signature.operands[0].dtype, dims);
}
