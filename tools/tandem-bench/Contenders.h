//===- Contenders.h - Convolutions and matrix products to time --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_CONTENDERS_H
#define TANDEM_TOOLS_TANDEM_BENCH_CONTENDERS_H

#include "Contest.h"

namespace tandem::bench {

/// Which convolutions of some lists, and how.
struct ConvSelection {
  std::vector<std::string> files;
  /// In place of the lists' batch sizes; 0 leaves them.
  int64_t batch = 1;
  /// "nhwc" (weights …HWIO) or "nchw" (weights OI…), for any number of spatial
  /// dims.
  std::string layout = "nhwc";
  /// f32 or bf16.
  DType dtype = DType::f32;
  /// Only names that contain it.
  std::string filter;
};

/// One contender for each shape, those that are written twice once. Errors are
/// the parser's, or that nothing passes the filter.
Expected<std::vector<Contender>> convContenders(const ConvSelection &selection);

/// Its bytes in hexadecimal, as Contender::source takes those of the weights.
std::string hexOf(const Tensor &tensor);

/// `512`, or `1x4096x1024`: m x n x k.
Expected<MatmulShape> parseMatmulShape(const std::string &text);
Contender matmulContender(const MatmulShape &shape);

/// Squares from 512 to 2048 and a few with one short side.
std::vector<std::string> defaultMatmulShapes();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_CONTENDERS_H
