//===- Prepare.h - Prepared ops by family -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function prepares an op of one family for the Eigen provider. It returns
// null where this provider does not implement the op for these types. Types
// must be static, and results must not be empty.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_PREPARE_H
#define TANDEM_RUNTIME_EAGER_EIGEN_PREPARE_H

#include "../Spatial.h"

#include "tandem/Runtime/Provider.h"

#include <memory>
#include <span>

namespace tandem::eager {

using Signature = OpSignature;
using Prepared = std::unique_ptr<PreparedOp>;

/// Whether the op works on 16-bit floats and has no kernels for them, so that
/// whole tensors must be converted to f32. Elementwise ops need no such
/// conversion because they convert a tile at a time, nor do indexing ops, and
/// shape ops convert nothing.
bool goesThroughFloat(const Signature &signature);

Prepared prepareElementwise(const Signature &signature);

Prepared prepareReshape(const Signature &signature);
Prepared prepareTranspose(const Signature &signature);
Prepared prepareBroadcast(const Signature &signature);
Prepared prepareSlice(const Signature &signature);
Prepared preparePad(const Signature &signature);
Prepared prepareConcat(const Signature &signature);
Prepared prepareIota(const Signature &signature);
Prepared prepareGather(const Signature &signature);

Prepared prepareScatter(const Signature &signature);
Prepared prepareOrder(const Signature &signature);

Prepared prepareScan(const Signature &signature);
Prepared prepareFFT(const Signature &signature);

Prepared prepareReduce(const Signature &signature);
Prepared prepareBatchNorm(const Signature &signature);
Prepared prepareSoftmax(const Signature &signature);
Prepared prepareSoftmaxBackward(const Signature &signature);
Prepared prepareLayerNorm(const Signature &signature);
Prepared prepareLayerNormBackward(const Signature &signature);
Prepared prepareMatmul(const Signature &signature);
/// Contractions of integers of 8 bits, whose results are i32.
Prepared prepareByteConv(const Signature &signature);
Prepared prepareByteMatmul(const Signature &signature, const MatmulDims &dims);
Prepared prepareMaxPool(const Signature &signature);
Prepared prepareMaxPoolWithIndex(const Signature &signature);
Prepared preparePoolBackward(const Signature &signature);
Prepared prepareMoments(const Signature &signature);
Prepared prepareRandom(const Signature &signature);
Prepared prepareResize(const Signature &signature);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_PREPARE_H
