//===- PairedIntegers.cpp - Two integers of 4 bits in a byte --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/PairedIntegers.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/SharedConstants.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

using namespace mlir;

namespace tandem {

bool haveFourBits(ElementsAttr integers) {
  const ArrayRef<char> bytes = ir::getRawData(integers);
  return !bytes.empty() && llvm::all_of(bytes, [](char byte) {
    const auto integer = static_cast<int8_t>(byte);
    return integer >= -8 && integer <= 7;
  });
}

/// Writes the first half of the integers to the lower four bits of the bytes of
/// `to`, and the second half to the upper four bits.
static void pairIntegers(ArrayRef<char> from, MutableArrayRef<char> to) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<char>((from[i] & 15) | (from[to.size() + i] & 15) << 4);
}

ElementsAttr pairIntegers(ElementsAttr integers) {
  auto type = cast<RankedTensorType>(integers.getType());
  const ArrayRef<char> from = ir::getRawData(integers);
  SmallVector<int64_t> shape(type.getShape());
  const auto half = static_cast<size_t>(shape.back() /= 2);
  const RankedTensorType halved = type.clone(shape);
  if (integers.isSplat()) {
    char pair = 0;
    pairIntegers({from[0], from[0]}, pair);
    return DenseElementsAttr::getFromRawBuffer(halved, pair);
  }
  return ir::getComputed(
      integers, halved, "pairs of integers", [&](MutableArrayRef<char> bytes) {
        const size_t ofTask = bytes.size() / size_t(shape.front());
        ir::parallelFor(type.getContext(), shape.front(), [&](int64_t task) {
          for (size_t row = 0; row < ofTask; row += half) {
            const size_t first = size_t(task) * ofTask + row;
            pairIntegers(from.slice(2 * first, 2 * half),
                         bytes.slice(first, half));
          }
        });
        return true;
      });
}

} // namespace tandem
