//===- Import.h - ONNX files as graphs --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_IMPORT_ONNX_IMPORT_H
#define TANDEM_IMPORT_ONNX_IMPORT_H

#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tandem {

/// A file that is mapped into memory.
struct MappedFile {
  std::string path; ///< Absolute.
  llvm::ArrayRef<char> bytes;
};

/// A model in the dialect.
struct ImportedModel {
  /// A module with one function, which is @main in ONNX models.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The names of the function's arguments and results.
  std::vector<std::string> inputs, outputs;
  /// The nodes of the model, and the result of importing each node.
  std::vector<ModelNode> nodes;
  /// The memory of the module's resources: the mapped files, and copies.
  std::vector<ir::ResourceMemory> memory;
  /// The mapped files.
  std::vector<MappedFile> files;
  /// The number of bytes of weights that were copied, because the file stores
  /// them in typed fields such as `float_data` and not as raw bytes.
  size_t copiedBytes = 0;
};

/// Whether a file is an ONNX model. The first byte of the file decides. If the
/// file is empty or cannot be read, the name decides.
bool isONNXFile(const std::string &path);

/// Whether `bytes` are an ONNX model, judging by the first byte.
bool isONNX(llvm::StringRef bytes);

/// A model in memory.
struct ModelBytes {
  ir::ResourceMemory memory;
  /// The name of the model in errors and locations.
  std::string name;
};

/// Imports the ONNX model in a file. `context` must have loaded the dialects of
/// graphs. The file must not change while the module, or a program made of it,
/// is in use, because weights are read from it when they are needed. If the
/// model cannot be imported, emits an error that is located at the file and the
/// node. A build without the importer always emits an error.
mlir::FailureOr<ImportedModel> importONNX(mlir::MLIRContext *context,
                                          const std::string &path,
                                          const ImportOptions &options = {});
/// Imports an ONNX model in memory, whose weights must be in the model itself.
/// The module refers to the weights in `model.memory`.
mlir::FailureOr<ImportedModel> importONNX(mlir::MLIRContext *context,
                                          const ModelBytes &model,
                                          const ImportOptions &options = {});

} // namespace tandem

#endif // TANDEM_IMPORT_ONNX_IMPORT_H
