//===- FashionMNIST.cpp - Reads Fashion-MNIST -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FashionMNIST.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

using namespace tandem;

/// The unpacked bytes of a file.
static Expected<std::vector<uint8_t>> unpack(const std::string &path) {
  std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"),
                                                     gzclose);
  if (!file)
    return fail("read", path + ": the file cannot be opened",
                "install the package dataset-fashion-mnist");
  std::vector<uint8_t> bytes;
  constexpr unsigned kChunk = 1 << 20;
  for (;;) {
    const size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const int count = gzread(file.get(), bytes.data() + size, kChunk);
    int code = Z_OK;
    const char *message = gzerror(file.get(), &code);
    if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
      return fail("read", path + ": " + message);
    bytes.resize(size + size_t(count));
    if (count == 0)
      return bytes;
  }
}

/// The elements of a file in IDX format: two zero bytes, the type 8 (bytes),
/// the rank, the sizes as big-endian words of 32 bits, and the elements.
static Expected<std::vector<uint8_t>> readIDX(const std::string &path, int rank,
                                              size_t &count) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, unpack(path));
  const size_t head = 4 + 4 * size_t(rank);
  const uint8_t magic[] = {0, 0, 8, uint8_t(rank)};
  if (bytes.size() < head || !std::equal(magic, magic + 4, bytes.begin()))
    return fail("read", path + ": this is no IDX file of " +
                            std::to_string(rank) + " dims of bytes");
  uint64_t elements = 1;
  for (int dim = 0; dim < rank; ++dim) {
    uint32_t size = 0;
    for (int i = 0; i < 4; ++i)
      size = size << 8 | bytes[size_t(4 + 4 * dim + i)];
    if (dim == 0)
      count = size;
    else if (size != 28)
      return fail("read", path + ": the images are not 28 x 28");
    elements *= size;
  }
  if (elements != bytes.size() - head)
    return fail("read", path + ": " + std::to_string(bytes.size() - head) +
                            " bytes for " + std::to_string(elements));
  bytes.erase(bytes.begin(), bytes.begin() + int64_t(head));
  return bytes;
}

Expected<Dataset> readFashionMNIST(const std::string &folder,
                                   const std::string &part) {
  const std::string path = folder + "/" + part;
  Dataset data;
  size_t numImages = 0, numLabels = 0;
  TANDEM_ASSIGN_OR_RETURN(
      data.images, readIDX(path + "-images-idx3-ubyte.gz", 3, numImages));
  TANDEM_ASSIGN_OR_RETURN(
      std::vector<uint8_t> labels,
      readIDX(path + "-labels-idx1-ubyte.gz", 1, numLabels));
  if (numImages != numLabels)
    return fail("read", path + ": " + std::to_string(numLabels) +
                            " labels for " + std::to_string(numImages) +
                            " images");
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] > 9)
      return fail("read", path + ": the label of image " + std::to_string(i) +
                              " is " + std::to_string(labels[i]) +
                              ", but classes are 0 to 9");
  data.labels.assign(labels.begin(), labels.end());
  return data;
}

void prepare(const Dataset &data, std::span<const int64_t> numbers,
             std::vector<float> &result) {
  constexpr int kSize = 28, kPadded = 32, kArea = kPadded * kPadded;
  const auto normalize = [](float grey) {
    return (grey / 255 - 0.2190f) / 0.3318f;
  };
  result.assign(numbers.size() * 3 * kArea, normalize(0));
  for (size_t n = 0; n < numbers.size(); ++n) {
    const uint8_t *image = &data.images[size_t(numbers[n]) * kSize * kSize];
    float *planes = &result[n * 3 * kArea];
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x)
        planes[(y + 2) * kPadded + x + 2] = normalize(image[y * kSize + x]);
    std::copy_n(planes, kArea, planes + kArea);
    std::copy_n(planes, kArea, planes + 2 * kArea);
  }
}
