//===- Errors.cpp - Errors of the C API -----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace tandem;

/// Made when the library is loaded, and never released: it must not need
/// memory. Its texts are short enough to be stored in the strings themselves.
static TandemError &exhausted =
    *new TandemError{{"out of memory", "allocate", {}, {}}, "out of memory"};

TandemError *capi::outOfMemory() noexcept { return &exhausted; }

TandemError *capi::makeError(Error error) noexcept {
  try {
    auto handle = std::make_unique<TandemError>();
    handle->text = error.str();
    handle->error = std::move(error);
    return handle.release();
  } catch (...) {
    return outOfMemory();
  }
}

const char *tandemErrorPhase(const TandemError *error) {
  return error ? error->error.phase.c_str() : "";
}
const char *tandemErrorMessage(const TandemError *error) {
  return error ? error->error.message.c_str() : "";
}
const char *tandemErrorLocation(const TandemError *error) {
  return error ? error->error.location.c_str() : "";
}
const char *tandemErrorHint(const TandemError *error) {
  return error ? error->error.hint.c_str() : "";
}
const char *tandemErrorText(const TandemError *error) {
  return error ? error->text.c_str() : "";
}
void tandemErrorRelease(TandemError *error) {
  if (error != &exhausted)
    delete error;
}
