//===- RelayoutedConstants.cpp - What has been made of constants ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayoutedConstants.h"

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
/// The size of a huge page, in bytes, on hosts that have them. With pages of 4
/// KiB, half of the time of relayouting is spent on page faults.
constexpr size_t kHugePage = size_t(2) << 20;

/// What programs ask of their constants.
constexpr size_t kAlignment = 64;

/// Memory for `size` bytes, in huge pages where that wastes little.
std::shared_ptr<char> allocateBytes(size_t size) {
  size_t alignment = size < kHugePage ? kAlignment : kHugePage;
  size_t whole = llvm::alignTo(size, alignment);
  auto *data = static_cast<char *>(llvm::allocate_buffer(whole, alignment));
  if (alignment == kHugePage)
    madvise(data, whole, MADV_HUGEPAGE); // Advice alone: may fail.
  return {data, [=](char *memory) {
            llvm::deallocate_buffer(memory, whole, alignment);
          }};
}

DenseResourceElementsAttr
makeResource(RankedTensorType type, std::shared_ptr<char> bytes, size_t size) {
  ArrayRef<char> data(bytes.get(), size);
  // Its deleter is what holds the bytes.
  auto release = [bytes = std::move(bytes)](void *, size_t, size_t) {};
  return DenseResourceElementsAttr::get(
      type, "rearranged",
      AsmResourceBlob(data, kAlignment, std::move(release),
                      /*dataIsMutable=*/false));
}

/// Bytes of an element in memory: one of an i1, too.
size_t byteWidth(RankedTensorType type) {
  return std::max(8u, type.getElementTypeBitWidth()) / 8;
}

/// A constant that is uniqued by its elements.
ElementsAttr makeDense(RankedTensorType type, ArrayRef<char> bytes) {
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        type, SmallVector<bool>(bytes.begin(), bytes.end()));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

std::vector<int64_t> flatten(ArrayRef<StridedBox> boxes) {
  std::vector<int64_t> numbers;
  for (const StridedBox &box : boxes) {
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

RelayoutedConstants &RelayoutedConstants::of(MLIRContext *context) {
  return *context->getLoadedDialect<TandemDialect>()
              ->getRegisteredInterface<RelayoutedConstants>();
}

ElementsAttr RelayoutedConstants::get(ElementsAttr source,
                                      RankedTensorType type,
                                      ArrayRef<StridedBox> boxes, Fill fill) {
  return get(source, type, flatten(boxes), [&](MutableArrayRef<char> bytes) {
    fill(bytes);
    return true;
  });
}

ElementsAttr RelayoutedConstants::get(ArrayRef<ElementsAttr> sources,
                                      RankedTensorType type,
                                      std::vector<int64_t> numbers,
                                      TryToFill fill) {
  size_t size = type.getNumElements() * byteWidth(type);
  auto fillAndCount = [&](MutableArrayRef<char> bytes) {
    made += static_cast<int64_t>(bytes.size());
    return fill(bytes);
  };
  if (size < kSmallBytes) {
    std::vector<char> bytes(size);
    return fillAndCount(bytes) ? makeDense(type, bytes) : ElementsAttr();
  }
  Key key{{}, type.getAsOpaquePointer(), std::move(numbers)};
  for (ElementsAttr source : sources)
    std::get<0>(key).push_back(source.getAsOpaquePointer());
  std::optional<RelayoutedBytes::Key> derivation;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (ElementsAttr known = constants[key])
      return known;
    derivation = derive(sources, type, std::get<2>(key));
  }
  auto make = [&] {
    std::shared_ptr<char> bytes = allocateBytes(size);
    return fillAndCount({bytes.get(), size}) ? bytes : nullptr;
  };
  std::shared_ptr<char> bytes =
      derivation ? rearranged->get(*derivation, make) : make();
  if (!bytes)
    return {};
  auto resource = makeResource(type, bytes, size);
  std::lock_guard<std::mutex> lock(mutex);
  ElementsAttr &constant = constants[key];
  if (constant) // Another thread was first.
    return constant;
  constant = resource;
  kept[bytes.get()] = {size, bytes, std::move(derivation)};
  return constant;
}

/// Appends the number of numbers, and the numbers.
static void append(RelayoutedBytes::Key &key, ArrayRef<int64_t> numbers) {
  key.push_back(static_cast<int64_t>(numbers.size()));
  llvm::append_range(key, numbers);
}

bool RelayoutedConstants::addDerivation(ElementsAttr source,
                                        RelayoutedBytes::Key &key) {
  ArrayRef<char> bytes = getRawData(source);
  const Kept *from = find(bytes);
  if (from && !from->derivation)
    return false;
  if (from && from->derivation->empty())
    key.push_back(reinterpret_cast<intptr_t>(bytes.data()));
  else if (from)
    llvm::append_range(key, *from->derivation);
  else if (bytes.size() < kSmallBytes) // Known by what it is.
    append(key, SmallVector<int64_t>(bytes.begin(), bytes.end()));
  else
    return false;
  append(key, cast<ShapedType>(source.getType()).getShape());
  return true;
}

std::optional<RelayoutedBytes::Key>
RelayoutedConstants::derive(ArrayRef<ElementsAttr> sources,
                            RankedTensorType type, ArrayRef<int64_t> numbers) {
  RelayoutedBytes::Key key;
  if (!rearranged)
    return std::nullopt;
  for (ElementsAttr source : sources)
    if (!addDerivation(source, key))
      return std::nullopt;
  append(key, type.getShape());
  append(key, numbers);
  return key;
}

const RelayoutedConstants::Kept *
RelayoutedConstants::find(ArrayRef<char> bytes) const {
  auto after = kept.upper_bound(bytes.data());
  if (after == kept.begin())
    return nullptr;
  const auto &[begin, range] = *std::prev(after);
  return bytes.end() <= begin + range.size ? &range : nullptr;
}

std::shared_ptr<const void>
RelayoutedConstants::findOwner(ArrayRef<char> bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  const Kept *range = find(bytes);
  return range ? range->owner : nullptr;
}

void RelayoutedConstants::share(SharedConstants shared) {
  parallelLoop = std::move(shared.parallelLoop);
  rearranged = std::move(shared.rearranged);
  std::lock_guard<std::mutex> lock(mutex);
  for (ResourceMemory &memory : shared.memory)
    kept[memory.bytes.data()] = {memory.bytes.size(), std::move(memory.owner),
                                 RelayoutedBytes::Key()};
}

void RelayoutedConstants::parallelFor(int64_t count,
                                      function_ref<void(int64_t)> body) {
  if (parallelLoop && count > 1)
    return parallelLoop(count, body);
  for (int64_t i = 0; i < count; ++i)
    body(i);
}

std::shared_ptr<char>
RelayoutedBytes::get(const Key &key,
                     function_ref<std::shared_ptr<char>()> make) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    entry = &entries[key];
  }
  std::lock_guard<std::mutex> lock(entry->mutex);
  std::shared_ptr<char> bytes = entry->bytes.lock();
  if (bytes)
    return bytes;
  ++entry->made;
  entry->bytes = bytes = make();
  return bytes;
}

RelayoutedBytes::Count RelayoutedBytes::count() {
  std::lock_guard<std::mutex> lock(mutex);
  Count count;
  for (auto &[key, entry] : entries) {
    std::lock_guard<std::mutex> lock(entry.mutex);
    count.made += entry.made;
    count.held += entry.bytes.expired() ? 0 : 1;
  }
  return count;
}

ElementsAttr getComputed(ArrayRef<ElementsAttr> sources, RankedTensorType type,
                         StringRef computation,
                         function_ref<bool(MutableArrayRef<char>)> fill) {
  return RelayoutedConstants::of(type.getContext())
      .get(sources, type,
           std::vector<int64_t>(computation.begin(), computation.end()), fill);
}

void share(MLIRContext *context, SharedConstants shared) {
  RelayoutedConstants::of(context).share(std::move(shared));
}

void parallelFor(MLIRContext *context, int64_t count,
                 function_ref<void(int64_t)> body) {
  RelayoutedConstants::of(context).parallelFor(count, body);
}

int64_t countRelayoutedBytes(MLIRContext *context) {
  return RelayoutedConstants::of(context).bytesMade();
}

std::shared_ptr<const void> findOwner(MLIRContext *context,
                                      ArrayRef<char> bytes) {
  if (!context->getLoadedDialect<TandemDialect>())
    return nullptr;
  return RelayoutedConstants::of(context).findOwner(bytes);
}

} // namespace tandem::ir
