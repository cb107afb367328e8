//===- Safetensors.h - Files of named tensors -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .safetensors files
// (https://github.com/huggingface/safetensors): the length of a header in 8
// bytes, the header in JSON, and the elements of all tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_SAFETENSORS_H
#define TANDEM_RUNTIME_SAFETENSORS_H

#include "tandem/Runtime/Tensor.h"

#include <map>
#include <string>

namespace tandem {

/// The contents of a .safetensors file.
struct Safetensors {
  /// The tensors by name, in host memory.
  std::map<std::string, Tensor> tensors;
  /// Further text by name, which the format calls `__metadata__`.
  std::map<std::string, std::string> metadata;
};

/// Writes a .safetensors file. If a file with this name exists, it is replaced
/// only after all bytes have reached the disk, so that a crash at any time
/// leaves the old file or the new one. Errors have phase "write".
Status saveSafetensors(const std::string &path, const Safetensors &contents);

/// Reads a .safetensors file. The header is checked before memory for tensors
/// is allocated. The tensors must have static types that Tandem supports, and
/// must cover the bytes after the header without gaps or overlaps, as the
/// format requires. Errors have phase "read" and name the file.
Expected<Safetensors> loadSafetensors(const std::string &path);

} // namespace tandem

#endif // TANDEM_RUNTIME_SAFETENSORS_H
