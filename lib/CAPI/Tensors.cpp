//===- Tensors.cpp - Tensors of the C API ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "tandem/Runtime/DLPack.h"
#include "tandem/Runtime/StridedTensor.h"

using namespace tandem;
using namespace tandem::capi;

static_assert(TANDEM_UI64 == int(DType::MAX) && TANDEM_I1 == int(DType::i1) &&
              TANDEM_MAX_RANK == kMaxRank && TANDEM_DYNAMIC == kDynamic);

namespace {
/// Calls the deleter of what it has been given.
struct Deleter {
  TandemTensorDesc desc{};
  ~Deleter() {
    if (desc.deleter)
      desc.deleter(desc.data, desc.context);
  }
};
} // namespace

Expected<TensorType> capi::typeOf(const TandemTensorDesc &desc) {
  if (desc.dtype < 0 || desc.dtype > int(DType::MAX))
    return fail("input", "desc->dtype is " + std::to_string(desc.dtype) +
                             ", which is no element type");
  if (desc.rank < 0 || desc.rank > kMaxRank)
    return fail("input", "desc->rank is " + std::to_string(desc.rank) +
                             "; it must be from 0 to " +
                             std::to_string(kMaxRank));
  if (desc.rank > 0)
    TANDEM_RETURN_IF_ERROR(checkArgument(desc.shape, "desc->shape"));
  return TensorType{DType(desc.dtype),
                    Shape(std::span(desc.shape, size_t(desc.rank)))};
}

Expected<std::vector<TensorType>>
capi::signatureOf(const TandemTensorDesc *const *inputs, size_t numInputs) {
  if (numInputs > 0)
    TANDEM_RETURN_IF_ERROR(checkArgument(inputs, "inputs"));
  std::vector<TensorType> signature;
  for (size_t i = 0; i < numInputs; ++i) {
    TANDEM_RETURN_IF_ERROR(checkArgument(inputs[i], "an input"));
    TANDEM_ASSIGN_OR_RETURN(TandemTensorDesc known,
                            readStruct(inputs[i], "desc"));
    TANDEM_ASSIGN_OR_RETURN(TensorType type, typeOf(known));
    TANDEM_RETURN_IF_ERROR(checkedBytes(type));
    signature.push_back(type);
  }
  return signature;
}

static Expected<Tensor> createTensor(const TandemTensorDesc &desc) {
  StridedTensor strided;
  TANDEM_ASSIGN_OR_RETURN(strided.type, typeOf(desc));
  strided.data = desc.data;
  if (desc.strides)
    strided.strides = {desc.strides, size_t(desc.rank)};
  if (desc.device) {
    TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(desc.device));
    strided.device = device->memory();
  }
  if (!desc.deleter)
    return toTensor(strided);
  auto deleter = std::make_shared<Deleter>();
  strided.owner = deleter;
  Expected<Tensor> tensor = toTensor(strided);
  // Until here the caller keeps the memory.
  if (tensor)
    deleter->desc = desc;
  return tensor;
}

TandemError *tandemTensorCreate(const TandemTensorDesc *desc,
                                TandemTensor **tensor) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(tensor, "tensor"));
    *tensor = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(desc, "desc"));
    TANDEM_ASSIGN_OR_RETURN(TandemTensorDesc known, readStruct(desc, "desc"));
    auto handle = std::make_unique<TandemTensor>();
    TANDEM_ASSIGN_OR_RETURN(handle->tensor, createTensor(known));
    *tensor = handle.release();
    return {};
  });
}

TandemError *tandemTensorFromDLPack(DLManagedTensor *managed,
                                    TandemTensor **tensor) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(tensor, "tensor"));
    *tensor = nullptr;
    auto handle = std::make_unique<TandemTensor>();
    TANDEM_ASSIGN_OR_RETURN(handle->tensor, fromDLPack(managed));
    *tensor = handle.release();
    return {};
  });
}

TandemError *tandemTensorToDLPack(const TandemTensor *tensor,
                                  DLManagedTensor **managed) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(managed, "managed"));
    *managed = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(tensor, "tensor"));
    TANDEM_ASSIGN_OR_RETURN(*managed, toDLPack(tensor->tensor));
    return {};
  });
}

TandemError *tandemTensorDescribe(const TandemTensor *tensor,
                                  TandemTensorDesc *desc) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(tensor, "tensor"));
    TANDEM_RETURN_IF_ERROR(checkArgument(desc, "desc"));
    const Tensor &from = tensor->tensor;
    TandemTensorDesc to{};
    to.data = from.data();
    to.dtype = int(from.dtype());
    to.rank = from.shape().rank();
    to.shape = from.shape().begin();
    to.device = deviceNameOf(from.device());
    return writeStruct(to, desc, "desc");
  });
}

static Expected<Tensor> copyTo(const Tensor &tensor, const char *name) {
  Device *to = &hostDevice();
  if (name) {
    TANDEM_ASSIGN_OR_RETURN(to, findDevice(name));
  }
  if (to->memory() == tensor.device())
    return tensor;
  // The stream that the tensor's work is on, or that of the new device.
  const char *from = deviceNameOf(tensor.device());
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(from ? from : name));
  Stream &stream = device->defaultStream();
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> copies,
                          to->isHost() ? copyToHost({&tensor, 1}, stream)
                                       : copyToDevice({&tensor, 1}, stream));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return copies.front();
}

TandemError *tandemTensorCopyTo(const TandemTensor *tensor, const char *device,
                                TandemTensor **copy) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(copy, "copy"));
    *copy = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(tensor, "tensor"));
    auto handle = std::make_unique<TandemTensor>();
    TANDEM_ASSIGN_OR_RETURN(handle->tensor, copyTo(tensor->tensor, device));
    *copy = handle.release();
    return {};
  });
}

void tandemTensorRelease(TandemTensor *tensor) { delete tensor; }
