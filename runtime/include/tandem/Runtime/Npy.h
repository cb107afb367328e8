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

/// Reads a .npy file (numpy.lib.format, versions 1.0 to 3.0) into host memory.
/// The array must be little-endian and in C order. NumPy has no bf16, so "<V2"
/// and "|V2" are read as bf16. Nonzero bytes of a bool array are read as 1.
/// Errors have phase "read" and name the file and the problem: the file is
/// unreadable or truncated, or the array is big-endian, in Fortran order, or of
/// an unsupported dtype.
Expected<Tensor> readNpy(const std::string &path);
/// Writes `tensor`, which must be in host memory, to a .npy file (version 1.0).
/// The file is replaced atomically (writeFileAtomically). Errors have phase
/// "write".
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace tandem

#endif // TANDEM_RUNTIME_NPY_H
