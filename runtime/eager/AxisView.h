//===- AxisView.h - The lines of a tensor along a dim -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_AXISVIEW_H
#define TANDEM_RUNTIME_EAGER_AXISVIEW_H

#include "tandem/Support/TensorType.h"

namespace tandem::eager {

/// The lines of a dense tensor along a dim: element j of line (i, k) is at
/// (i * size + j) * inner + k.
struct AxisView {
  AxisView(const Shape &shape, int64_t axis)
      : outer(Shape(shape.span().first(axis)).numElements()),
        size(shape[static_cast<int>(axis)]),
        inner(Shape(shape.span().subspan(axis + 1)).numElements()) {}

  int64_t outer, size, inner;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_AXISVIEW_H
