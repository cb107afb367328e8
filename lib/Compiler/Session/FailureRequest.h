//===- FailureRequest.h - Kernels that are made to fail ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_FAILUREREQUEST_H
#define TANDEM_LIB_COMPILER_SESSION_FAILUREREQUEST_H

#include "tandem/Support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tandem {

/// The parsed form of CompileOptions::failKernels.
class FailureRequest {
public:
  /// Fails for an invalid regular expression.
  static Expected<FailureRequest> parse(const std::string &text);
  bool matches(size_t number, llvm::StringRef name) const;

private:
  std::optional<size_t> number;
  std::string pattern;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_FAILUREREQUEST_H
