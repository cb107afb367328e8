//===- OpErrors.h - What single ops do to errors ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPERRORS_H
#define TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPERRORS_H

#include "tandem/Support/ShapeRules.h"

namespace tandem::tiering {

/// The largest magnitude of an argument that is expected of functions which
/// amplify errors by it: exponents and angles.
inline constexpr double kArgument = 16;

/// Whether a small error of an operand may change the result as a whole.
bool jumps(const OpDesc &op, const TensorType &result);

/// |x f'(x) / f(x)|, or |x f'(x)| beside the largest |f|: by how much a
/// function amplifies a relative error.
double amplification(OpKind kind);

/// Whether the result's error is relative to each element where the operands'
/// errors are. Sums cancel, and so do functions with zeros besides 0.
bool preservesRelativeError(OpKind kind);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPERRORS_H
