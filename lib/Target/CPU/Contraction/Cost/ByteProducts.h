//===- ByteProducts.h - How 8-bit integers are multiplied ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_BYTEPRODUCTS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_BYTEPRODUCTS_H

#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// A way to multiply quads of integers of 8 bits and to add the four products
/// to an i32. No way saturates: all sums are exact modulo 2^32.
enum class ByteProducts {
  /// vpdpbusd, which takes unsigned data and signed weights.
  Quads,
  /// vpmaddwd, applied separately to the even and to the odd bytes of quads,
  /// which are widened to 16 bits. Tiles widen the quads that they load, or
  /// find them widened in copies of the data or of the weights that a task made
  /// (getCopyType).
  Words,
  /// One multiplication of i32 for each byte of a quad. Works on any processor.
  Lanes
};

/// Returns the fastest way to multiply vectors of `width` quads for which
/// `core` has the instructions.
ByteProducts chooseByteProducts(const CoreModel &core, int64_t width,
                                bool isDataSigned);

/// Whether tiles of `width` outputs multiply quads as ByteProducts::Words.
bool multipliesWords(const Contraction &contraction, const CoreModel &core,
                     int64_t width);

/// The element type of copies that tasks make of data and weights: the compute
/// type if that is a float. If bytes are summed in i32, it is i16, and each
/// quad is copied as its even bytes followed by its odd bytes.
mlir::Type getCopyType(const ElementFormat &format);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_BYTEPRODUCTS_H
