//===- ModelFile.cpp - An ONNX file and the bytes of its tensors ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/ModelFile.h"

#include "tandem/Runtime/Memory/Storage.h"

#include "llvm/ADT/StringExtras.h"

#include <filesystem>

using llvm::ArrayRef;
using llvm::MemoryBuffer;
using llvm::StringRef;

namespace tandem::onnx {
namespace {

Expected<std::shared_ptr<const MemoryBuffer>> mapFile(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("parse",
                "cannot read '" + path + "': " + buffer.getError().message());
  return std::shared_ptr<const MemoryBuffer>(std::move(*buffer));
}

/// Converts numbers to elements of type T. Only the low bytes of a number
/// count.
template <typename T, typename Numbers>
ir::ResourceMemory convert(const Numbers &numbers) {
  auto elements =
      std::make_shared<llvm::SmallVector<T, 0>>(numbers.begin(), numbers.end());
  return {{reinterpret_cast<const char *>(elements->data()),
           elements->size() * sizeof(T)},
          elements};
}

/// The elements that are stored as numbers, not as bytes.
ir::ResourceMemory convertNumbers(const proto::TensorProto &tensor,
                                  DType dtype) {
  if (isPacked(tensor)) // Each number is one byte, which holds two elements.
    return convert<uint8_t>(tensor.int32_data());
  return withStorage(dtype, [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, float>)
      return convert<T>(tensor.float_data());
    else if constexpr (std::is_same_v<T, double>)
      return convert<T>(tensor.double_data());
    else if constexpr (std::is_same_v<T, int64_t>)
      return convert<T>(tensor.int64_data());
    else if constexpr (std::is_same_v<T, uint32_t> ||
                       std::is_same_v<T, uint64_t>)
      return convert<T>(tensor.uint64_data());
    else if constexpr (std::is_integral_v<T>)
      return convert<T>(tensor.int32_data());
    else // The bits of 16-bit floats.
      return convert<uint16_t>(tensor.int32_data());
  });
}

/// The element types that are imported, without the 4-bit integers (isPacked).
constexpr std::pair<proto::TensorProto::DataType, DType> kElementTypes[] = {
    {proto::TensorProto::FLOAT, DType::f32},
    {proto::TensorProto::DOUBLE, DType::f64},
    {proto::TensorProto::FLOAT16, DType::f16},
    {proto::TensorProto::BFLOAT16, DType::bf16},
    {proto::TensorProto::BOOL, DType::i1},
    {proto::TensorProto::INT8, DType::i8},
    {proto::TensorProto::INT16, DType::i16},
    {proto::TensorProto::INT32, DType::i32},
    {proto::TensorProto::INT64, DType::i64},
    {proto::TensorProto::UINT8, DType::ui8},
    {proto::TensorProto::UINT16, DType::ui16},
    {proto::TensorProto::UINT32, DType::ui32},
    {proto::TensorProto::UINT64, DType::ui64}};

/// The bytes that the elements of a tensor take in the file.
size_t storedBytes(const proto::TensorProto &tensor, const TensorType &type) {
  const auto bytes = static_cast<size_t>(type.bytes());
  return isPacked(tensor) ? llvm::divideCeil(bytes, 2) : bytes;
}

/// Converts `count` integers of 4 bits to integers of 8 bits. The low bits of a
/// byte hold the first of its two integers.
template <typename T>
ir::ResourceMemory unpack(llvm::StringRef bytes, size_t count) {
  auto elements = std::make_shared<llvm::SmallVector<T, 0>>(count);
  for (size_t i = 0; i < count; ++i) {
    // The 4 bits are moved to the upper half of T and shifted back, so that the
    // sign of a signed integer is extended.
    const auto byte = static_cast<uint8_t>(bytes[i / 2]);
    const auto upper = static_cast<T>(i % 2 ? byte & 0xf0 : byte << 4);
    (*elements)[i] = static_cast<T>(upper >> 4);
  }
  return {{reinterpret_cast<const char *>(elements->data()), count}, elements};
}

std::string name(const proto::TensorProto &tensor) {
  return "tensor '" + tensor.name() + "'";
}

} // namespace

Expected<DType> convertDType(int32_t dataType) {
  for (auto [type, dtype] : kElementTypes)
    if (type == dataType)
      return dtype;
  std::string named = proto::TensorProto::DataType_IsValid(dataType)
                          ? proto::TensorProto::DataType_Name(
                                proto::TensorProto::DataType(dataType))
                          : "number " + std::to_string(dataType);
  return fail("import", "element type " + named + " is not supported",
              "floats of 16, 32 and 64 bits, BOOL and integers of 8 to 64 bits "
              "are");
}

bool isPacked(const proto::TensorProto &tensor) {
  return tensor.data_type() == proto::TensorProto::INT4 ||
         tensor.data_type() == proto::TensorProto::UINT4;
}

Expected<TensorType> typeOf(const proto::TensorProto &tensor) {
  TensorType type;
  Expected<DType> dtype = convertDType(tensor.data_type());
  if (isPacked(tensor))
    dtype =
        tensor.data_type() == proto::TensorProto::INT4 ? DType::i8 : DType::ui8;
  if (!dtype)
    return fail("import", name(tensor) + ": " + dtype.error().message,
                dtype.error().hint);
  type.dtype = *dtype;
  if (tensor.dims_size() > kMaxRank)
    return fail("import", name(tensor) + " has more than " +
                              std::to_string(kMaxRank) + " dims");
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return fail("import", name(tensor) + " has a negative dim");
    type.shape.push_back(dim);
  }
  if (!checkedBytes(type))
    return fail("import", name(tensor) + " is larger than memory can be");
  return type;
}

std::optional<TensorType> staticTypeOf(const proto::ValueInfoProto &info) {
  const auto &given = info.type().tensor_type();
  Expected<DType> dtype = convertDType(given.elem_type());
  if (!dtype || !given.has_shape() || given.shape().dim_size() > kMaxRank)
    return std::nullopt;
  TensorType type{*dtype, {}};
  for (const auto &dim : given.shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0)
      return std::nullopt;
    type.shape.push_back(dim.dim_value());
  }
  if (!checkedBytes(type))
    return std::nullopt;
  return type;
}

Expected<std::unique_ptr<ModelFile>> ModelFile::open(const std::string &path) {
  std::unique_ptr<ModelFile> result(new ModelFile(path));
  TANDEM_ASSIGN_OR_RETURN(result->mapping, mapFile(path));
  return parse(std::move(result));
}

Expected<std::unique_ptr<ModelFile>>
ModelFile::read(const ir::ResourceMemory &source, const std::string &name) {
  std::unique_ptr<ModelFile> result(new ModelFile(name));
  result->isInMemory = true;
  result->mapping = Mapping(
      MemoryBuffer::getMemBuffer({source.bytes.data(), source.bytes.size()},
                                 name, /*RequiresNullTerminator=*/false)
          .release(),
      [owner = source.owner](const MemoryBuffer *buffer) mutable {
        delete buffer;
        // Weak pointers in caches keep this deleter, and with it the owner.
        owner.reset();
      });
  return parse(std::move(result));
}

Expected<std::unique_ptr<ModelFile>>
ModelFile::parse(std::unique_ptr<ModelFile> unparsed) {
  TANDEM_ASSIGN_OR_RETURN(std::string scanned,
                          scanModel(unparsed->mapping->getBuffer()));
  if (!unparsed->parsed.ParseFromString(scanned))
    return fail("parse", "not an ONNX model, or damaged: protobuf refuses it");
  return unparsed;
}

Expected<ModelFile::Mapping>
ModelFile::mapExternal(const std::string &location) {
  if (isInMemory)
    return fail("import",
                "external data '" + location + "' of a model in memory",
                "load the model from its file");
  Mapping &known = external[location];
  if (known)
    return known;
  namespace fs = std::filesystem;
  std::error_code code;
  fs::path folder = fs::weakly_canonical(fs::absolute(file, code), code);
  folder = folder.parent_path();
  fs::path target = fs::weakly_canonical(folder / location, code);
  // Symbolic links have been resolved, so that a link to another folder is
  // refused.
  auto [end, rest] =
      std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
  if (code || location.empty() || end != folder.end())
    return fail("import", "external data '" + location +
                              "' is not inside the model's folder");
  // Opening a pipe might wait for ever.
  if (fs::exists(target, code) && !fs::is_regular_file(target, code))
    return fail("import", "external data '" + location + "' is not a file");
  TANDEM_ASSIGN_OR_RETURN(known, mapFile(target));
  return known;
}

Expected<ir::ResourceMemory>
ModelFile::readExternal(const proto::TensorProto &tensor) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : tensor.external_data()) {
    uint64_t number = 0;
    bool isNumber = !StringRef(entry.value()).getAsInteger(10, number);
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset" && isNumber)
      offset = number;
    else if (entry.key() == "length" && isNumber)
      length = number;
    else if (entry.key() == "offset" || entry.key() == "length")
      return fail("import", "external data: " + entry.key() + " '" +
                                entry.value() + "' is not a number");
  }
  TANDEM_ASSIGN_OR_RETURN(Mapping mapping, mapExternal(location));
  StringRef all = mapping->getBuffer();
  if (offset > all.size() || length.value_or(0) > all.size() - offset)
    return fail("import", "external data ends at byte " +
                              std::to_string(all.size()) + " of '" + location +
                              "', before the tensor does");
  // Without a length it is what the type takes, and the file may go on.
  TANDEM_ASSIGN_OR_RETURN(const TensorType type, typeOf(tensor));
  StringRef bytes =
      all.substr(offset, length.value_or(storedBytes(tensor, type)));
  return ir::ResourceMemory{{bytes.begin(), bytes.size()}, mapping};
}

Expected<ir::ResourceMemory>
ModelFile::readRaw(const proto::TensorProto &tensor) {
  if (tensor.data_location() == proto::TensorProto::EXTERNAL)
    return readExternal(tensor);
  std::optional<FileRange> place = readPlace(tensor.raw_data());
  if (!place)
    return fail("import", "its bytes are in a place that is not scanned");
  StringRef bytes = mapping->getBuffer().substr(place->offset, place->size);
  return ir::ResourceMemory{{bytes.begin(), bytes.size()}, mapping};
}

std::vector<MappedFile> ModelFile::mappedFiles() const {
  std::vector<MappedFile> files;
  auto add = [&](const Mapping &mapped) {
    std::error_code code;
    const auto path =
        std::filesystem::absolute(mapped->getBufferIdentifier().str(), code);
    if (!code)
      files.push_back(
          {path.string(), {mapped->getBufferStart(), mapped->getBufferEnd()}});
  };
  if (!isInMemory)
    add(mapping);
  for (const auto &entry : external)
    if (entry.second)
      add(entry.second);
  return files;
}

Expected<ir::ResourceMemory> ModelFile::read(const proto::TensorProto &tensor) {
  TANDEM_ASSIGN_OR_RETURN(TensorType type, typeOf(tensor));
  const size_t size = storedBytes(tensor, type);
  bool isRaw = tensor.has_raw_data() ||
               tensor.data_location() == proto::TensorProto::EXTERNAL;
  Expected<ir::ResourceMemory> bytes =
      isRaw ? readRaw(tensor) : convertNumbers(tensor, type.dtype);
  if (!bytes)
    return fail("import", name(tensor) + ": " + bytes.error().message,
                bytes.error().hint);
  if (!isRaw)
    copied += bytes->bytes.size();
  if (bytes->bytes.size() != size)
    return fail("import", name(tensor) + " has " +
                              std::to_string(bytes->bytes.size()) +
                              " bytes of elements, its type " + type.str() +
                              " takes " + std::to_string(size));
  if (!isPacked(tensor))
    return bytes;
  const auto count = static_cast<size_t>(type.bytes());
  copied += count;
  const StringRef packed(bytes->bytes.data(), bytes->bytes.size());
  return type.dtype == DType::i8 ? unpack<int8_t>(packed, count)
                                 : unpack<uint8_t>(packed, count);
}

} // namespace tandem::onnx
