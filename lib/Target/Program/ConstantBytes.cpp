//===- ConstantBytes.cpp - Attributes to bytes ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantBytes.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <sys/mman.h>

using namespace mlir;

namespace tandem {
namespace {

/// A constant beyond this is a mistake; and a splat must not exhaust memory.
constexpr int64_t kMaxConstantBytes = int64_t(1) << 34;

/// Weights may be hundreds of megabytes, of which the pages of the copy would
/// take longer to come by, one after the other, than the bytes to move.
std::vector<uint8_t> copyOf(ArrayRef<char> bytes) {
  constexpr uint64_t hugePage = uint64_t(2) << 20;
  std::vector<uint8_t> copy;
  copy.reserve(bytes.size());
  auto begin = reinterpret_cast<uintptr_t>(copy.data());
  uintptr_t first = llvm::alignTo(begin, hugePage),
            last = llvm::alignDown(begin + bytes.size(), hugePage);
  if (first < last) // Advice alone: may fail.
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
  auto *source = reinterpret_cast<const uint8_t *>(bytes.data());
  copy.insert(copy.end(), source, source + bytes.size());
  return copy;
}

std::vector<uint8_t> copyDense(DenseElementsAttr dense, int64_t width,
                               int64_t size) {
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return copyOf(raw);
  std::vector<uint8_t> bytes(size);
  for (int64_t i = 0; i < size; i += width)
    std::memcpy(bytes.data() + i, raw.data(), width);
  return bytes;
}

std::vector<uint8_t> copyBits(DenseElementsAttr dense) {
  std::vector<uint8_t> bytes;
  bytes.reserve(dense.getNumElements());
  for (bool value : dense.getValues<bool>())
    bytes.push_back(value);
  return bytes;
}

} // namespace

FailureOr<std::vector<uint8_t>> constantBytes(ElementsAttr elements,
                                              Location loc) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || !ir::isTandemTensor(type))
    return emitError(loc, "constant: ")
           << elements.getType() << " is no type of a slot";
  ::tandem::TensorType slotType = ir::toTandemType(type);
  Expected<int64_t> size = checkedBytes(slotType);
  if (!size || *size > kMaxConstantBytes)
    return emitError(loc, "constant: ")
           << type << " needs more bytes than a constant may have";

  if (*size == 0)
    return std::vector<uint8_t>();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != *size)
      return emitError(loc, "constant: the bytes of resource '")
             << resource.getRawHandle().getKey()
             << "' are missing or not those of " << type;
    return copyOf(blob->getData());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return emitError(loc, "constant: elements must be dense or a resource");
  if (type.getElementType().isInteger(1))
    return copyBits(dense);
  return copyDense(dense, byteWidth(slotType.dtype), *size);
}

} // namespace tandem
