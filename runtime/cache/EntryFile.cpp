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

#include "tandem/Runtime/Tensor.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
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

/// Where a section is in the file.
struct Place {
  uint64_t offset = 0, bytes = 0;
};

uint64_t alignUp(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

tl::unexpected<Error> bad(const std::string &path, const std::string &why) {
  return fail("read", path + ": " + why);
}

/// Closes a file.
struct Descriptor {
  explicit Descriptor(const std::string &path)
      : number(open(path.c_str(),
                    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  const int number;
};

/// A file that only this user can write to.
Expected<uint64_t> checkFile(int descriptor, const std::string &path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return fileError("read", path, errno);
  if (!S_ISREG(info.st_mode))
    return bad(path, "not a file");
  if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return bad(path, "other users can write to it");
  return static_cast<uint64_t>(info.st_size);
}

/// The bytes of an entry while it is written, in pieces that are hashed and
/// written in this order.
class Layout {
public:
  Layout(std::string_view fields, std::span<const CacheSection> sections);
  Status write(AtomicFile &file) const;
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

Status Layout::write(AtomicFile &file) const {
  TANDEM_RETURN_IF_ERROR(file.write(&header, sizeof header));
  for (CacheSection piece : pieces)
    TANDEM_RETURN_IF_ERROR(file.write(piece.data(), piece.size()));
  return file.commit();
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
  return layout.write(file);
}

Expected<EntryFile> cache::openEntry(const std::string &path, bool markUse,
                                     bool *isThere) {
  const Descriptor file(path);
  *isThere = file.number >= 0 || errno != ENOENT;
  if (file.number < 0)
    return fileError("read", path, errno);
  TANDEM_ASSIGN_OR_RETURN(const uint64_t size, checkFile(file.number, path));
  if (size < sizeof(Header))
    return bad(path, "it is truncated");
  // All pages at once, for all are read.
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE,
                      file.number, 0);
  if (mapped == MAP_FAILED)
    return fileError("read", path, errno);
  std::shared_ptr<const void> owner(
      mapped, [size](const void *p) { munmap(const_cast<void *>(p), size); });
  TANDEM_ASSIGN_OR_RETURN(
      EntryFile entry,
      parse({static_cast<const uint8_t *>(mapped), size}, path));
  entry.owner = std::move(owner);
  if (markUse)
    (void)futimens(file.number, nullptr); // Of no use where it cannot be.
  return entry;
}

std::string cache::readFields(const std::string &path) {
  const Descriptor file(path);
  Header header;
  if (file.number < 0 || !checkFile(file.number, path) ||
      read(file.number, &header, sizeof header) != sizeof header ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.fieldsBytes > (uint64_t(1) << 20))
    return {};
  std::string fields(header.fieldsBytes, '\0');
  const auto offset = static_cast<off_t>(
      sizeof header + uint64_t(header.numSections) * sizeof(Place));
  if (pread(file.number, fields.data(), fields.size(), offset) !=
      static_cast<ssize_t>(fields.size()))
    return {};
  return fields;
}
