//===- CUDAContractionModel.h - Contractions that are generated -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CUDACONTRACTIONMODEL_H
#define TANDEM_LIB_TARGET_CUDA_CUDACONTRACTIONMODEL_H

#include "tandem/Fusion/ContractionModel.h"

namespace tandem {

/// The kernels of contractions that target cuda generates.
const ContractionModel &cudaContractionModel();

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_CUDACONTRACTIONMODEL_H
