//===- ByteProducts.cpp - How 8-bit integers are multiplied --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ByteProducts.h"

using namespace mlir;

namespace tandem {

/// The smallest number of i32 lanes for which the instructions exist.
static constexpr int64_t kLeastLanes = 4;

ByteProducts chooseByteProducts(const CoreModel &core, int64_t width,
                                bool isDataSigned) {
  if (width < kLeastLanes)
    return ByteProducts::Lanes;
  if (core.hasVNNI && !isDataSigned)
    return ByteProducts::Quads;
  return core.hasWordPairs ? ByteProducts::Words : ByteProducts::Lanes;
}

bool multipliesWords(const Contraction &contraction, const CoreModel &core,
                     int64_t width) {
  const ElementFormat format = contraction.getFormat();
  return format.isBytes() && format.compute.isInteger() &&
         contraction.inputsTogether == format.packedInputs &&
         chooseByteProducts(core, width,
                            !contraction.dataType.isUnsignedInteger()) ==
             ByteProducts::Words;
}

Type getCopyType(const ElementFormat &format) {
  constexpr unsigned kWordBits = 16;
  return format.compute.isInteger()
             ? IntegerType::get(format.compute.getContext(), kWordBits)
             : format.compute;
}

} // namespace tandem
