//===- DLPackExchange.h - DLPack's fast exchange API ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The part of DLPack 1.3 that Debian's header does not have: types of arrays
// have an attribute `__dlpack_c_exchange_api__`, a capsule with C functions
// that read an array without calling Python
// (https://dmlc.github.io/dlpack/latest/c_api.html).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_DLPACKEXCHANGE_H
#define TANDEM_PYTHON_DLPACKEXCHANGE_H

#include <dlpack/dlpack.h>
#include <nanobind/nanobind.h>

#include <cstdint>

namespace tandem::python {

/// The layout is that of DLPack's struct of the same name. Functions that are
/// not used here are plain pointers.
struct DLPackExchangeAPI {
  struct {
    uint32_t major, minor;
    DLPackExchangeAPI *previous;
  } header;
  void *managed_tensor_allocator;
  void *managed_tensor_from_py_object_no_sync;
  void *managed_tensor_to_py_object_no_sync;
  /// Sets `*out` to the array's memory, which the array keeps alive. Returns 0,
  /// or -1 with a Python exception.
  int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out);
  void *current_work_stream;
};

/// The functions for the type of `array`; null if it has none.
const DLPackExchangeAPI *findExchangeAPI(nanobind::handle array);

} // namespace tandem::python

#endif // TANDEM_PYTHON_DLPACKEXCHANGE_H
