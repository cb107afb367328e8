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

#include <cstring>

using namespace mlir;

namespace tandem {
namespace {

/// A constant beyond this is a mistake; and a splat must not exhaust memory.
constexpr int64_t kMaxConstantBytes = int64_t(1) << 34;

void copyDense(DenseElementsAttr dense, int64_t width,
               std::vector<uint8_t> &bytes) {
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::memcpy(bytes.data(), raw.data(), bytes.size());
    return;
  }
  for (size_t i = 0; i < bytes.size(); i += width)
    std::memcpy(bytes.data() + i, raw.data(), width);
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

  std::vector<uint8_t> bytes(*size);
  if (bytes.empty())
    return bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != bytes.size())
      return emitError(loc, "constant: the bytes of resource '")
             << resource.getRawHandle().getKey()
             << "' are missing or not those of " << type;
    std::memcpy(bytes.data(), blob->getData().data(), bytes.size());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return emitError(loc, "constant: elements must be dense or a resource");
  if (type.getElementType().isInteger(1)) {
    for (auto [byte, value] : llvm::zip_equal(bytes, dense.getValues<bool>()))
      byte = value;
    return bytes;
  }
  copyDense(dense, byteWidth(slotType.dtype), bytes);
  return bytes;
}

} // namespace tandem
