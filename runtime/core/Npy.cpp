//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: numpy.lib.format, versions 1.0 to 3.0. A magic string, a version,
// the length of a header, and the header: a Python dict of descr, fortran_order
// and shape. Headers are checked against the size of the file before anything
// is allocated.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Npy.h"

#include "AtomicFile.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <sys/stat.h>

using namespace tandem;

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 16;

struct Descriptor {
  std::string_view text;
  DType dtype;
};
/// What is written is the first of each dtype.
constexpr Descriptor kDescriptors[] = {
    {"<f4", DType::f32},  {"<f8", DType::f64},  {"<f2", DType::f16},
    {"<V2", DType::bf16}, {"|V2", DType::bf16}, {"|b1", DType::i1},
    {"|i1", DType::i8},   {"<i2", DType::i16},  {"<i4", DType::i32},
    {"<i8", DType::i64},  {"|u1", DType::ui8},  {"<u2", DType::ui16},
    {"<u4", DType::ui32}, {"<u8", DType::ui64}};

tl::unexpected<Error> bad(const std::string &path, const std::string &what,
                          std::string hint = {}) {
  return fail("read", path + ": " + what, std::move(hint));
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

/// The text after `'key':` in the dict, without leading blanks.
std::optional<std::string_view> valueOf(std::string_view header,
                                        std::string_view key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = quote + std::string(key) + quote;
    size_t at = header.find(quoted);
    if (at == std::string_view::npos)
      continue;
    header.remove_prefix(at + quoted.size());
    at = header.find_first_not_of(" \t");
    if (at == std::string_view::npos || header[at] != ':')
      return std::nullopt;
    at = header.find_first_not_of(" \t", at + 1);
    if (at == std::string_view::npos)
      return std::nullopt;
    return header.substr(at);
  }
  return std::nullopt;
}

Expected<DType> parseDescriptor(const std::string &path,
                                std::string_view value) {
  char quote = value.front();
  size_t end = value.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
    return bad(path, "records are not supported", "save a plain array");
  std::string_view text = value.substr(1, end - 1);
  for (const Descriptor &descriptor : kDescriptors)
    if (descriptor.text == text)
      return descriptor.dtype;
  std::string quoted = "'" + std::string(text) + "'";
  if (text.starts_with('>'))
    return bad(path, "elements are big-endian (" + quoted + ")",
               "save x.astype(x.dtype.newbyteorder('<'))");
  if (text.ends_with('O'))
    return bad(path, "elements are Python objects", "save a numeric array");
  return bad(
      path, "element type " + quoted + " is not supported",
      "supported are f2, f4, f8, b1, i1 to i8, u1 to u8, and V2 for bf16");
}

/// "(3, 4)", "(3,)" or "()".
Expected<Shape> parseShape(const std::string &path, std::string_view value) {
  Shape shape;
  auto malformed = [&] { return bad(path, "the header's shape is malformed"); };
  if (value.front() != '(')
    return malformed();
  value.remove_prefix(1);
  while (true) {
    size_t at = value.find_first_not_of(" \t,");
    if (at == std::string_view::npos)
      return malformed();
    value.remove_prefix(at);
    if (value.front() == ')')
      return shape;
    int64_t dim = -1;
    auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), dim);
    if (error != std::errc() || dim < 0)
      return malformed();
    if (shape.rank() == kMaxRank)
      return bad(path, "the rank is over " + std::to_string(kMaxRank));
    shape.push_back(dim);
    value.remove_prefix(end - value.data());
  }
}

Expected<TensorType> parseHeader(const std::string &path,
                                 std::string_view header) {
  std::optional<std::string_view> descr = valueOf(header, "descr");
  std::optional<std::string_view> order = valueOf(header, "fortran_order");
  std::optional<std::string_view> shape = valueOf(header, "shape");
  if (!descr || !order || !shape)
    return bad(path, "the header lacks descr, fortran_order or shape");
  TANDEM_ASSIGN_OR_RETURN(DType dtype, parseDescriptor(path, *descr));
  TANDEM_ASSIGN_OR_RETURN(Shape dims, parseShape(path, *shape));
  if (!order->starts_with("False") && dims.rank() > 1)
    return bad(path, "the array is in Fortran order",
               "save numpy.ascontiguousarray(x)");
  return TensorType{dtype, dims};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

bool readExactly(std::FILE *file, void *data, size_t bytes) {
  return bytes == 0 || std::fread(data, 1, bytes, file) == bytes;
}

/// Magic, version, length and dict.
Expected<TensorType> readHeader(const std::string &path, std::FILE *file) {
  unsigned char start[8], length[4] = {};
  if (!readExactly(file, start, sizeof(start)) ||
      std::memcmp(start, kMagic.data(), kMagic.size()) != 0)
    return bad(path, "not a .npy file");
  if (start[6] < 1 || start[6] > 3)
    return bad(path, ".npy format version " + std::to_string(start[6]) +
                         " is not supported");
  if (!readExactly(file, length, start[6] == 1 ? 2 : 4))
    return bad(path, "truncated in the header");
  size_t bytes = length[0] | length[1] << 8 | length[2] << 16 |
                 static_cast<size_t>(length[3]) << 24;
  if (bytes > kMaxHeader)
    return bad(path, "the header is " + std::to_string(bytes) + " bytes long");
  std::string header(bytes, '\0');
  if (!readExactly(file, header.data(), bytes))
    return bad(path, "truncated in the header");
  return parseHeader(path, header);
}

/// An error where a regular file holds fewer bytes than its header says.
Status checkSize(const std::string &path, std::FILE *file, int64_t expected) {
  struct stat info;
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
    return {};
  int64_t rest = info.st_size - std::ftell(file);
  if (rest >= expected)
    return {};
  return bad(path, "truncated: " + std::to_string(rest) + " of " +
                       std::to_string(expected) + " data bytes");
}

std::string makeHeader(const TensorType &type) {
  std::string descr, shape;
  for (const Descriptor &descriptor : kDescriptors)
    if (descr.empty() && descriptor.dtype == type.dtype)
      descr = descriptor.text;
  for (int64_t dim : type.shape)
    shape += std::to_string(dim) + (type.shape.rank() == 1 ? "," : ", ");
  std::string dict = "{'descr': '" + descr +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data starts at a multiple of 64, as numpy.save aligns it.
  size_t prefix = kMagic.size() + 4;
  dict.append(63 - (prefix + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff),
             static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

} // namespace

Expected<Tensor> tandem::readNpy(const std::string &path) {
  File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file)
    return fileError("read", path, errno);
  TANDEM_ASSIGN_OR_RETURN(TensorType type, readHeader(path, file.get()));
  Expected<int64_t> bytes = checkedBytes(type);
  if (!bytes)
    return bad(path, bytes.error().message);
  TANDEM_RETURN_IF_ERROR(checkSize(path, file.get(), *bytes));
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
  if (!readExactly(file.get(), tensor.data(), *bytes))
    return bad(path, "truncated, or it cannot be read");
  // Any byte but 0 is true to NumPy; kernels want 0 or 1.
  if (type.dtype == DType::i1)
    for (int64_t i = 0; i < *bytes; ++i)
      tensor.as<uint8_t>()[i] = tensor.as<uint8_t>()[i] != 0;
  return tensor;
}

Status tandem::writeNpy(const std::string &path, const Tensor &tensor) {
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return tl::unexpected<Error>(std::move(file.error()));
  std::string header = makeHeader(tensor.type());
  TANDEM_RETURN_IF_ERROR(file->write(header.data(), header.size()));
  TANDEM_RETURN_IF_ERROR(file->write(tensor.data(), tensor.bytes()));
  return file->commit();
}
