//===- WireScan.h - ONNX files without their tensors' bytes -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_WIRESCAN_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_WIRESCAN_H

#include "tandem/Support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tandem::onnx {

/// A range of a file's bytes.
struct FileRange {
  uint64_t offset = 0, size = 0;
};

/// Returns the bytes of a serialized ModelProto in which the content of every
/// tensor's field `raw_data` is replaced by its place in `file`, so that
/// protobuf does not copy weights. Fields that are of no use to an importer
/// (training_info) are left out. Fails, with the offset, where a field runs
/// past the end of its message, and where messages are nested too deeply.
Expected<std::string> scanModel(llvm::StringRef file);

/// The place that scanModel has left in a `raw_data`; nothing where `rawData`
/// is not of that form.
std::optional<FileRange> readPlace(llvm::StringRef rawData);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_WIRESCAN_H
