//===- EntryFile.cpp - The file of an entry -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header; the place of each section; the key's fields; the sections. All
// numbers are those of the host, which is little-endian.
//
//===----------------------------------------------------------------------===//

#include "EntryFile.h"

#include "../core/AtomicFile.h"
#include "../process/MemoryFile.h"

#include "tandem/Runtime/Tensor.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
// For a state on the stack.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

using namespace tandem;
using namespace tandem::cache;

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr char kMagic[8] = {'T', 'A', 'N', 'D', 'E', 'M', 'C', 'E'};
/// Raised whenever the layout of the file changes.
constexpr uint32_t kEntryFormat = 1;
constexpr uint64_t kAlignment = Allocator::kAlignment;

struct Header {
  char magic[8];
  /// XXH3, 128 bits, of all bytes that follow this field.
  uint64_t checksum[2] = {0, 0};
  uint32_t format = kEntryFormat;
  uint32_t numSections = 0;
  uint64_t fileBytes = 0;
  uint64_t fieldsBytes = 0;
};
constexpr size_t kChecked = offsetof(Header, format);

/// The offset and the size of a section in the file, in bytes.
struct Place {
  uint64_t offset = 0, bytes = 0;
};

uint64_t alignUp(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

tl::unexpected<Error> bad(const std::string &path, const std::string &why) {
  return fail("read", path + ": " + why);
}

Descriptor openToRead(const std::string &path) {
  return Descriptor(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

/// A file that only this user can write to.
Status checkFile(int descriptor, const std::string &path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return fileError("read", path, errno);
  if (!S_ISREG(info.st_mode))
    return bad(path, "not a file");
  if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return bad(path, "other users can write to it");
  return {};
}

/// The bytes of an entry while it is written, in pieces that are hashed and
/// written in this order.
class Layout {
public:
  Layout(std::string_view fields, std::span<const CacheSection> sections);
  /// Writes it to an AtomicFile or a MemoryFile.
  template <typename File> Status write(File &file) const;
  uint64_t fileBytes() const { return header.fileBytes; }

private:
  void append(const void *data, size_t bytes) {
    pieces.push_back({static_cast<const uint8_t *>(data), bytes});
    end += bytes;
  }
  void pad() {
    static constexpr uint8_t zeros[kAlignment] = {};
    append(zeros, alignUp(end) - end);
  }

  Header header;
  std::vector<Place> places;
  std::vector<CacheSection> pieces;
  uint64_t end = sizeof(Header);
};

Layout::Layout(std::string_view fields,
               std::span<const CacheSection> sections) {
  places.resize(sections.size());
  append(places.data(), places.size() * sizeof(Place));
  append(fields.data(), fields.size());
  for (size_t i = 0; i < sections.size(); ++i) {
    pad();
    places[i] = {end, sections[i].size()};
    append(sections[i].data(), sections[i].size());
  }
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.numSections = static_cast<uint32_t>(sections.size());
  header.fileBytes = end;
  header.fieldsBytes = fields.size();

  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const auto *bytes = reinterpret_cast<const uint8_t *>(&header);
  XXH3_128bits_update(&state, bytes + kChecked, sizeof(Header) - kChecked);
  for (CacheSection piece : pieces)
    if (!piece.empty())
      XXH3_128bits_update(&state, piece.data(), piece.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  header.checksum[0] = hash.low64;
  header.checksum[1] = hash.high64;
}

template <typename File> Status Layout::write(File &file) const {
  TANDEM_RETURN_IF_ERROR(file.write(&header, sizeof header));
  for (CacheSection piece : pieces)
    TANDEM_RETURN_IF_ERROR(file.write(piece.data(), piece.size()));
  return {};
}

/// Whether the sections lie within the file, one after the other.
bool areInside(std::span<const Place> places, const Header &header,
               uint64_t begin) {
  for (const Place &place : places) {
    if (place.offset != alignUp(begin) || place.offset > header.fileBytes ||
        place.bytes > header.fileBytes - place.offset)
      return false;
    begin = place.offset + place.bytes;
  }
  return begin == header.fileBytes;
}

/// The parts of an entry in memory, whose every byte is checked.
Expected<EntryFile> parse(CacheSection bytes, const std::string &path) {
  Header header;
  if (bytes.size() < sizeof header)
    return bad(path, "it is truncated");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return bad(path, "no entry of a cache");
  if (header.fileBytes != bytes.size())
    return bad(path, "it is truncated");
  const XXH128_hash_t hash =
      XXH3_128bits(bytes.data() + kChecked, bytes.size() - kChecked);
  if (hash.low64 != header.checksum[0] || hash.high64 != header.checksum[1])
    return bad(path, "its checksum is wrong");
  if (header.format != kEntryFormat)
    return bad(path, "it has format " + std::to_string(header.format));
  const uint64_t rest = bytes.size() - sizeof header;
  const uint64_t tableBytes = uint64_t(header.numSections) * sizeof(Place);
  if (tableBytes > rest || header.fieldsBytes > rest - tableBytes)
    return bad(path, "its sections are not within it");
  std::vector<Place> places(header.numSections);
  if (!places.empty())
    std::memcpy(places.data(), bytes.data() + sizeof header, tableBytes);
  const uint64_t fields = sizeof header + tableBytes;
  if (!areInside(places, header, fields + header.fieldsBytes))
    return bad(path, "its sections are not within it");
  EntryFile entry;
  entry.fields = {reinterpret_cast<const char *>(bytes.data()) + fields,
                  header.fieldsBytes};
  for (const Place &place : places)
    entry.sections.push_back(bytes.subspan(place.offset, place.bytes));
  return entry;
}

} // namespace

Status cache::writeEntry(const std::string &path, std::string_view fields,
                         std::span<const CacheSection> sections) {
  const Layout layout(fields, sections);
  // Beyond this limit the system would end the process.
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      layout.fileBytes() > limit.rlim_cur)
    return fileError("write", path, EFBIG);
  TANDEM_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path, 0600));
  TANDEM_RETURN_IF_ERROR(layout.write(file));
  return file.commit();
}

Expected<Descriptor> cache::writeEntry(std::string_view fields,
                                       std::span<const CacheSection> sections) {
  TANDEM_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::create("tandem-entry"));
  TANDEM_RETURN_IF_ERROR(Layout(fields, sections).write(file));
  return std::move(file).seal();
}

/// The parts of a mapped entry, which holds the mapping.
static Expected<EntryFile> parseMapped(MappedBytes mapped,
                                       const std::string &path) {
  TANDEM_ASSIGN_OR_RETURN(EntryFile entry, parse(mapped.bytes, path));
  entry.owner = std::move(mapped.owner);
  return entry;
}

Expected<EntryFile> cache::openEntry(const std::string &path, bool markUse,
                                     bool *isThere) {
  const Descriptor file = openToRead(path);
  *isThere = file || errno != ENOENT;
  if (!file)
    return fileError("read", path, errno);
  TANDEM_RETURN_IF_ERROR(checkFile(file.get(), path));
  Expected<MappedBytes> mapped = mapFile(file.get());
  if (!mapped)
    return bad(path, mapped.error().message);
  TANDEM_ASSIGN_OR_RETURN(EntryFile entry,
                          parseMapped(std::move(*mapped), path));
  if (markUse)
    (void)futimens(file.get(), nullptr); // Of no use where it cannot be.
  return entry;
}

Expected<EntryFile> cache::openEntry(int descriptor) {
  TANDEM_ASSIGN_OR_RETURN(MappedBytes mapped, mapSealed(descriptor));
  return parseMapped(std::move(mapped), "an answer");
}

std::string cache::readFields(const std::string &path) {
  const Descriptor file = openToRead(path);
  Header header;
  if (!file || !checkFile(file.get(), path) ||
      read(file.get(), &header, sizeof header) != sizeof header ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.fieldsBytes > (uint64_t(1) << 20))
    return {};
  std::string fields(header.fieldsBytes, '\0');
  const auto offset = static_cast<off_t>(
      sizeof header + uint64_t(header.numSections) * sizeof(Place));
  if (pread(file.get(), fields.data(), fields.size(), offset) !=
      static_cast<ssize_t>(fields.size()))
    return {};
  return fields;
}
