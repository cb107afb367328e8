//===- ContiguousParts.h - Parts of tensors without gaps --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices and concats whose parts are consecutive bytes of the whole. Such a
// slice can be a view of its operand, and the operands of such a concat can be
// computed where they belong in the result.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CONTIGUOUSPARTS_H
#define TANDEM_SUPPORT_CONTIGUOUSPARTS_H

#include "tandem/Support/ShapeRules.h"

#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// Returns where the result of `slice` begins in its operand, in bytes, if the
/// result consists of consecutive bytes of the row-major operand. A dim is
/// shortened if the slice does not take all of its elements. The bytes are
/// consecutive if all dims before the last shortened dim have size 1 in the
/// result, and if the slice takes the elements of every dim of another size
/// with stride 1. Returns nothing for other slices, for empty results, and if
/// the type of the operand or a bound is dynamic. The shape rule of slice must
/// hold.
std::optional<int64_t> findContiguousSlice(const fb::SliceAttrsT &slice,
                                           const TensorType &operand);

/// Returns where each operand of a concat along `axis` begins in the result, in
/// bytes, if each is consecutive bytes of the row-major result. That is the
/// case if all dims before the axis have size 1. Returns nothing for other
/// concats and for dynamic types. The shape rule of concat must hold.
std::optional<std::vector<int64_t>>
findContiguousOperands(int64_t axis, std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_SUPPORT_CONTIGUOUSPARTS_H
