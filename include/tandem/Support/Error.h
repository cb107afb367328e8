//===- Error.h - The error type of the public API ---------------*- C++ -*-===//
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

/// An error that is reported to the user. A function of the public API that can
/// fail returns Expected<T> or Status. The API never throws an exception and
/// never exposes an LLVM type.
struct Error {
  /// One sentence in lower case that names the violated constraint.
  std::string message;
  /// The phase that failed, e.g. "parse", "shape", "allocate", "execute" or
  /// "compile".
  std::string phase;
  /// The source location of the op or file, `file:line:col`. Empty if the
  /// location is unknown.
  std::string location;
  /// A suggestion for fixing the error. Empty if there is none.
  std::string hint;

  /// Returns the text `location: error: phase: message (hint)`. Empty parts are
  /// left out.
  std::string str() const;
};

/// A value of type T, or an Error if the value could not be computed.
template <typename T> using Expected = tl::expected<T, Error>;

/// Success, or an Error.
using Status = Expected<void>;

/// Creates an Error without a location, which converts to any Expected<T>.
inline tl::unexpected<Error> fail(std::string phase, std::string message,
                                  std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{std::move(message), std::move(phase), {}, std::move(hint)});
}

/// Evaluates the Status or Expected `expr`. If `expr` is an Error, returns that
/// Error from the enclosing function.
#define TANDEM_RETURN_IF_ERROR(expr)                                           \
  if (auto tandemStatus = (expr); !tandemStatus)                               \
  return tl::unexpected<::tandem::Error>(std::move(tandemStatus.error()))

#define TANDEM_CONCAT_IMPL(a, b) a##b
#define TANDEM_CONCAT(a, b) TANDEM_CONCAT_IMPL(a, b)
/// Evaluates the Expected `expr`. If `expr` has a value, assigns that value to
/// `decl`, which may declare a variable. If `expr` is an Error, returns that
/// Error from the enclosing function.
#define TANDEM_ASSIGN_OR_RETURN(decl, expr)                                    \
  auto TANDEM_CONCAT(tandemExpected, __LINE__) = (expr);                       \
  if (!TANDEM_CONCAT(tandemExpected, __LINE__))                                \
    return tl::unexpected<::tandem::Error>(                                    \
        std::move(TANDEM_CONCAT(tandemExpected, __LINE__).error()));           \
  decl = std::move(*TANDEM_CONCAT(tandemExpected, __LINE__))

} // namespace tandem

#endif // TANDEM_SUPPORT_ERROR_H
