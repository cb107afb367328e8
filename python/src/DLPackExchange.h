//===- DLPackExchange.h - DLPack's fast exchange API ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The part of DLPack 1.3 that Debian's header does not have
// (https://dmlc.github.io/dlpack/latest/c_api.html): tensors with a version and
// flags, and the exchange API. Types of arrays have an attribute
// `__dlpack_c_exchange_api__`, a capsule with C functions that read and make
// arrays without calling Python.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_DLPACKEXCHANGE_H
#define TANDEM_PYTHON_DLPACKEXCHANGE_H

#include "tandem/Runtime/Tensor.h"

#include <dlpack/dlpack.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace tandem::python {

/// The layout is that of DLPack's struct of the same name.
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

/// The flag of memory that must not be written to.
constexpr uint64_t kDLReadOnly = 1;

/// The layout is that of DLPack's struct of the same name. Functions that are
/// not used here are plain pointers.
struct DLPackExchangeAPI {
  struct {
    uint32_t major, minor;
    DLPackExchangeAPI *previous;
  } header;
  void *managed_tensor_allocator;
  void *managed_tensor_from_py_object_no_sync;
  /// Sets `*out` to a new array that owns `tensor`. Returns 0, or -1 with a
  /// Python exception.
  int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor,
                                             void **out);
  /// Sets `*out` to the array's memory, which the array keeps alive. Returns 0,
  /// or -1 with a Python exception. May be null.
  int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out);
  void *current_work_stream;
};

/// Facts about a type of arrays.
struct ExchangeType {
  /// The exchange API of the type. Null if the type has none.
  const DLPackExchangeAPI *api = nullptr;
  /// Whether it is torch.Tensor or a subclass.
  bool isTorch = false;
  /// Whether it is a subclass of torch.Tensor with a __torch_dispatch__ of its
  /// own. Then the elements are not what the memory holds.
  bool isOpaque = false;
};

/// Returns the facts about the type of `array`. The GIL must be held.
ExchangeType exchangeTypeOf(nanobind::handle array);

/// Makes an array that keeps the tensor's memory alive. Null if the API cannot
/// make arrays; raises what the API raises.
nanobind::object makeArray(const DLPackExchangeAPI &api, const Tensor &tensor);

/// A tensor, and the address of its first element in the memory of another
/// library. If the tensor is at another address, it is a copy.
struct ImportedTensor {
  Tensor tensor;
  const void *data;
};

/// Takes `managed`. Raises TypeError, and leaves `managed` to the caller, if
/// Tandem has no such tensor. `what` names the array in errors.
ImportedTensor importTensor(DLManagedTensor *managed, const std::string &what);

/// Imports the tensor that array.__dlpack__() exports. Raises TypeError if the
/// method exports nothing, and tandem.Error if `isWritten` is set but the
/// tensor must not be written to.
ImportedTensor importArray(nanobind::handle array, const std::string &what,
                           bool isWritten);

} // namespace tandem::python

#endif // TANDEM_PYTHON_DLPACKEXCHANGE_H
