//===- Relayout.cpp - Elements of constants in another order --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/Relayout.h"

#include "RelayoutedConstants.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using namespace mlir;

namespace tandem::ir {
namespace {

/// The number of lines that are read side by side where the source has to be
/// read across its lines.
constexpr int64_t kLines = 32;
/// The number of elements of each line that are read at a time.
constexpr int64_t kTile = 16;
/// The number of bytes that are worth a task of their own: some 100 us.
constexpr int64_t kTaskBytes = int64_t(1) << 20;

struct Dim {
  int64_t size, sourceStride, resultStride;
};

/// Orders the dims as loops, outermost first. The order is that of the source,
/// so that it is read in long runs, except for the two innermost loops: the dim
/// that is contiguous in the source, and the one that is contiguous in the
/// result.
SmallVector<Dim> orderLoops(const StridedBox &box) {
  SmallVector<Dim> dims;
  for (auto [size, source, result] :
       llvm::zip_equal(box.sizes, box.sourceStrides, box.resultStrides))
    if (size != 1)
      dims.push_back({size, source, result});
  llvm::stable_sort(dims, [](const Dim &a, const Dim &b) {
    return a.sourceStride > b.sourceStride;
  });
  auto *inner =
      llvm::find_if(dims, [](const Dim &dim) { return dim.resultStride == 1; });
  Dim run = inner == dims.end() ? Dim{1, 1, 1} : *inner;
  if (inner != dims.end())
    dims.erase(inner);
  if (dims.empty())
    dims.push_back({1, 1, 1});
  dims.push_back(run);
  return dims;
}

/// An element of the source, at any address.
template <typename T>
using Source = llvm::support::detail::packed_endian_specific_integral<
    T, llvm::endianness::native, llvm::support::unaligned>;

/// Reads `count` elements of each of up to kLines lines, and writes runs across
/// the lines. Elements are copied to a buffer in between, because lines whose
/// distance is a power of two do not stay in the first-level cache together.
template <typename T>
void copyTile(const Source<T> *from, T *to, const Dim &line, const Dim &run,
              int64_t count) {
  T tile[kLines][kTile];
  for (int64_t j = 0; j < run.size; ++j)
    std::memcpy(tile[j], from + j * run.sourceStride, count * sizeof(T));
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < run.size; ++j)
      to[i * line.resultStride + j] = tile[j][i];
}

template <typename T>
void copyRuns(const Source<T> *from, T *to, const Dim &line, const Dim &run) {
  if (run.sourceStride != 1 && line.sourceStride == 1) {
    for (int64_t i = 0; i < line.size; i += kTile)
      copyTile<T>(from + i, to + i * line.resultStride, line, run,
                  std::min(kTile, line.size - i));
    return;
  }
  for (int64_t i = 0; i < line.size; ++i) {
    const Source<T> *source = from + i * line.sourceStride;
    T *result = to + i * line.resultStride;
    if (run.sourceStride == 1)
      std::memcpy(result, source, run.size * sizeof(T));
    else
      for (int64_t j = 0; j < run.size; ++j)
        result[j] = source[j * run.sourceStride];
  }
}

template <typename T>
void copyLoops(const Source<T> *from, T *to, ArrayRef<Dim> dims) {
  if (dims.size() == 2)
    return copyRuns<T>(from, to, dims[0], dims[1]);
  const Dim &dim = dims.front();
  for (int64_t i = 0; i < dim.size; ++i)
    copyLoops<T>(from + i * dim.sourceStride, to + i * dim.resultStride,
                 dims.drop_front());
}

template <typename T>
void copyBox(const char *source, char *result, const StridedBox &box) {
  if (llvm::is_contained(box.sizes, 0))
    return;
  const auto *from =
      reinterpret_cast<const Source<T> *>(source) + box.sourceOffset;
  T *to = reinterpret_cast<T *>(result) + box.resultOffset;
  SmallVector<Dim> dims = orderLoops(box);
  Dim run = dims.back();
  int64_t step = run.sourceStride == 1 ? run.size : kLines;
  for (int64_t first = 0; first < run.size; first += step) {
    dims.back().size = std::min(step, run.size - first);
    copyLoops<T>(from + first * run.sourceStride, to + first, dims);
  }
}

void copyBox(const char *source, char *result, const StridedBox &box,
             int64_t width) {
  switch (width) {
  case 1:
    return copyBox<uint8_t>(source, result, box);
  case 2:
    return copyBox<uint16_t>(source, result, box);
  case 4:
    return copyBox<uint32_t>(source, result, box);
  default:
    return copyBox<uint64_t>(source, result, box);
  }
}

/// Divides a box into the parts that tasks copy, and appends them. The box is
/// cut along the dim along which the lines of the source are the farthest
/// apart. A part has at least as many lines as are read side by side.
void split(const StridedBox &box, int64_t width,
           SmallVectorImpl<StridedBox> &parts) {
  int64_t bytes = llvm::product_of(box.sizes) * width;
  if (bytes < 2 * kTaskBytes)
    return parts.push_back(box);
  auto strideOf = [&](size_t dim) {
    return box.sizes[dim] == 1 ? -1 : box.sourceStrides[dim];
  };
  size_t outer = 0;
  for (size_t dim = 1; dim < box.sizes.size(); ++dim)
    if (strideOf(dim) > strideOf(outer))
      outer = dim;
  int64_t size = box.sizes[outer];
  int64_t step = std::max(kLines, size / (bytes / kTaskBytes));
  for (int64_t first = 0; first < size; first += step) {
    StridedBox &part = parts.emplace_back(box);
    part.sizes[outer] = std::min(step, size - first);
    part.sourceOffset += first * box.sourceStrides[outer];
    part.resultOffset += first * box.resultStrides[outer];
  }
}

void clear(RelayoutedConstants &constants, MutableArrayRef<char> bytes) {
  auto size = static_cast<int64_t>(bytes.size());
  constants.parallelFor(llvm::divideCeilSigned(size, kTaskBytes),
                        [&](int64_t task) {
                          int64_t first = task * kTaskBytes;
                          std::memset(bytes.data() + first, 0,
                                      std::min(kTaskBytes, size - first));
                        });
}

} // namespace

ArrayRef<char> getRawData(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

ElementsAttr rearrange(ElementsAttr source, RankedTensorType type,
                       ArrayRef<StridedBox> boxes) {
  unsigned bits = type.getElementTypeBitWidth();
  ArrayRef<char> from = getRawData(source);
  int64_t width = bits / 8;
  bool isSplat = source.isSplat();
  int64_t held = isSplat ? 1 : source.getNumElements();
  if (bits % 8 != 0 || static_cast<int64_t>(from.size()) != held * width)
    return {};
  int64_t copied = 0;
  SmallVector<StridedBox> given(boxes);
  for (StridedBox &box : given) {
    copied += llvm::product_of(box.sizes);
    if (!isSplat)
      continue;
    box.sourceOffset = 0;
    llvm::fill(box.sourceStrides, 0);
  }
  if (isSplat && copied == type.getNumElements())
    return DenseElementsAttr::getFromRawBuffer(type, from);
  auto &constants = RelayoutedConstants::of(type.getContext());
  auto fill = [&](MutableArrayRef<char> bytes) {
    if (copied < type.getNumElements())
      clear(constants, bytes);
    SmallVector<StridedBox> parts;
    for (const StridedBox &box : given)
      split(box, width, parts);
    constants.parallelFor(parts.size(), [&](int64_t i) {
      copyBox(from.data(), bytes.data(), parts[i], width);
    });
  };
  return constants.get(source, type, boxes, fill);
}

ElementsAttr transpose(ElementsAttr source, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation) && !getRawData(source).empty())
    return source;
  auto from = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> strides = getStrides(from.getShape());
  StridedBox box;
  for (int64_t dim : permutation) {
    box.sizes.push_back(from.getDimSize(dim));
    box.sourceStrides.push_back(strides[dim]);
  }
  box.resultStrides = getStrides(box.sizes);
  auto type = RankedTensorType::get(box.sizes, from.getElementType());
  return rearrange(source, type, box);
}

ElementsAttr reshape(ElementsAttr source, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(source))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(source))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}

} // namespace tandem::ir
