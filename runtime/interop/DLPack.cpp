//===- DLPack.cpp - Tensors of other frameworks ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/DLPack.h"

#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/StridedTensor.h"

#include <dlpack/dlpack.h>

#include <array>

using namespace tandem;

namespace {

/// DLPack's code of bool, which older headers lack.
constexpr uint8_t kDLBoolCode = 6;

uint8_t codeOf(DType dtype) {
  switch (kindOf(dtype)) {
  case DTypeKind::floating:
    return dtype == DType::bf16 ? kDLBfloat : kDLFloat;
  case DTypeKind::boolean:
    return kDLBoolCode;
  case DTypeKind::signedInt:
    return kDLInt;
  case DTypeKind::unsignedInt:
    return kDLUInt;
  }
  __builtin_unreachable();
}

int bitsOf(DType dtype) { return int(8 * byteWidth(dtype)); }

Expected<DType> toDType(const DLDataType &type) {
  for (DType dtype : fb::EnumValuesDType())
    if (codeOf(dtype) == type.code && bitsOf(dtype) == type.bits &&
        type.lanes == 1)
      return dtype;
  return fail("dlpack",
              "no element type for DLPack's code " + std::to_string(type.code) +
                  " of " + std::to_string(type.bits) + " bits, " +
                  std::to_string(type.lanes) + " lanes",
              "there are bool, int8 to int64, uint8 to uint64, float16, "
              "bfloat16, float32 and float64");
}

DLDataType toDLDataType(DType dtype) {
  return {codeOf(dtype), uint8_t(bitsOf(dtype)), 1};
}

/// Null for the host's memory.
Expected<const Device *> toDevice(const DLDevice &device) {
  switch (device.device_type) {
  case kDLCPU:
  case kDLCUDAHost:
    return nullptr;
  case kDLCUDA: {
    TANDEM_ASSIGN_OR_RETURN(CUDADevice * found, cudaDevice(device.device_id));
    return found->memory();
  }
  default:
    return fail("dlpack", "no device for DLPack's device type " +
                              std::to_string(int(device.device_type)));
  }
}

Expected<DLDevice> toDLDevice(const Device *device) {
  if (!device)
    return DLDevice{kDLCPU, 0};
  if (const auto *gpu = dynamic_cast<const CUDADevice *>(device))
    return DLDevice{kDLCUDA, gpu->index()};
  return fail("dlpack", "DLPack has no type for device '" +
                            std::string(device->name()) + "'");
}

/// Calls the deleter of what it has been given.
struct Imported {
  DLManagedTensor *managed = nullptr;
  ~Imported() {
    if (managed)
      managed->deleter(managed);
  }
};

/// A tensor that is described to others, with what the description points to.
struct Exported {
  Tensor tensor;
  Shape shape;
  std::array<int64_t, kMaxRank> strides{};
  DLManagedTensor managed{};
};

} // namespace

/// The tensor that is described, without an owner.
static Expected<StridedTensor> describe(const DLTensor &from) {
  if (from.ndim < 0 || from.ndim > kMaxRank)
    return fail("dlpack", "a tensor of " + std::to_string(from.ndim) +
                              " dims; there are at most " +
                              std::to_string(kMaxRank));
  if (from.ndim > 0 && !from.shape)
    return fail("dlpack", "the shape is null");
  StridedTensor to;
  TANDEM_ASSIGN_OR_RETURN(to.type.dtype, toDType(from.dtype));
  to.type.shape = Shape(std::span<const int64_t>(from.shape, from.ndim));
  TANDEM_ASSIGN_OR_RETURN(to.device, toDevice(from.device));
  if (from.data)
    to.data = static_cast<char *>(from.data) + from.byte_offset;
  if (from.strides)
    to.strides = {from.strides, size_t(from.ndim)};
  return to;
}

Expected<Tensor> tandem::fromDLPack(DLManagedTensor *managed) {
  if (!managed)
    return fail("dlpack", "the DLManagedTensor is null");
  TANDEM_ASSIGN_OR_RETURN(StridedTensor strided, describe(managed->dl_tensor));
  if (!managed->deleter)
    return toTensor(strided);
  auto imported = std::make_shared<Imported>();
  strided.owner = imported;
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, toTensor(strided));
  // Until here the caller keeps it. Where the tensor is a copy, it is released
  // on return.
  imported->managed = managed;
  return tensor;
}

Expected<DLManagedTensor *> tandem::toDLPack(const Tensor &tensor) {
  if (!tensor)
    return fail("dlpack", "the tensor has no data");
  TANDEM_ASSIGN_OR_RETURN(DLDevice device, toDLDevice(tensor.device()));
  auto exported = std::make_unique<Exported>();
  exported->tensor = tensor;
  exported->shape = tensor.shape();
  const int rank = tensor.shape().rank();
  // Some readers take no null for dense strides.
  int64_t stride = 1;
  for (int dim = rank - 1; dim >= 0; --dim) {
    exported->strides[dim] = stride;
    stride *= tensor.shape()[dim];
  }
  DLTensor &to = exported->managed.dl_tensor;
  to.data = tensor.data();
  to.device = device;
  to.ndim = rank;
  to.dtype = toDLDataType(tensor.dtype());
  to.shape = rank ? &exported->shape[0] : nullptr;
  to.strides = rank ? exported->strides.data() : nullptr;
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor *managed) {
    delete static_cast<Exported *>(managed->manager_ctx);
  };
  return &exported.release()->managed;
}
