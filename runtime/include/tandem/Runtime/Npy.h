//===- Npy.h - NumPy's .npy files -*- C++ -*-===//
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

/// Reads a little-endian C-order array; errors (phase "read") name the file and
/// what is wrong: unreadable, truncated, big-endian, Fortran order, object
/// dtype. bf16 has no NumPy descriptor: "<V2" is read as bf16.
Expected<Tensor> readNpy(const std::string &path);
/// Written atomically.
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace tandem

#endif // TANDEM_RUNTIME_NPY_H
