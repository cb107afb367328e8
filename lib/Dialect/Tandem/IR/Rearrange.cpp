//===- Rearrange.cpp - Elements of constants in another order -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/Rearrange.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace tandem::ir {
namespace {

/// As many lines of the source are read side by side.
constexpr int64_t kRun = 32;

struct Dim {
  int64_t size, sourceStride, resultStride;
};

/// The dims in the order of loops, outermost first: as the source lies, so that
/// it is read in long runs; but innermost a run of neighbours in the result.
SmallVector<Dim> orderLoops(const ElementBox &box) {
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
  dims.push_back(run);
  return dims;
}

template <typename T>
void copyRun(const T *from, int64_t stride, T *to, int64_t size) {
  if (stride == 1) {
    std::memcpy(to, from, size * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    to[i] = from[i * stride];
}

template <typename T> void copyLoops(const T *from, T *to, ArrayRef<Dim> dims) {
  Dim dim = dims.front();
  if (dims.size() == 1)
    return copyRun(from, dim.sourceStride, to, dim.size);
  for (int64_t i = 0; i < dim.size; ++i)
    copyLoops(from + i * dim.sourceStride, to + i * dim.resultStride,
              dims.drop_front());
}

template <typename T>
void copyBox(const char *source, char *result, const ElementBox &box) {
  if (llvm::is_contained(box.sizes, 0))
    return;
  const T *from = reinterpret_cast<const T *>(source) + box.sourceOffset;
  T *to = reinterpret_cast<T *>(result) + box.resultOffset;
  SmallVector<Dim> dims = orderLoops(box);
  int64_t size = dims.back().size;
  for (int64_t first = 0; first < size; first += kRun) {
    dims.back().size = std::min(kRun, size - first);
    copyLoops(from + first * dims.back().sourceStride, to + first, dims);
  }
}

/// The bytes of `elements`: of one element for a splat.
ArrayRef<char> getRawData(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

void copyBoxes(const char *source, char *result, ArrayRef<ElementBox> boxes,
               int64_t width) {
  for (const ElementBox &box : boxes)
    switch (width) {
    case 1:
      copyBox<uint8_t>(source, result, box);
      break;
    case 2:
      copyBox<uint16_t>(source, result, box);
      break;
    case 4:
      copyBox<uint32_t>(source, result, box);
      break;
    default:
      copyBox<uint64_t>(source, result, box);
    }
}

} // namespace

SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

DenseElementsAttr rearrange(ElementsAttr source, RankedTensorType type,
                            ArrayRef<ElementBox> boxes) {
  unsigned bits = type.getElementTypeBitWidth();
  ArrayRef<char> from = getRawData(source);
  int64_t width = bits / 8;
  bool isSplat = source.isSplat();
  int64_t held = isSplat ? 1 : source.getNumElements();
  if (bits % 8 != 0 || static_cast<int64_t>(from.size()) != held * width)
    return {};
  int64_t copied = 0;
  SmallVector<ElementBox> given(boxes);
  for (ElementBox &box : given) {
    copied += llvm::product_of(box.sizes);
    if (!isSplat)
      continue;
    box.sourceOffset = 0;
    llvm::fill(box.sourceStrides, 0);
  }
  if (isSplat && copied == type.getNumElements())
    return DenseElementsAttr::getFromRawBuffer(type, from);
  size_t size = type.getNumElements() * width;
  std::unique_ptr<char[]> bytes(new char[size]);
  if (copied < type.getNumElements())
    std::memset(bytes.get(), 0, size);
  copyBoxes(from.data(), bytes.get(), given, width);
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef(bytes.get(), size));
}

DenseElementsAttr transpose(ElementsAttr source,
                            ArrayRef<int64_t> permutation) {
  auto from = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> strides = getStrides(from.getShape());
  ElementBox box;
  for (int64_t dim : permutation) {
    box.sizes.push_back(from.getDimSize(dim));
    box.sourceStrides.push_back(strides[dim]);
  }
  box.resultStrides = getStrides(box.sizes);
  auto type = RankedTensorType::get(box.sizes, from.getElementType());
  return rearrange(source, type, box);
}

} // namespace tandem::ir
