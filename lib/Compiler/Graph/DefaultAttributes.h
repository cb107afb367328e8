//===- DefaultAttributes.h - What an op leaves out -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPH_DEFAULTATTRIBUTES_H
#define TANDEM_LIB_COMPILER_GRAPH_DEFAULTATTRIBUTES_H

#include "tandem/Support/ShapeRules.h"

#include <span>

namespace tandem {

/// Sets empty attributes of a convolution or a pooling op to the defaults of
/// the dialect's textual form: strides and dilations are 1, pads are 0. Empty
/// layouts have the channels first: "NCHW" and "OIHW" for 4 dims.
void fillDefaults(OpDesc &op, std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPH_DEFAULTATTRIBUTES_H
