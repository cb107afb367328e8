//===- ImportState.h - What is known while a model is imported --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTSTATE_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTSTATE_H

#include "Model/Constants.h"
#include "Model/ModelFile.h"

#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Tandem.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::onnx {

/// What a name of the model stands for: any one of these.
struct NamedValue {
  /// A value of the function.
  mlir::Value value;
  std::optional<Integers> integers;
  /// A weight that becomes a value when it is first used.
  const proto::TensorProto *weight = nullptr;
  /// Whether it is none of these, because its node cannot be imported
  /// (ImportOptions::keepsGoing).
  bool isRefused = false;
};

/// The function under construction and what is known about its values. Errors
/// are emitted as diagnostics.
class ImportState {
public:
  ImportState(mlir::MLIRContext *context, ModelFile &file,
              const ImportOptions &options)
      : builder(context), file(file), options(options) {}

  mlir::OpBuilder builder;
  /// While the body of a loop is built: the place before the outermost loop.
  mlir::OpBuilder::InsertPoint outside;
  ModelFile &file;
  const ImportOptions &options;
  llvm::StringMap<NamedValue> values;
  /// Adds the nodes of a graph within a node, which see all values before it,
  /// with the given values as its inputs, and returns its outputs.
  llvm::unique_function<mlir::FailureOr<llvm::SmallVector<NamedValue>>(
      const proto::GraphProto &, llvm::ArrayRef<NamedValue>)>
      addGraph;
  /// Values of integers of 4 bits, which are held in 8.
  llvm::DenseSet<mlir::Value> nibbles;
  /// The memory of the resources that were made.
  std::vector<ir::ResourceMemory> memory;

  /// The location of the model, and that of what has a name in it.
  mlir::Location location(llvm::StringRef name = {});

  /// Creates an op of the dialect whose result type is inferred, folds it, and
  /// returns its result; null, with an error, where an operand is null or a
  /// constraint is violated.
  mlir::Value create(llvm::StringRef op, mlir::Location loc,
                     mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value constant(mlir::Location loc, mlir::ElementsAttr elements);
  /// A tensor of the model as a constant: small ones as elements, others as
  /// resources that share the model's memory. Null, with an error, where it
  /// cannot be read.
  mlir::Value constant(mlir::Location loc, const proto::TensorProto &tensor);

  /// The sizes of a value's dims.
  Sizes sizesOf(mlir::Value value);
  void setSizes(mlir::Value value, Sizes known);
  /// A free dim; equal names are one dim. An empty name is a dim of its own.
  Size freeDim(llvm::StringRef name = {});
  /// The free dims of `sizes` for a message: "'N', 'H'".
  std::string describeFreeDims(llvm::ArrayRef<Size> sizes) const;

private:
  Sizes inferSizes(mlir::OpResult result);

  llvm::DenseMap<mlir::Value, Sizes> sizes;
  std::vector<std::string> dimNames;
};

/// The dialect's type of a tensor type.
mlir::RankedTensorType toMlir(mlir::MLIRContext *context,
                              const TensorType &type);

/// Whether memory can hold a tensor of the type, were its free and its empty
/// dims of size 1: no product of its sizes overflows.
bool isAddressable(mlir::RankedTensorType type);

/// What an error says of another type.
llvm::StringRef whyNotAddressable(mlir::RankedTensorType type);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTSTATE_H
