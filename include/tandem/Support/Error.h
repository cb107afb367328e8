//===- Error.h - The error type of the runtime's edge -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_ERROR_H
#define TANDEM_SUPPORT_ERROR_H

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace tandem {

/// An error for the user. Fallible functions of the public API return
/// Expected<T>; no exception and no LLVM type crosses that boundary.
struct Error {
  /// One sentence, lower case, naming the constraint that was broken.
  std::string message;
  /// The phase that failed: "parse", "shape", "allocate", "execute", "compile"
  /// …
  std::string phase;
  /// Source location of the op or file, `file:line:col`; empty when unknown.
  std::string location;
  /// What the user can do about it; empty when nothing is known.
  std::string hint;

  /// The text `location: error: phase: message (hint)`, without the parts that
  /// are empty.
  std::string str() const;
};

/// A value, or the Error that kept it from being made.
template <typename T> using Expected = tl::expected<T, Error>;

/// Success, or an Error.
using Status = Expected<void>;

/// Makes the Error of any Expected<T>, without location.
inline tl::unexpected<Error> fail(std::string phase, std::string message,
                                  std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{std::move(message), std::move(phase), {}, std::move(hint)});
}

/// Returns from the enclosing function with the error of `expr`, if any.
#define TANDEM_RETURN_IF_ERROR(expr)                                           \
  if (auto tandemStatus = (expr); !tandemStatus)                               \
  return tl::unexpected<::tandem::Error>(std::move(tandemStatus.error()))

/// Defines `decl` as the value of `expr`, or returns its error.
#define TANDEM_CONCAT_IMPL(a, b) a##b
#define TANDEM_CONCAT(a, b) TANDEM_CONCAT_IMPL(a, b)
#define TANDEM_ASSIGN_OR_RETURN(decl, expr)                                    \
  auto TANDEM_CONCAT(tandemExpected, __LINE__) = (expr);                       \
  if (!TANDEM_CONCAT(tandemExpected, __LINE__))                                \
    return tl::unexpected<::tandem::Error>(                                    \
        std::move(TANDEM_CONCAT(tandemExpected, __LINE__).error()));           \
  decl = std::move(*TANDEM_CONCAT(tandemExpected, __LINE__))

} // namespace tandem

#endif // TANDEM_SUPPORT_ERROR_H
