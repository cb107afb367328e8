//===- Device.cpp - What holds on every device ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Device.h"

#include "tandem/Runtime/Provider.h"

using namespace tandem;

Workspace::~Workspace() {
  if (!bytes.empty())
    stream.allocator().deallocate(bytes.data(), std::ssize(bytes));
}

Status Workspace::reserve(int64_t size) {
  if (size == 0)
    return {};
  TANDEM_ASSIGN_OR_RETURN(void *data, stream.allocator().allocate(size));
  bytes = {static_cast<std::byte *>(data), static_cast<size_t>(size)};
  return {};
}

Expected<std::unique_ptr<CapturedWork>>
Stream::capture(const std::function<Status(Stream &)> &, std::span<std::byte>,
                std::unique_ptr<CapturedWork>) {
  return fail("execute",
              "device '" + std::string(device().name()) + "' captures no work");
}

Status tandem::runWithWorkspace(const PreparedOp &op, int64_t bytes,
                                std::span<const Tensor> operands,
                                std::span<Tensor> results, Stream &stream,
                                std::string_view step) {
  Workspace workspace(stream);
  TANDEM_RETURN_IF_ERROR(workspace.reserve(bytes));
  return op.run(workspace.context(step), operands, results);
}

/// A copy in the memory of `allocator`, which the stream makes.
static Expected<Tensor> copyInto(Allocator &allocator, const Tensor &tensor,
                                 Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::allocate(tensor.type(), allocator));
  TANDEM_RETURN_IF_ERROR(stream.copy(tensor, copy));
  return copy;
}

Expected<std::vector<Tensor>>
tandem::copyToDevice(std::span<const Tensor> tensors, Stream &stream) {
  std::vector<Tensor> there(tensors.begin(), tensors.end());
  for (Tensor &tensor : there)
    if (tensor && tensor.device() != stream.device().memory()) {
      TANDEM_ASSIGN_OR_RETURN(tensor,
                              copyInto(stream.allocator(), tensor, stream));
    }
  return there;
}

Expected<std::vector<Tensor>>
Device::placeConstants(std::span<const Tensor> constants, Stream &stream) {
  return copyToDevice(constants, stream);
}

Expected<std::vector<Tensor>>
tandem::copyToHost(std::span<const Tensor> tensors, Stream &stream) {
  std::vector<Tensor> here(tensors.begin(), tensors.end());
  for (Tensor &tensor : here)
    if (tensor && tensor.device()) {
      TANDEM_ASSIGN_OR_RETURN(tensor,
                              copyInto(cachingAllocator(), tensor, stream));
    }
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return here;
}
