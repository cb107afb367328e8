//===- CUDALibraries.cpp - What cuDNN and cuBLASLt fuse -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDALibraries.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"

namespace tandem {
namespace {

class CUDALibraries final : public LibraryModel {
public:
  llvm::StringRef name() const override { return "cuda"; }

  Status check(const FusedContraction &fused) const override {
    const OpSignature &contraction = fused.contraction;
    if (!isFloat(contraction.result().dtype))
      return fail("library", "is not of floats");
    if (contraction.op.kind == OpKind::conv &&
        fused.activation == Activation::gelu_tanh)
      return fail("library", "is a gelu, which cuDNN does not fuse");
    return {};
  }
};

} // namespace

const LibraryModel &cudaLibraryModel() {
  static const CUDALibraries model;
  return model;
}

} // namespace tandem
