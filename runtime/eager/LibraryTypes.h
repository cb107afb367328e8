//===- LibraryTypes.h - Types of NVIDIA's contractions ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_LIBRARYTYPES_H
#define TANDEM_RUNTIME_EAGER_LIBRARYTYPES_H

#include "tandem/Runtime/Kernels/FusedContraction.h"

namespace tandem::eager {

/// Whether cuDNN and cuBLASLt may compute a contraction as far as its types are
/// concerned. The types are floats, or i8 with sums of i32. With i8, there is
/// no epilogue.
inline bool hasLibraryTypes(const FusedContraction &fused) {
  const OpSignature &signature = fused.contraction;
  if (isFloat(signature.result().dtype))
    return true;
  return signature.operands[0].dtype == DType::i8 &&
         signature.operands[1].dtype == DType::i8 &&
         signature.result().dtype == DType::i32 && fused.numBiases() == 0 &&
         !fused.hasResidual && fused.activation == Activation::none;
}

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_LIBRARYTYPES_H
