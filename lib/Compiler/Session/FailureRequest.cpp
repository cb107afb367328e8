//===- FailureRequest.cpp - Kernels that are made to fail -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/FailureRequest.h"

#include "llvm/Support/Regex.h"

using llvm::StringRef;

namespace tandem {

Expected<FailureRequest> FailureRequest::parse(const std::string &text) {
  FailureRequest request;
  if (text.empty())
    return request;
  size_t number = 0;
  if (!StringRef(text).getAsInteger(10, number)) {
    request.number = number;
    return request;
  }
  std::string message;
  if (!llvm::Regex(text).isValid(message))
    return fail("compile",
                "'" + text + "' is no regular expression: " + message,
                "kernels that are to fail are given by number or by name");
  request.pattern = "^(" + text + ")$";
  return request;
}

bool FailureRequest::matches(size_t index, StringRef name) const {
  if (number)
    return *number == index;
  return !pattern.empty() && llvm::Regex(pattern).match(name);
}

} // namespace tandem
