//===- Errors.h - Errors as Python exceptions -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_ERRORS_H
#define TANDEM_PYTHON_ERRORS_H

#include "tandem/Support/Error.h"

#include <nanobind/nanobind.h>

#include <string>

namespace tandem::python {

namespace nb = nanobind;

/// Raises `error` as a tandem.Error. The GIL must be held.
[[noreturn]] void raise(const Error &error);

/// Raises a TypeError.
[[noreturn]] void raiseType(const std::string &message);

/// Returns the value, or raises the Error.
template <typename T> T take(Expected<T> result) {
  if (!result)
    raise(result.error());
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

} // namespace tandem::python

#endif // TANDEM_PYTHON_ERRORS_H
