//===- Backend.cpp - Descriptors of cuDNN's backend API -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

using namespace tandem;
using namespace tandem::cudnn;

std::optional<int> cudnn::dataTypeOf(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return DataType::f32;
  case DType::f64:
    return DataType::f64;
  case DType::f16:
    return DataType::f16;
  case DType::bf16:
    return DataType::bf16;
  case DType::i8:
    return DataType::i8;
  case DType::i32:
    return DataType::i32;
  case DType::i1:
  case DType::i16:
  case DType::i64:
  case DType::ui8:
  case DType::ui16:
  case DType::ui32:
  case DType::ui64:
    break;
  }
  return std::nullopt;
}

tl::unexpected<Error> cudnn::failure(const cuda::CUDNN &library,
                                     cuda::Result result,
                                     std::string_view what) {
  char message[512] = "";
  library.getLastErrorString(message, sizeof message);
  return fail("execute",
              "cuDNN " + library.version + ": " + std::string(what) + ": " +
                  library.getErrorString(result),
              message);
}

Descriptor::Descriptor(const cuda::CUDNN &library, int kind)
    : library(library) {
  if (cuda::Result result = library.createDescriptor(kind, &handle))
    status = failure(library, result, "cudnnBackendCreateDescriptor");
}

Descriptor::~Descriptor() {
  if (handle)
    library.destroyDescriptor(handle);
}

Descriptor &Descriptor::setRaw(int attribute, int type, int64_t count,
                               const void *elements) {
  if (!status)
    return *this;
  if (cuda::Result result =
          library.setAttribute(handle, attribute, type, count, elements))
    status =
        failure(library, result,
                "attribute " + std::to_string(attribute) + " cannot be set");
  return *this;
}

Status Descriptor::finalize(std::string_view what) {
  if (!status)
    return status;
  if (cuda::Result result = library.finalize(handle))
    return failure(library, result, what);
  return {};
}

std::optional<int64_t> Descriptor::get(int attribute, int type, int64_t count,
                                       void *elements) const {
  int64_t found = 0;
  if (library.getAttribute(handle, attribute, type, count, &found, elements))
    return std::nullopt;
  return found;
}

std::optional<int64_t> Descriptor::getInt64(int attribute) const {
  int64_t value = 0;
  return get(attribute, Type::int64, 1, &value) == 1 ? std::optional(value)
                                                     : std::nullopt;
}

std::vector<int> Descriptor::getEnumerators(int attribute, int type) const {
  std::vector<int> values(16);
  const int64_t found =
      get(attribute, type, int64_t(values.size()), values.data()).value_or(0);
  values.resize(std::min<size_t>(size_t(found), values.size()));
  return values;
}

std::vector<Descriptor>
Descriptor::getDescriptors(int attribute, int kind,
                           std::optional<int64_t> most) const {
  const int64_t count =
      most ? *most : get(attribute, Type::descriptor, 0, nullptr).value_or(0);
  std::vector<Descriptor> list;
  std::vector<void *> handles;
  for (int64_t i = 0; i < count; ++i)
    handles.push_back(list.emplace_back(library, kind).get());
  const int64_t found =
      get(attribute, Type::descriptor, count, handles.data()).value_or(0);
  while (int64_t(list.size()) > found)
    list.pop_back();
  return list;
}
