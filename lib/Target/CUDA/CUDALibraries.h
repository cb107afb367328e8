//===- CUDALibraries.h - What cuDNN and cuBLASLt fuse -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CUDALIBRARIES_H
#define TANDEM_LIB_TARGET_CUDA_CUDALIBRARIES_H

#include "tandem/Fusion/LibraryModel.h"

namespace tandem {

/// What cuDNN computes with a convolution, and cuBLASLt with a matrix product,
/// on some GPU and in some precision.
const LibraryModel &cudaLibraryModel();

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_CUDALIBRARIES_H
