//===- ComparisonCases.h - Convolutions and products to compare -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISONCASES_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISONCASES_H

#include "compare/Comparison.h"

namespace tandem::bench {

/// A selection of convolutions from some lists.
struct ConvSelection {
  std::vector<std::string> files;
  /// The batch size that replaces those of the lists; 0 keeps them.
  int64_t batch = 1;
  /// "nhwc" (weights …HWIO) or "nchw" (weights OI…), for any number of spatial
  /// dims.
  std::string layout = "nhwc";
  /// The type of the data: f32, bf16, ui8 or i8. Integers are multiplied by
  /// weights of i8, and summed in i32.
  DType dtype = DType::f32;
  /// Whether a ReLU follows each. There is no call of the library alone then.
  bool withReLU = false;
  /// Only convolutions whose name contains this text are taken.
  std::string filter;
};

/// One comparison case for each shape; repeated shapes are taken once. Fails
/// where a list cannot be parsed, or nothing passes the filter.
Expected<std::vector<ComparisonCase>> convCases(const ConvSelection &selection);

/// The bytes of a tensor in hexadecimal, as ComparisonCase::source takes those
/// of the weights.
std::string hexOf(const Tensor &tensor);

/// Parses the shape of a matrix product: `1x4096x1024` is m x n x k, `512`
/// stands for a square one.
Expected<MatmulShape> parseMatmulShape(const std::string &text);
/// The comparison case of a matrix product.
ComparisonCase matmulCase(const MatmulShape &shape);

/// The shapes that are measured by default: squares from 512 to 2048, and a few
/// with one short side.
std::vector<std::string> defaultMatmulShapes();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISONCASES_H
