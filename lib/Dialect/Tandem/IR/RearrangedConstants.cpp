//===- RearrangedConstants.cpp - What has been made of constants ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RearrangedConstants.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemAlloc.h"

#include <sys/mman.h>

using namespace mlir;

namespace tandem::ir {
namespace {

/// Constants of fewer bytes are uniqued by their elements, which can be read.
constexpr size_t kSmallBytes = size_t(64) << 10;
/// Of a huge page on the hosts that have them: half the time of rearranging in
/// pages of 4 KiB is touching these for the first time.
constexpr size_t kHugePage = size_t(2) << 20;

/// Memory for `size` bytes, in huge pages where that wastes little.
AsmResourceBlob allocateBlob(size_t size) {
  if (size < kHugePage)
    return HeapAsmResourceBlob::allocate(size, alignof(std::max_align_t));
  size_t whole = llvm::alignTo(size, kHugePage);
  auto *data = static_cast<char *>(llvm::allocate_buffer(whole, kHugePage));
  madvise(data, whole, MADV_HUGEPAGE); // Advice alone: may fail.
  return AsmResourceBlob(
      ArrayRef<char>(data, size), kHugePage,
      [whole](void *memory, size_t, size_t alignment) {
        llvm::deallocate_buffer(memory, whole, alignment);
      },
      /*dataIsMutable=*/true);
}

std::vector<int64_t> flatten(ArrayRef<ElementBox> boxes) {
  std::vector<int64_t> numbers;
  for (const ElementBox &box : boxes) {
    numbers.push_back(static_cast<int64_t>(box.sizes.size()));
    llvm::append_range(numbers, box.sizes);
    llvm::append_range(numbers, box.sourceStrides);
    llvm::append_range(numbers, box.resultStrides);
    numbers.push_back(box.sourceOffset);
    numbers.push_back(box.resultOffset);
  }
  return numbers;
}

} // namespace

RearrangedConstants &RearrangedConstants::of(MLIRContext *context) {
  return *context->getLoadedDialect<TandemDialect>()
              ->getRegisteredInterface<RearrangedConstants>();
}

ElementsAttr RearrangedConstants::get(ElementsAttr source,
                                      RankedTensorType type,
                                      ArrayRef<ElementBox> boxes, Fill fill) {
  size_t size = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  if (size < kSmallBytes) {
    std::vector<char> bytes(size);
    fill(bytes);
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  Key key{source.getAsOpaquePointer(), type.getAsOpaquePointer(),
          flatten(boxes)};
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (ElementsAttr known = constants[key])
      return known;
  }
  AsmResourceBlob blob = allocateBlob(size);
  fill(blob.getMutableData());
  auto made =
      DenseResourceElementsAttr::get(type, "rearranged", std::move(blob));
  std::lock_guard<std::mutex> lock(mutex);
  ElementsAttr &kept = constants[key];
  if (!kept) // Else another thread was first.
    kept = made;
  return kept;
}

} // namespace tandem::ir
