//===- Backend.h - Descriptors of cuDNN's backend API -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_BACKEND_H
#define TANDEM_RUNTIME_EAGER_CUDNN_BACKEND_H

#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Support/TensorType.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tandem::cudnn {

// The enumerations, each a namespace of the numbers in CUDNNConstants.def, as
// the API takes all of them as int.
#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  namespace enumeration {                                                      \
  inline constexpr int name = value;                                           \
  }
#include "tandem/Runtime/Libraries/CUDNNConstants.def"
#undef TANDEM_CONSTANT

/// cudnnDataType_t of a float type, i8 or i32; none of other types.
std::optional<int> dataTypeOf(DType dtype);

/// The Error of a call that returned `result`: `what` failed, cuDNN's name for
/// it, and as hint the library's last message of this thread.
tl::unexpected<Error> failure(const cuda::CUDNN &library, cuda::Result result,
                              std::string_view what);

/// A descriptor of the backend, destroyed with this. Calls are chained: after
/// one that fails the rest do nothing, and finalize returns its Error. Once it
/// is finalised a descriptor is immutable, and other descriptors keep what they
/// need of it.
class Descriptor {
public:
  Descriptor(const cuda::CUDNN &library, int kind);
  Descriptor(Descriptor &&other) noexcept
      : library(other.library), handle(std::exchange(other.handle, nullptr)),
        status(std::move(other.status)) {}
  Descriptor &operator=(Descriptor &&) = delete;
  ~Descriptor();

  Descriptor &setRaw(int attribute, int type, int64_t count,
                     const void *elements);
  Descriptor &set(int attribute, int type, int value) {
    return setRaw(attribute, type, 1, &value);
  }
  Descriptor &set(int attribute, int64_t value) {
    return setRaw(attribute, Type::int64, 1, &value);
  }
  Descriptor &set(int attribute, std::span<const int64_t> values) {
    return setRaw(attribute, Type::int64, int64_t(values.size()),
                  values.data());
  }
  Descriptor &set(int attribute, const Descriptor &other) {
    return setRaw(attribute, Type::descriptor, 1, &other.handle);
  }
  Descriptor &set(int attribute, cudnnContext *context) {
    return setRaw(attribute, Type::handle, 1, &context);
  }
  /// `what` is what an Error calls the descriptor.
  Status finalize(std::string_view what);

  /// Reads an attribute into `elements`, which has room for `count`. Returns
  /// how many there are, of which no more than `count` are written; none where
  /// the library fails.
  std::optional<int64_t> get(int attribute, int type, int64_t count,
                             void *elements) const;
  std::optional<int64_t> getInt64(int attribute) const;
  /// All elements of an enumeration.
  std::vector<int> getEnumerators(int attribute, int type) const;

  /// All descriptors of a list, of this kind; at most `most` of those of which
  /// the library does not say how many there are.
  std::vector<Descriptor>
  getDescriptors(int attribute, int kind,
                 std::optional<int64_t> most = std::nullopt) const;

  void *get() const { return handle; }

private:
  const cuda::CUDNN &library;
  void *handle = nullptr;
  Status status;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_BACKEND_H
