//===- SerializedGraph.h - A graph outside of any context -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_SERIALIZEDGRAPH_H
#define TANDEM_LIB_COMPILER_REMOTE_SERIALIZEDGRAPH_H

#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Import/ONNX/Import.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tandem {

/// A parsed and verified graph that does not belong to an MLIRContext: each
/// compiler reads it into a context of its own. Immutable, except for the cache
/// of rearranged constants.
struct SerializedGraph {
  /// The MLIR bytecode, with locations, of a module that contains the function,
  /// as the only buffer. Resources that are read from it, such as weights, are
  /// not copied and keep it alive.
  std::shared_ptr<llvm::SourceMgr> bytecode;
  /// The resources of the module that are not in the bytecode but in memory of
  /// their own, such as a mapped file.
  struct Resource {
    std::string key;
    ir::ResourceMemory memory;
  };
  std::vector<Resource> resources;
  /// The files from which some of the resources are mapped.
  std::vector<MappedFile> files;
  std::string function;
  /// The digest of the graph without its locations and resources.
  std::string structure;
  /// The names of the function's inputs and outputs, if the file had names.
  std::vector<std::string> inputNames, outputNames;
  /// The nodes of an imported model.
  std::vector<ModelNode> nodes;
  /// The eager program. Constants that are resources share the memory of
  /// `bytecode` and `resources`.
  std::shared_ptr<const Program> eager;
  /// The rearranged constants, which all compilers of the graph share.
  std::shared_ptr<ir::RelayoutedBytes> rearranged =
      std::make_shared<ir::RelayoutedBytes>();

  /// The digests of the eager program's constants (digestConstants), made at
  /// the first call. Thread-safe.
  const std::vector<std::string> &constantDigests() const;

private:
  mutable std::once_flag once;
  mutable std::vector<std::string> digests;
};

/// The dialects in which graphs may be written.
mlir::DialectRegistry graphDialects();

/// Serializes `function` of `module`. The result does not depend on the
/// module's context. `inputNames` and `outputNames` have one name for each
/// input or output, or are empty. Fails (phase "parse") for a function that
/// cannot be executed.
Expected<std::shared_ptr<const SerializedGraph>>
makeSerializedGraph(mlir::ModuleOp module, const std::string &function,
                    std::vector<std::string> inputNames = {},
                    std::vector<std::string> outputNames = {});

/// Serializes an imported model. The result shares the model's weights.
/// `function` is the name that the function gets. Diagnostics are left to the
/// caller.
Expected<std::shared_ptr<const SerializedGraph>>
makeSerializedGraph(ImportedModel model, const std::string &function = "main");

/// Reads the module into a context that has loaded the dialects of graphs. On
/// failure, emits a diagnostic and returns null.
mlir::OwningOpRef<mlir::ModuleOp> readModule(const SerializedGraph &source,
                                             mlir::MLIRContext *context);

/// Returns the constants that are shared by all contexts which read the
/// bytecode of `source`.
ir::SharedConstants sharedConstants(const SerializedGraph &source);

/// The bytes of `bytecode`.
llvm::StringRef bytecodeOf(const SerializedGraph &source);

/// The options of the device's libraries that `options` ask for.
inline LibraryOptions libraryOptions(const CompileOptions &options) {
  LibraryOptions libraries;
  libraries.precision = options.precision;
  return libraries;
}

/// Creates a compiler of `graph`. The first context, with dialects and passes,
/// is ready on return. If programs are kept on disk, the context is created
/// only when a program is not found there.
Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const SerializedGraph> graph,
                    CompileOptions options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_SERIALIZEDGRAPH_H
