//===- Handles.h - What the C API's handles are -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CAPI_HANDLES_H
#define TANDEM_LIB_CAPI_HANDLES_H

#include "tandem-c/Tandem.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>

struct TandemError {
  tandem::Error error;
  std::string text;
};

struct TandemTensor {
  tandem::Tensor tensor;
};

struct TandemFunction {
  std::unique_ptr<tandem::Function> function;
  /// The declared types of the inputs and outputs.
  std::vector<tandem::TensorType> inputs, outputs;
  /// The graph and the options that `function` was made from.
  std::unique_ptr<tandem::Graph> graph;
  tandem::CompileOptions compile;
  tandem::TieringOptions tiering;
};

namespace tandem::capi {

/// A handle on the error; the one of exhausted memory where there is none left.
TandemError *makeError(Error error) noexcept;
TandemError *outOfMemory() noexcept;

/// Runs the body of a function of the API, which returns a Status, so that
/// nothing is thrown across it.
template <typename Body> TandemError *guarded(Body body) noexcept {
  try {
    Status status = body();
    return status ? nullptr : makeError(std::move(status.error()));
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &exception) {
    return makeError({exception.what(), "internal", {}, {}});
  } catch (...) {
    return makeError({"an unknown exception", "internal", {}, {}});
  }
}

/// An Error where an argument is null.
inline Status checkArgument(const void *argument, const char *name) {
  if (!argument)
    return fail("input", std::string(name) + " is null");
  return {};
}

/// The text of an optional string.
inline std::string textOf(const char *text) { return text ? text : ""; }

inline Status checkStructSize(size_t size, const char *name) {
  if (size < sizeof(size_t))
    return fail("input", std::string(name) + "->structSize is " +
                             std::to_string(size) +
                             "; it must be sizeof the struct");
  return {};
}

/// A struct as this version of the API knows it, of a caller who may know an
/// older or a newer one. Fails where a field that is not known here is set.
template <typename T> Expected<T> readStruct(const T *given, const char *name) {
  TANDEM_RETURN_IF_ERROR(checkStructSize(given->structSize, name));
  T result{};
  const size_t size = given->structSize;
  const auto *bytes = reinterpret_cast<const std::byte *>(given);
  std::memcpy(&result, bytes, std::min(size, sizeof(T)));
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != std::byte(0))
      return fail("input", std::string(name) +
                               " has fields that this version does not know");
  return result;
}

/// Fills as much of a caller's struct as the caller knows, but for its size.
template <typename T>
Status writeStruct(const T &from, T *to, const char *name) {
  TANDEM_RETURN_IF_ERROR(checkStructSize(to->structSize, name));
  const size_t begin = sizeof(size_t);
  std::memcpy(reinterpret_cast<std::byte *>(to) + begin,
              reinterpret_cast<const std::byte *>(&from) + begin,
              std::min(to->structSize, sizeof(T)) - begin);
  return {};
}

/// The type that a description gives, apart from its memory.
Expected<TensorType> typeOf(const TandemTensorDesc &desc);

/// The types that an array of descriptions gives.
Expected<std::vector<TensorType>>
signatureOf(const TandemTensorDesc *const *inputs, size_t numInputs);

/// The name that options take for the device with this memory; null for the
/// host's.
const char *deviceNameOf(const Device *memory);

} // namespace tandem::capi

#endif // TANDEM_LIB_CAPI_HANDLES_H
