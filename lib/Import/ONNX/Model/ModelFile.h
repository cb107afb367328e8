//===- ModelFile.h - An ONNX file and the bytes of its tensors --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_MODELFILE_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_MODELFILE_H

#include "Model/WireScan.h"

#include "tandem/Import/ONNX/Import.h"
#include "tandem/Support/TensorType.h"

#include "onnx-ml.pb.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tandem::onnx {

namespace proto = ::onnx;

/// A parsed ONNX file, which stays mapped: the bytes of tensors are read from
/// there, or from files of external data.
class ModelFile {
public:
  /// Maps and parses the file.
  static Expected<std::unique_ptr<ModelFile>> open(const std::string &path);
  /// Parses a model in memory, which `source` keeps alive. Errors call it
  /// `name`.
  static Expected<std::unique_ptr<ModelFile>>
  read(const ir::ResourceMemory &source, const std::string &name);

  const proto::ModelProto &model() const { return parsed; }
  const std::string &path() const { return file; }

  /// The elements of a tensor as slots have them (little-endian, row-major, i1
  /// as bytes), at any address: the mapped bytes, or a copy of elements that
  /// are stored as numbers. Errors have no location.
  Expected<ir::ResourceMemory> read(const proto::TensorProto &tensor);

  /// The files that were mapped so far; not a model in memory.
  std::vector<MappedFile> mappedFiles() const;

  /// Bytes of tensors that were copied because they are stored as numbers.
  size_t copiedBytes() const { return copied; }

private:
  using Mapping = std::shared_ptr<const llvm::MemoryBuffer>;

  explicit ModelFile(std::string path) : file(std::move(path)) {}
  static Expected<std::unique_ptr<ModelFile>>
  parse(std::unique_ptr<ModelFile> unparsed);
  Expected<ir::ResourceMemory> readRaw(const proto::TensorProto &tensor);
  Expected<ir::ResourceMemory> readExternal(const proto::TensorProto &tensor);
  Expected<Mapping> mapExternal(const std::string &location);

  /// The path, or the name of a model in memory.
  std::string file;
  bool isInMemory = false;
  Mapping mapping;
  proto::ModelProto parsed;
  /// Files of external data, by the name that tensors give.
  llvm::StringMap<Mapping> external;
  size_t copied = 0;
};

/// The type of a tensor's elements; an error that names it where the dialect
/// has none.
Expected<DType> convertDType(int32_t dataType);

/// True for tensors of integers of 4 bits, which are stored two to a byte.
/// Their elements are read as integers of 8 bits.
bool isPacked(const proto::TensorProto &tensor);

/// The type of a tensor as it is read. Fails for dims that are negative, too
/// many or whose product overflows.
Expected<TensorType> typeOf(const proto::TensorProto &tensor);
/// The type that is declared for a value; nothing where that leaves something
/// open.
std::optional<TensorType> staticTypeOf(const proto::ValueInfoProto &info);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_MODELFILE_H
