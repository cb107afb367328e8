//===- Safetensors.cpp - Files of named tensors ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Safetensors.h"

#include "AtomicFile.h"

#include "tandem/Runtime/Program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

using namespace tandem;
using nlohmann::json;

namespace {

constexpr const char *kMetadata = "__metadata__";
/// The reference implementation reads no longer header.
constexpr uint64_t kMaxHeader = 100'000'000;

struct DTypeName {
  std::string_view name;
  DType dtype;
};
constexpr DTypeName kDTypes[] = {
    {"F64", DType::f64},   {"F32", DType::f32},  {"F16", DType::f16},
    {"BF16", DType::bf16}, {"I64", DType::i64},  {"I32", DType::i32},
    {"I16", DType::i16},   {"I8", DType::i8},    {"U64", DType::ui64},
    {"U32", DType::ui32},  {"U16", DType::ui16}, {"U8", DType::ui8},
    {"BOOL", DType::i1}};

tl::unexpected<Error> bad(const std::string &path, const std::string &what) {
  return fail("read", path + ": " + what,
              "the file is damaged, or is no .safetensors file");
}

/// An entry of the header.
struct Entry {
  std::string name;
  TensorType type;
  uint64_t begin = 0, end = 0;
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<Entry> parseEntry(const std::string &name, const json &value) {
  if (!value.is_object())
    return std::nullopt;
  const json dtype = value.value("dtype", json()),
             shape = value.value("shape", json()),
             offsets = value.value("data_offsets", json());
  const auto isSize = [](const json &number) {
    return number.is_number_unsigned();
  };
  if (!dtype.is_string() || !shape.is_array() || shape.size() > kMaxRank ||
      !std::ranges::all_of(shape, isSize) || !offsets.is_array() ||
      offsets.size() != 2 || !std::ranges::all_of(offsets, isSize))
    return std::nullopt;
  const auto known =
      std::ranges::find(kDTypes, dtype.get<std::string>(), &DTypeName::name);
  if (known == std::end(kDTypes))
    return std::nullopt;
  Entry entry{name, {known->dtype, {}}, offsets[0], offsets[1]};
  for (const json &size : shape) {
    const uint64_t dim = size;
    if (dim > uint64_t(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
    entry.type.shape.push_back(int64_t(dim));
  }
  const Expected<int64_t> bytes = checkedBytes(entry.type);
  if (!bytes || entry.end < entry.begin ||
      entry.end - entry.begin != uint64_t(*bytes))
    return std::nullopt;
  return entry;
}

/// The entries of a header in the order of their bytes.
Expected<std::vector<Entry>> parseEntries(const std::string &path,
                                          const json &header) {
  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == kMetadata)
      continue;
    std::optional<Entry> entry = parseEntry(name, value);
    if (!entry)
      return bad(path, "the entry of tensor '" + name + "' is invalid");
    entries.push_back(std::move(*entry));
  }
  std::ranges::sort(entries, {}, [](const Entry &entry) {
    return std::pair(entry.begin, entry.end);
  });
  return entries;
}

Status checkPlaces(const std::string &path, const std::vector<Entry> &entries,
                   uint64_t bytes) {
  uint64_t end = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != end)
      return bad(path, "the bytes of tensor '" + entry.name +
                           "' do not follow those of the tensor before");
    end = entry.end;
  }
  if (end != bytes)
    return bad(path, "the tensors have " + std::to_string(end) +
                         " bytes, but the file has " + std::to_string(bytes));
  return {};
}

Status readMetadata(const std::string &path, const json &header,
                    Safetensors &contents) {
  const json metadata = header.value(kMetadata, json::object());
  for (const auto &[name, text] : metadata.items()) {
    if (!text.is_string())
      return bad(path, "the metadata '" + name + "' is no text");
    contents.metadata[name] = text.get<std::string>();
  }
  return {};
}

} // namespace

Expected<Safetensors> tandem::loadSafetensors(const std::string &path) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, readFile(path));
  uint64_t length = 0;
  if (file.size() < sizeof(length))
    return bad(path, "the file ends in its header");
  std::memcpy(&length, file.data(), sizeof(length));
  if (length > kMaxHeader || length > file.size() - sizeof(length))
    return bad(path, "the file ends in its header");
  const uint8_t *text = file.data() + sizeof(length), *data = text + length;
  const json header = json::parse(text, data, nullptr, false);
  if (!header.is_object() ||
      !header.value(kMetadata, json::object()).is_object())
    return bad(path, "the header is no JSON object");
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                          parseEntries(path, header));
  TANDEM_RETURN_IF_ERROR(
      checkPlaces(path, entries, file.size() - sizeof(length) - length));
  Safetensors contents;
  TANDEM_RETURN_IF_ERROR(readMetadata(path, header, contents));
  for (const Entry &entry : entries) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(entry.type));
    std::memcpy(tensor.data(), data + entry.begin, entry.end - entry.begin);
    contents.tensors.emplace(entry.name, std::move(tensor));
  }
  return contents;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The header, padded with blanks so that the tensors begin at a multiple of
/// eight bytes.
static Expected<std::string> headerOf(const Safetensors &contents) {
  json header = json::object();
  if (!contents.metadata.empty())
    header[kMetadata] = contents.metadata;
  uint64_t end = 0;
  for (const auto &[name, tensor] : contents.tensors) {
    if (!tensor || tensor.device() || name == kMetadata)
      return fail("write", "'" + name + "' is no tensor in host memory");
    const TensorType type = tensor.type();
    const auto known =
        std::ranges::find(kDTypes, type.dtype, &DTypeName::dtype);
    if (known == std::end(kDTypes))
      return fail("write", "'" + name + "' is " + type.str() +
                               ", which the format does not have");
    const uint64_t begin = end;
    end += uint64_t(tensor.bytes());
    const auto sizes = type.shape.span();
    header[name] = {{"dtype", known->name},
                    {"shape", std::vector<int64_t>(sizes.begin(), sizes.end())},
                    {"data_offsets", {begin, end}}};
  }
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

Status tandem::saveSafetensors(const std::string &path,
                               const Safetensors &contents) {
  TANDEM_ASSIGN_OR_RETURN(const std::string header, headerOf(contents));
  TANDEM_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  const uint64_t length = header.size();
  TANDEM_RETURN_IF_ERROR(file.write(&length, sizeof(length)));
  TANDEM_RETURN_IF_ERROR(file.write(header.data(), header.size()));
  for (const auto &[name, tensor] : contents.tensors)
    TANDEM_RETURN_IF_ERROR(file.write(tensor.data(), size_t(tensor.bytes())));
  TANDEM_RETURN_IF_ERROR(file.sync());
  return file.commit();
}
