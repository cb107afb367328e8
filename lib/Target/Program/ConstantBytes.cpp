//===- ConstantBytes.cpp - Attributes to bytes ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantBytes.h"

#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tandem {
namespace {

/// A constant beyond this is a mistake; and a splat must not exhaust memory.
constexpr int64_t kMaxConstantBytes = int64_t(1) << 34;

/// The bytes at hand, of one element for a splat; null, with an error, where
/// there are not as many as `type` takes.
FailureOr<ArrayRef<char>> givenBytes(ElementsAttr elements, int64_t size,
                                     Location loc) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource)
    return emitError(loc, "constant: elements must be dense or a resource");
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || static_cast<int64_t>(blob->getData().size()) != size)
    return emitError(loc, "constant: the bytes of resource '")
           << resource.getRawHandle().getKey()
           << "' are missing or not those of " << elements.getType();
  return blob->getData();
}

/// Empty where they cannot be shared.
Tensor shareBytes(MLIRContext *context, const ::tandem::TensorType &type,
                  ArrayRef<char> bytes) {
  std::shared_ptr<const void> owner = ir::findOwner(context, bytes);
  if (!owner)
    return {};
  return Tensor::share(type, {std::const_pointer_cast<void>(owner),
                              const_cast<char *>(bytes.data())});
}

/// Fills `result` with the one element, or with all of them.
void repeat(ArrayRef<char> elements, MutableArrayRef<char> result) {
  for (size_t i = 0; i < result.size(); i += elements.size())
    llvm::copy(elements, result.begin() + i);
}

} // namespace

FailureOr<Tensor> constantBytes(ElementsAttr elements, Location loc) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || !ir::isTandemTensor(type))
    return emitError(loc, "constant: ")
           << elements.getType() << " is no type of a slot";
  ::tandem::TensorType slotType = ir::toTandemType(type);
  Expected<int64_t> size = checkedBytes(slotType);
  if (!size || *size > kMaxConstantBytes)
    return emitError(loc, "constant: ")
           << type << " needs more bytes than a constant may have";

  FailureOr<ArrayRef<char>> given = ArrayRef<char>();
  if (*size > 0)
    given = givenBytes(elements, *size, loc);
  if (failed(given))
    return failure();
  if (Tensor shared = shareBytes(type.getContext(), slotType, *given))
    return shared;
  Expected<Tensor> copy = Tensor::allocate(slotType);
  if (!copy)
    return emitError(loc, "constant: ") << copy.error().message;
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (dense && type.getElementType().isInteger(1))
    llvm::copy(dense.getValues<bool>(), copy->as<bool>());
  else
    repeat(*given, {copy->as<char>(), static_cast<size_t>(*size)});
  return *copy;
}

} // namespace tandem
