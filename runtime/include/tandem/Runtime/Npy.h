//===- Npy.h - Reading and writing NumPy's .npy files -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_NPY_H
#define TANDEM_RUNTIME_NPY_H

#include "tandem/Runtime/Tensor.h"

#include <string>

namespace tandem {

/// Reads a little-endian array in C order. Errors (phase "read") name the file
/// and what is wrong with it: unreadable, truncated, big-endian, in Fortran
/// order, or of an object dtype. NumPy has no bf16, so "<V2" is read as bf16.
Expected<Tensor> readNpy(const std::string &path);
/// Writes `tensor`, which must be in the host's memory, to a .npy file. The
/// file is replaced atomically (writeFileAtomically).
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace tandem

#endif // TANDEM_RUNTIME_NPY_H
